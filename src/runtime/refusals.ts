// Owns what is told of a refusal that a face made by itself: audit entry, counter, outcome.
// ARCHITECTURE.md ("Host and faces").

import type { AuditLog } from '../audit/log.ts';
import type { Outcome } from '../pipeline/receive.ts';
import type { FaceRefusal } from '../transport.ts';
import type { Counters } from './counters.ts';

interface RefusalParts {
  /** `undefined` where no log is kept. */
  readonly audit: AuditLog | undefined;
  readonly counters: Counters;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly onError: (cause: unknown) => void;
  readonly newId: () => string;
  readonly now: () => number;
}

/** As who an entry is written for somebody who has proven nothing. */
const UNPROVEN = '~unproven';

/** More would let anybody fill the log and the disk. */
const UNPROVEN_A_SECOND = 16;

export function createTellRefusal(parts: RefusalParts): (refusal: FaceRefusal) => void {
  const { audit, counters, onOutcome, onError, newId, now } = parts;
  let second = 0;
  let told = 0;

  function hasRoom(): boolean {
    const current = Math.floor(now() / 1_000);
    if (current !== second) [second, told] = [current, 0];
    told += 1;
    return told <= UNPROVEN_A_SECOND;
  }

  return ({ face, operation, code, error, from, taskId }) => {
    counters.countRefusal(face, code);
    if (from === undefined && !hasRoom()) return;
    const named = taskId !== undefined && taskId !== '';
    audit
      ?.record({
        kind: 'operation',
        id: newId(),
        from: from ?? UNPROVEN,
        face,
        operation,
        ...(named && { task: taskId }),
        verdict: code,
      })
      .catch(onError);
    onOutcome({
      transport: face,
      operation,
      refusal: code,
      ...(named && { id: taskId }),
      ...(from !== undefined && { from }),
      isProven: from !== undefined,
      stage: 'route',
      error,
      isRetry: false,
      durationMs: 0,
    });
  };
}
