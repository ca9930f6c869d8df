// Owns which refusals of proven senders are in the audit log, and how many: each has so many a second, what is beyond
// them is counted in one entry. SPEC.md section 10 (#audit-refusals).

import type { AuditLog } from '../audit/log.ts';
import type { Verdict } from '../audit/entry.ts';
import { toldCode } from '../envelope/error-payload.ts';
import type { Passage } from './passage.ts';
import { receivedEntry } from './received-entry.ts';
import type { Refusal } from './run-stages.ts';
import type { StageName } from './stages.ts';

export interface RefusalBook {
  /**
   * Writes down who is refused what, before it is told; the passage then knows the entry that the receipt of the reply
   * is for. Never throws.
   * @param isAnswered by an envelope of ours, which carries the receipt
   */
  record(passage: Passage, refusal: Refusal, isAnswered: boolean): Promise<void>;
  /** Writes what was only counted so far. Never throws. */
  flush(): Promise<void>;
}

export interface RefusalBookOptions {
  readonly audit: AuditLog;
  readonly now: () => number;
  /** For entries that no message has given an id. */
  readonly newId: () => string;
  readonly onError: (cause: unknown) => void;
}

/** The checks behind the signature and the time: what they refuse was sent by who signed it, and not long ago. */
const RECORDED: ReadonlySet<StageName> = new Set([
  'replay',
  'contact',
  'session',
  'decrypt',
  'bind',
  'schema',
  'sender_schema',
  'authorize',
]);

const OF_A_PEER_A_SECOND = 8;
/** Keys are free: all strangers are one sender here. */
const OF_STRANGERS_A_SECOND = 16;
const STRANGERS = '~strangers';

/** Of one sender in this second. */
interface Tally {
  written: number;
  counted: number;
  /** The last that was only counted. */
  last: Verdict | undefined;
}

export function createRefusalBook(options: RefusalBookOptions): RefusalBook {
  const { audit, now, newId, onError } = options;
  const tallies = new Map<string, Tally>();
  let second = Number.NaN;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tallyOf(name: string): Tally {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      void writeCounted();
      tallies.clear();
      second = current;
    }
    const tally = tallies.get(name) ?? { written: 0, counted: 0, last: undefined };
    tallies.set(name, tally);
    return tally;
  }

  /** The end of a burst would otherwise wait for the next one. */
  function writeSoon(): void {
    if (timer !== undefined) return;
    timer = setTimeout(() => void writeCounted(), 1_000);
    (timer as { unref?: () => void }).unref?.();
  }

  async function writeCounted(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const writes: Promise<unknown>[] = [];
    for (const [from, tally] of tallies) {
      const { counted: count, last: verdict } = tally;
      if (verdict === undefined) continue;
      tally.counted = 0;
      tally.last = undefined;
      const entry = { id: newId(), from, face: 'sdl', operation: 'refused', verdict, count };
      writes.push(audit.record({ kind: 'operation', ...entry }).catch(onError));
    }
    await Promise.all(writes);
  }

  return {
    async record(passage, { stage, error }, isAnswered) {
      if (!passage.isProven || !RECORDED.has(stage)) return;
      const { sender, envelope } = passage;
      const name = sender.isStranger ? STRANGERS : envelope.from.agent_id;
      // No finer than what is told: who knows all else of an entry could find the rest by the root in a receipt.
      const verdict = toldCode(error);
      const tally = tallyOf(name);
      if (tally.written >= (sender.isStranger ? OF_STRANGERS_A_SECOND : OF_A_PEER_A_SECOND)) {
        tally.counted += 1;
        tally.last = verdict;
        writeSoon();
        return;
      }
      tally.written += 1;
      const entry = receivedEntry(passage);
      try {
        if (isAnswered && entry.kind === 'request') passage.auditSeq = await audit.record(entry);
        else await audit.record({ ...entry, verdict });
      } catch (cause) {
        onError(cause);
      }
    },
    flush: writeCounted,
  };
}
