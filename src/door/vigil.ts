// Owns that rights which are taken away end what goes on by them: streams and handlers within a second, tasks as soon as
// their engine looks. Nothing has to tell it of a change: it asks the rights of everybody who is here. SPEC.md section 13
// (#rights-at-use).

import { SdlError } from '../errors.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import type { Asker } from './permission.ts';
import type { Wish } from './rights.ts';

export interface VigilOptions {
  /** What others may have changed is read before anybody is asked. */
  readonly refresh: () => Promise<unknown>;
  /** May it still do one of these? */
  readonly mayStay: (asker: Asker, wishes: readonly Wish[]) => boolean;
  /** Ends the tasks that may not go on. */
  readonly endTasks: () => Promise<void>;
  readonly setTimer: SetTimer;
  readonly onError: (cause: unknown) => void;
}

/** One stream that somebody takes, or one message that is worked on. */
export interface Stay {
  /** Set once it may not go on. */
  readonly refusal: SdlError | undefined;
  /** Ends it; only the first reason counts. */
  refuse(reason: SdlError): void;
  leave(): void;
}

const EVERY_MS = 1_000;

export class Vigil {
  readonly #options: VigilOptions;
  readonly #stays = new Set<OneStay>();
  #callOff: (() => void) | undefined;
  #isClosed = false;
  #isStale = false;

  constructor(options: VigilOptions) {
    this.#options = options;
  }

  /** From now on tasks are looked after too. */
  open(): void {
    if (this.#callOff !== undefined || this.#isClosed) return;
    this.#callOff = this.#options.setTimer(() => void this.#look(), EVERY_MS);
  }

  /**
   * @param askers all of them have to be allowed it.
   * @param wishes one of them is enough for it to stay.
   * @param onRefused called once, when it may not go on.
   */
  enter(
    askers: readonly Asker[],
    wishes: readonly Wish[],
    onRefused: (reason: SdlError) => void,
  ): Stay {
    const stay = new OneStay(askers, wishes, onRefused, this.#stays);
    this.#stays.add(stay);
    return stay;
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
  }

  async #look(): Promise<void> {
    this.#callOff = undefined;
    try {
      await this.#refresh();
      for (const stay of this.#stays) {
        const mayStay = (asker: Asker): boolean => this.#options.mayStay(asker, stay.wishes);
        if (!stay.askers.every(mayStay)) stay.refuse(takenAway());
      }
      await this.#options.endTasks();
    } catch (cause) {
      this.#options.onError(cause);
    }
    this.open();
  }

  /** Where that fails, what is known so far counts, and the first failure of a row is told. */
  async #refresh(): Promise<void> {
    try {
      await this.#options.refresh();
      this.#isStale = false;
    } catch (cause) {
      if (!this.#isStale) this.#options.onError(cause);
      this.#isStale = true;
    }
  }
}

/** Of somebody whose rights have ended. */
export function takenAway(): SdlError {
  return new SdlError('NOT_AUTHORIZED', 'the rights of the caller were taken away');
}

class OneStay implements Stay {
  readonly askers: readonly Asker[];
  readonly wishes: readonly Wish[];
  readonly #onRefused: (reason: SdlError) => void;
  readonly #all: Set<OneStay>;
  refusal: SdlError | undefined;

  constructor(
    askers: readonly Asker[],
    wishes: readonly Wish[],
    onRefused: (reason: SdlError) => void,
    all: Set<OneStay>,
  ) {
    this.askers = askers;
    this.wishes = wishes;
    this.#onRefused = onRefused;
    this.#all = all;
  }

  refuse(reason: SdlError): void {
    if (this.refusal !== undefined) return;
    this.refusal = reason;
    this.leave();
    this.#onRefused(reason);
  }

  leave(): void {
    this.#all.delete(this);
  }
}
