// Owns a Task that was given to the other end: sent again on each connection until its Result has come, and what may still
// come afterwards. SPEC.md section 19 (#swp-client, #swp-lifecycle).

import type { EventMessage, ResultMessage, TaskMessage } from '../wire/message.ts';
import { invalid } from '../wire/message.ts';

export type OnEvent = (event: EventMessage) => void;

export class GivenTask {
  readonly message: TaskMessage;
  readonly result: Promise<ResultMessage>;
  readonly #onEvent: OnEvent | undefined;
  #resolve!: (result: ResultMessage) => void;
  #reject!: (cause: unknown) => void;
  #end: ResultMessage | undefined;

  constructor(message: TaskMessage, onEvent: OnEvent | undefined) {
    this.message = message;
    this.#onEvent = onEvent;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Who gives a task and leaves before its end is not told of that as of a fault.
    this.result.catch(() => undefined);
  }

  /** Throws a refusal for what does not come any more. @returns whether this has ended it. */
  take(message: EventMessage | ResultMessage): boolean {
    if (message.type === 'event') {
      if (this.#end !== undefined) throw invalid('an Event after the Result');
      this.#onEvent?.(message);
      return false;
    }
    if (this.#end !== undefined) {
      // The other end tells it again to who asks again.
      if (isEqual(this.#end, message)) return false;
      throw invalid('another Result after the Result');
    }
    this.#end = message;
    this.#resolve(message);
    return true;
  }

  fail(cause: unknown): void {
    this.#reject(cause);
  }
}

function isEqual(one: ResultMessage, other: ResultMessage): boolean {
  return (
    one.ok === other.ok &&
    one.errorMessage === other.errorMessage &&
    Buffer.compare(one.output, other.output) === 0
  );
}
