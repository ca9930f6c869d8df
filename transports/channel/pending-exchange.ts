// Owns one exchange that waits for its answers: what came and was not taken yet, and how it ends.
// SPEC.md section 11 (#transport-correlation).

import type { Incoming, Outbound, TransportError } from '../../src/transport.ts';

/** What an object in the queue costs beside its bytes, so that many small messages count too. */
const MESSAGE_COST = 256;

export class PendingExchange {
  readonly id: string;
  readonly spanId: string;
  readonly #queue: Incoming[] = [];
  #queuedBytes = 0;
  #isComplete = false;
  #failure: TransportError | undefined;
  #wake: (() => void) | undefined;

  constructor({ id, spanId }: Outbound) {
    this.id = id;
    this.spanId = spanId;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  put(message: Incoming, isLast: boolean): void {
    // It has failed, but its reader has not seen it yet.
    if (this.#failure !== undefined) return;
    this.#queue.push(message);
    this.#queuedBytes += message.bytes.length + MESSAGE_COST;
    this.#isComplete = isLast;
    this.#notify();
  }

  /** Nothing more comes: fails after what is queued was taken. */
  end(error: TransportError): void {
    this.#failure ??= error;
    this.#notify();
  }

  /** Fails now; what is queued is thrown away. */
  fail(error: TransportError): void {
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#isComplete = false;
    this.#failure = error;
    this.#notify();
  }

  /** The next answer, or `undefined` behind the last. */
  async take(): Promise<Incoming | undefined> {
    for (;;) {
      const message = this.#queue.shift();
      if (message !== undefined) {
        this.#queuedBytes -= message.bytes.length + MESSAGE_COST;
        return message;
      }
      if (this.#isComplete) return undefined;
      if (this.#failure !== undefined) throw this.#failure;
      await this.#changed();
    }
  }

  /** Waits for this work, but not longer than until something is there to take. */
  async orTakeable(work: Promise<void>): Promise<void> {
    // Work on a channel fails when that closes, which fails the exchange as well.
    await Promise.race([work.catch(() => {}), this.#changed()]);
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
