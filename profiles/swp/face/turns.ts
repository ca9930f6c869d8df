// Owns that what concerns one task is done in its order of arrival, while other tasks go on.
// SPEC.md section 19 (#swp-order-of-arrival).

export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** `work` never rejects. */
  take(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key);
    const done = before === undefined ? work() : before.then(work);
    this.#last.set(key, done);
    return done.then(() => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    });
  }
}
