// Owns many waits of the same length with one timer: the one that began first ends first, so nothing has to be sorted.
// SPEC.md section 11 (#transport-timeouts).

export class Waits<T> {
  readonly #lengthMs: number;
  readonly #onOver: (item: T) => void;
  /** When each ends. A map keeps the order in which they began. */
  readonly #ends = new Map<T, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver told of each wait that has come to its end; it waits no more then. */
  constructor(lengthMs: number, onOver: (item: T) => void) {
    this.#lengthMs = lengthMs;
    this.#onOver = onOver;
  }

  /** It waits from now on, also if it has waited before. */
  begin(item: T): void {
    this.#ends.delete(item);
    this.#ends.set(item, performance.now() + this.#lengthMs);
    if (this.#timer === undefined) this.#set(this.#lengthMs);
  }

  stop(item: T): void {
    this.#ends.delete(item);
  }

  #set(inMs: number): void {
    this.#timer = setTimeout(() => this.#look(), inMs);
    // It is the connection of who waits that keeps the process going.
    this.#timer.unref();
  }

  #look(): void {
    const now = performance.now();
    for (const [item, end] of this.#ends) {
      if (end > now) {
        // A timer counts whole milliseconds, and must not find that it came too early for ever.
        this.#set(Math.ceil(end - now));
        return;
      }
      this.#ends.delete(item);
      // Who begins again now is the last in the line, which is not at its end then.
      this.#onOver(item);
    }
    this.#timer = undefined;
  }
}
