// Owns what is known of a server that cannot be reached. It may only be restarting, so the first calls wait for it;
// after that they fail at once, and one of them looks again now and then.

/** Long enough for a restart. */
const LONGEST_WAIT_MS = 2_000;
const BETWEEN_LOOKS_MS = 250;

export class Absence {
  readonly #now: () => number;
  readonly #waitMs: number;
  /** Undefined while the server is there. */
  #waitUntil: number | undefined;
  #lookAt = 0;
  #isLooking = false;
  #error: unknown;

  /** @param now milliseconds of a clock that only goes forward. */
  constructor(timeoutMs: number, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#waitMs = Math.min(timeoutMs, LONGEST_WAIT_MS);
  }

  /** Call it before connecting. It throws the last error again while another attempt runs or would come too soon. */
  assertWorthALook(): void {
    if (this.#waitUntil === undefined || this.#now() < this.#waitUntil) return;
    if (this.#isLooking || this.#now() < this.#lookAt) throw this.#error;
    this.#isLooking = true;
  }

  /** The server could not be reached. @returns whether to wait `delayMs` and try again. */
  note(error: unknown, delayMs: number): boolean {
    const now = this.#now();
    this.#waitUntil ??= now + this.#waitMs;
    this.#lookAt = now + BETWEEN_LOOKS_MS;
    this.#isLooking = false;
    this.#error = error;
    return now + delayMs < this.#waitUntil;
  }

  /** It answered. */
  end(): void {
    this.#waitUntil = undefined;
    this.#isLooking = false;
    this.#error = undefined;
  }
}
