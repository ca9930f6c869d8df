// Owns the copies of messages that wait for the answer to the first: few of each message, and the newest ones, because
// whoever lost its connection comes again. SPEC.md section 7 (#replay-joiners).

import type { Pool, ShareClass } from '../budget/index.ts';
import { SdlError } from '../errors.ts';

interface Joiner {
  readonly share: ShareClass;
  readonly onCrowded: (error: SdlError) => void;
}

export class Joiners {
  readonly #pool: Pool;
  /** By message, those that came first in front. */
  readonly #byRun = new Map<string, Joiner[]>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns what takes the copy away again. Throws LIMIT_RATE. */
  enter(run: string, share: ShareClass, onCrowded: Joiner['onCrowded']): () => void {
    const others = this.#byRun.get(run) ?? [];
    if (others.length > 0 && !this.#pool.hasRoom(run, share)) this.#crowdOut(run, others);
    this.#pool.take(run, share);
    const joiner: Joiner = { share, onCrowded };
    others.push(joiner);
    this.#byRun.set(run, others);
    return () => void this.#remove(run, joiner);
  }

  #crowdOut(run: string, [oldest]: readonly Joiner[]): void {
    if (!this.#remove(run, oldest!)) return;
    this.#pool.refused(oldest!.share);
    oldest!.onCrowded(
      new SdlError('LIMIT_RATE', 'newer copies of this message wait for its answer; send it again'),
    );
  }

  #remove(run: string, joiner: Joiner): boolean {
    const all = this.#byRun.get(run);
    const at = all?.indexOf(joiner) ?? -1;
    if (at < 0) return false;
    all!.splice(at, 1);
    if (all!.length === 0) this.#byRun.delete(run);
    this.#pool.give(run, joiner.share);
    return true;
  }
}
