// Owns when a handler has to end: after its time, with its connection, with the runtime, or with the rights of its sender.
// SPEC.md section 13 (#rights-at-use).

import { SdlError } from '../errors.ts';
import type { ReceivedPassage } from './received-passage.ts';

export interface DeadlineServices {
  /** How long a handler may take. */
  readonly handlerTimeoutMs: number;
  /** What ends each handler at work; called by a runtime that stops waiting for them. */
  readonly running: Set<() => void>;
}

/** When a handler has to end. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends it before its time. */
  readonly refuse: (reason: SdlError) => void;
  readonly stop: () => void;
}

/**
 * What has no nonce cannot be asked for again, and what only asks need not be: both end with their connection. The rest
 * ends with its time.
 * @param isRead it only asks.
 */
export function startDeadline(
  { inbound, replayVerdict, crowding }: ReceivedPassage,
  { handlerTimeoutMs, running }: DeadlineServices,
  isRead: boolean,
): Deadline {
  const controller = new AbortController();
  const end = (reason: string): void =>
    controller.abort(new SdlError('DEADLINE', reason, { details: { outcome: 'unknown' } }));
  const timer = setTimeout(() => end('the handler took too long'), handlerTimeoutMs);
  const onStop = (): void => end('the runtime has stopped');
  const onGone = (): void => end('the sender has gone');
  running.add(onStop);
  const crowded = crowding?.signal;
  crowded?.addEventListener('abort', () => controller.abort(crowded.reason));
  if (crowded?.aborted === true) controller.abort(crowded.reason);
  const { signal } = inbound;
  const isBoundToConnection = replayVerdict === undefined || isRead;
  if (isBoundToConnection) signal.addEventListener('abort', onGone, { once: true });
  if (isBoundToConnection && signal.aborted) onGone();
  return {
    signal: controller.signal,
    refuse: (reason) => controller.abort(reason),
    stop: () => {
      clearTimeout(timer);
      running.delete(onStop);
      signal.removeEventListener('abort', onGone);
    },
  };
}
