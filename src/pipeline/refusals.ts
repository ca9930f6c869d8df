// Owns what is answered to those who have proven nothing: so many a second get an answer to their own message, the rest
// one that is made once. SPEC.md section 13 (#admit-answers).

import type { SdlError } from '../errors.ts';
import type { Reply } from '../transport.ts';
import type { Passage } from './passage.ts';
import type { SharedErrors } from './shared-errors.ts';

const ANSWERED_A_SECOND = 100;
/** Of one address: at least, also when the others have taken all of those, and at most. */
const ANSWERED_OF_ADDRESS = { least: 8, most: 32 };
const MOST_ADDRESSES = 1_024;
/** Larger messages are not read only to be refused. */
const READ_BYTES = 65_536;

export class Refusals {
  readonly #shared: SharedErrors;
  readonly #now: () => number;
  readonly #ofAddress = new Map<string, number>();
  #second = Number.NaN;
  #answered = 0;

  constructor(shared: SharedErrors, now: () => number) {
    this.#shared = shared;
    this.#now = now;
  }

  /** The error for this message, made by `seal`; when there are too many, one that all of them get. */
  answer(
    passage: Passage,
    error: SdlError,
    seal: () => Promise<Reply | undefined>,
  ): Promise<Reply | undefined> {
    const { bytes, encoding, value, snapshot } = passage;
    const isShort = value !== undefined || bytes.length <= READ_BYTES;
    if (isShort && this.#hasRoomFor(passage.peer.address)) {
      if (value === undefined) readForReply(passage);
      return seal();
    }
    return this.#shared.answer(error, encoding, snapshot);
  }

  #hasRoomFor(address: string): boolean {
    const current = Math.floor(this.#now() / 1_000);
    if (current !== this.#second) {
      this.#second = current;
      this.#answered = 0;
      this.#ofAddress.clear();
    }
    const own = this.#ofAddress.get(address) ?? 0;
    if (own >= ANSWERED_OF_ADDRESS.most) return false;
    const isCounted = own > 0 || this.#ofAddress.size < MOST_ADDRESSES;
    if (isCounted) this.#ofAddress.set(address, own + 1);
    if (isCounted && own < ANSWERED_OF_ADDRESS.least) return true;
    this.#answered += 1;
    return this.#answered <= ANSWERED_A_SECOND;
  }
}

/** A message that was not admitted was not read either; its sender still has to learn which one it was. */
function readForReply(passage: Passage): void {
  try {
    passage.decode();
  } catch {
    // Nothing can be read: the error goes to nobody in particular.
  }
}
