// Owns how fast we send: never more frames in any second than the other end is known to take.
// SPEC.md section 19 (#swp-pace).

/** A little more than the second of the other end, whose clock and network are not ours. */
const WINDOW_MS = 1_050;

/** The moments of the last so many, oldest first when it goes round. */
export class Pace {
  readonly #moments: Float64Array;
  #at = 0;
  #count = 0;

  constructor(perSecond: number) {
    this.#moments = new Float64Array(perSecond);
  }

  /** How long the next one has to wait; 0 for not at all. */
  waitMs(nowMs: number): number {
    if (this.#count < this.#moments.length) return 0;
    return Math.max(0, this.#moments[this.#at]! + WINDOW_MS - nowMs);
  }

  take(nowMs: number): void {
    this.#moments[this.#at] = nowMs;
    this.#at = (this.#at + 1) % this.#moments.length;
    if (this.#count < this.#moments.length) this.#count += 1;
  }
}
