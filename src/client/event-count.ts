// Owns the numbers of an exchange at the end that asked: is every event there, once and in order, over all connections
// that it took? SPEC.md section 8 (#x-n, #x-n-check).

import { SdlError } from '../errors.ts';
import { announcesNumbers } from '../pipeline/announced.ts';
import type { Passage } from '../pipeline/passage.ts';

/** Of one request. What is wrong is thrown as BINDING_INVALID, a missing number as ENVELOPE_INVALID. */
export class EventCount {
  readonly #wantsStream: boolean;
  /** The highest number so far; what has none counts as the next. */
  #seen = 0;
  /** The last one on this connection, once an event has come on it. */
  #last: number | undefined = 0;
  #isResumed = false;

  constructor(wantsStream: boolean) {
    this.#wantsStream = wantsStream;
  }

  /** The same bytes are sent again: what answers them may begin where it likes, but not behind what was seen. */
  resume(): void {
    this.#isResumed = true;
    this.#last = undefined;
  }

  /** False for an event that was seen on a connection before. */
  takeEvent(passage: Passage): boolean {
    const number = numberOf(passage, true) ?? this.#seen + 1;
    const expected = (this.#last ?? this.#seen) + 1;
    const isTold = this.#last === undefined && number >= 1 && number < expected;
    if (number !== expected && !isTold) {
      throw wrongNumber(`event ${number} came, and ${expected} was to come`);
    }
    this.#last = number;
    if (number <= this.#seen) return false;
    this.#seen = number;
    return true;
  }

  /** How many events are missing, as only those may that were lost with a connection. */
  takeEnd(passage: Passage): number {
    const number = numberOf(passage, this.#wantsStream);
    if (number === undefined) return 0;
    const isWhole = !this.#isResumed || this.#last !== undefined;
    // What goes on while the answer of a run is awaited may be told although it came after that answer.
    if ((isWhole && number > this.#seen) || (!this.#isResumed && number < this.#seen)) {
      throw wrongNumber(`the answer counts ${number} events, and ${this.#seen} came`);
    }
    return Math.max(0, number - this.#seen);
  }
}

/** `undefined` where there need be none: of a peer that does not number, or of an error. */
function numberOf({ envelope, contact }: Passage, isNeeded: boolean): number | undefined {
  const number = envelope.sec?.x?.['n'];
  if (number !== undefined) {
    if (Number.isSafeInteger(number) && (number as number) >= 0) return number as number;
    throw missing('is no number');
  }
  if (!isNeeded || (envelope.type === 'res' && envelope.ct === 'error.v1')) return undefined;
  if (announcesNumbers(envelope)) throw missing('is missing, and the peer announces "n"');
  if (contact !== undefined && contact.additions.has('n')) {
    throw missing(
      'is missing, and the peer has announced "n" before: if it runs an older version again, let it start anew ("a2a-sdl peers relax")',
    );
  }
  return undefined;
}

function wrongNumber(reason: string): SdlError {
  return new SdlError(
    'BINDING_INVALID',
    `the events of the exchange are not whole: ${reason}; somebody between changes them, or the way there loses some`,
  );
}

function missing(reason: string): SdlError {
  return new SdlError('ENVELOPE_INVALID', `/sec/x/n ${reason}`, { details: { path: '/sec/x/n' } });
}
