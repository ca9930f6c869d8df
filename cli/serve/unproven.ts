// Owns how often the log tells of those who have proven nothing: of each verdict and reason one line a second, and then how many
// more there were. Nobody who may be anybody can fill the log.

import type { Outcome } from '../../src/internal.ts';

const SECOND_MS = 1_000;
/** Verdicts and their reasons are few; what is beyond is told as one. */
const MAX_KINDS = 16;
const OTHER = 'other';

/** Refusals of one kind that were not told. */
export interface Untold {
  readonly transport: string;
  readonly verdict: string;
  readonly count: number;
}

export class UnprovenRefusals {
  readonly #tell: (untold: Untold) => void;
  readonly #untold = new Map<string, Untold>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (untold: Untold) => void) {
    this.#tell = tell;
  }

  /** Is this one to be told by itself? What is not is counted. */
  isTold({ isProven, error, refusal, transport }: Outcome): boolean {
    if (isProven || error === undefined) return true;
    const own = JSON.stringify([transport, refusal ?? error.code, error.reason]);
    const isOther = !this.#untold.has(own) && this.#untold.size >= MAX_KINDS;
    const key = isOther ? OTHER : own;
    const verdict = isOther ? OTHER : (refusal ?? error.code);
    const known = this.#untold.get(key);
    this.#untold.set(key, { transport, verdict, count: known === undefined ? 0 : known.count + 1 });
    this.#timer ??= setTimeout(() => this.flush(), SECOND_MS).unref();
    return known === undefined;
  }

  /** Tells what is counted now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const untold = [...this.#untold.values()];
    this.#untold.clear();
    for (const each of untold) if (each.count > 0) this.#tell(each);
  }
}
