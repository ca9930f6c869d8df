// Owns that a notification is told once however often it comes, and those of one task one after the other. SPEC.md
// section 20 (#a2a-hook-receiver).

/** What came of telling it. */
export type Told = 'told' | 'gone' | 'failed';

export class ToldOnce {
  readonly #most: number;
  /** Those that were told or are being told; the longest known first. */
  readonly #known = new Map<string, Promise<Told>>();
  /** The last of each task. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(most: number) {
    this.#most = most;
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** A repeat gets what the first one got. What failed may be told again. @param lane what is told in order. */
  tell(key: string, lane: string, run: () => Promise<Told>): Promise<Told> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const telling = this.inOrder(lane, run).then((told) => {
      if (told === 'failed') this.#known.delete(key);
      return told;
    });
    this.#known.set(key, telling);
    this.#forget();
    return telling;
  }

  inOrder<T>(lane: string, run: () => Promise<T>): Promise<T> {
    const before = this.#last.get(lane) ?? Promise.resolve();
    const running = before.then(run, run);
    this.#last.set(lane, running);
    const done = (): void => {
      if (this.#last.get(lane) === running) this.#last.delete(lane);
    };
    running.then(done, done);
    return running;
  }

  #forget(): void {
    for (const key of this.#known.keys()) {
      if (this.#known.size <= this.#most) return;
      this.#known.delete(key);
    }
  }
}
