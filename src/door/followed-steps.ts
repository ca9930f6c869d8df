// Owns one stream of a task through the door: each step only to who may still see it, and an end that is told once.
// ARCHITECTURE.md ("The door").

import type { SdlError } from '../errors.ts';
import { toSdlError } from '../errors.ts';
import type { TaskStep } from '../tasks/event.ts';
import type { StopSignal } from '../tasks/log/follower.ts';
import type { CallContext } from './call.ts';

interface Begun {
  readonly steps: (stop: StopSignal) => AsyncIterable<TaskStep>;
  /** What is done with a step before it is handed out. */
  readonly told: (step: TaskStep) => void;
  /** Why it may not go on, if it may not. */
  readonly refusal: () => SdlError | undefined;
  /** Called once. */
  readonly end: (error: SdlError | undefined) => void;
}

export interface FollowOptions {
  readonly call: CallContext;
  /** @param onStop to be called when it may not go on. */
  readonly begin: (onStop: () => void) => Promise<Begun>;
}

type Result = IteratorResult<TaskStep, undefined>;

const DONE: Result = { done: true, value: undefined };

/** Thousands may follow: an AbortController for each would cost as much as all else that it is made of. */
class Stop implements StopSignal {
  aborted = false;
  #listener: (() => void) | undefined;

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(): void {
    this.#listener = undefined;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#listener?.();
  }
}

export class FollowedSteps implements AsyncIterator<TaskStep, undefined> {
  readonly #options: FollowOptions;
  readonly #stop = new Stop();
  readonly #onAbort = (): void => this.#stop.abort();
  #begun: Begun | undefined;
  #steps: AsyncIterator<TaskStep> | undefined;
  #isOver = false;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async next(): Promise<Result> {
    if (this.#isOver) return DONE;
    try {
      if (this.#steps === undefined) await this.#begin();
      if (this.#steps === undefined) return DONE;
      const step = await this.#steps.next();
      // Who may not see it is not shown what came before it was found out.
      const refusal = this.#begun!.refusal();
      if (refusal !== undefined) throw refusal;
      if (step.done !== true) {
        this.#begun!.told(step.value);
        return step;
      }
      this.#end(undefined);
      return DONE;
    } catch (thrown) {
      const error = toSdlError(thrown);
      this.#end(error);
      throw error;
    }
  }

  async return(): Promise<Result> {
    this.#end(undefined);
    return DONE;
  }

  async #begin(): Promise<void> {
    const { call, begin } = this.#options;
    const begun = await begin(this.#onAbort);
    this.#begun = begun;
    if (this.#isOver) {
      // Who has left in the meantime gives back only now what it was given.
      begun.end(undefined);
      return;
    }
    call.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (call.signal.aborted) this.#onAbort();
    this.#steps = begun.steps(this.#stop)[Symbol.asyncIterator]();
  }

  #end(error: SdlError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.call.signal.removeEventListener('abort', this.#onAbort);
    // Not waited for: it may wait for an event that never comes.
    void Promise.resolve(this.#steps?.return?.()).catch(() => undefined);
    this.#begun?.end(error);
  }
}
