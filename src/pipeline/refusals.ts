// Owns what a message costs that is not admitted: so many a second are read and answered one by one, the rest get one
// answer that is made once. SPEC.md section 13 (#admit).

import type { SdlError } from '../errors.ts';
import type { Reply } from '../transport.ts';
import type { Passage } from './passage.ts';

export interface Refusals {
  /** The error for this message, made by `seal`; when there are too many, one error that all of them get. */
  answer(
    passage: Passage,
    error: SdlError,
    seal: () => Promise<Reply | undefined>,
  ): Promise<Reply | undefined>;
}

const ANSWERED_A_SECOND = 100;
/** Larger messages are not read only to be refused. */
const READ_BYTES = 65_536;

export function createRefusals(now: () => number): Refusals {
  const shared = new Map<string, Promise<Reply | undefined>>();
  let second = Number.NaN;
  let answered = 0;

  return {
    answer(passage, { code }, seal) {
      const current = Math.floor(now() / 1_000);
      if (current !== second) {
        second = current;
        answered = 0;
        shared.clear();
      }
      const { bytes, encoding } = passage;
      if (answered < ANSWERED_A_SECOND && bytes.length <= READ_BYTES) {
        answered += 1;
        readForReply(passage);
        return seal();
      }
      // It names no request: nothing of the message was read.
      const key = `${code} ${encoding}`;
      const known = shared.get(key) ?? seal();
      shared.set(key, known);
      return known;
    },
  };
}

/** A message that was not admitted was not read either; its sender still has to learn which one it was. */
function readForReply(passage: Passage): void {
  try {
    passage.decode();
  } catch {
    // Nothing can be read: the error goes to nobody in particular.
  }
}
