// Owns that rights which are taken away end what goes on by them: streams within a second, tasks as soon as their engine
// looks. Nothing has to tell it of a change: it asks the rights of everybody who is here. SPEC.md section 13 (#rights-at-use).

import { SdlError } from '../errors.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import type { Asker } from './permission.ts';

export interface VigilOptions {
  /** May it still be told of tasks? */
  readonly mayStay: (asker: Asker) => boolean;
  /** Ends the tasks that may not go on. */
  readonly endTasks: () => Promise<void>;
  readonly setTimer: SetTimer;
  readonly onError: (cause: unknown) => void;
}

/** One stream that somebody takes. */
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

  constructor(options: VigilOptions) {
    this.#options = options;
  }

  /** From now on tasks are looked after too. */
  open(): void {
    if (this.#callOff !== undefined || this.#isClosed) return;
    this.#callOff = this.#options.setTimer(() => void this.#look(), EVERY_MS);
  }

  /** @param onRefused called once, when it may not go on. */
  enter(asker: Asker, onRefused: () => void): Stay {
    const stay = new OneStay(asker, onRefused, this.#stays);
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
      for (const stay of this.#stays) {
        if (!this.#options.mayStay(stay.asker)) stay.refuse(takenAway());
      }
      await this.#options.endTasks();
    } catch (cause) {
      this.#options.onError(cause);
    }
    this.open();
  }
}

/** Of somebody whose rights have ended. */
export function takenAway(): SdlError {
  return new SdlError('NOT_AUTHORIZED', 'the rights of the caller were taken away');
}

class OneStay implements Stay {
  readonly asker: Asker;
  readonly #onRefused: () => void;
  readonly #all: Set<OneStay>;
  refusal: SdlError | undefined;

  constructor(asker: Asker, onRefused: () => void, all: Set<OneStay>) {
    this.asker = asker;
    this.#onRefused = onRefused;
    this.#all = all;
  }

  refuse(reason: SdlError): void {
    if (this.refusal !== undefined) return;
    this.refusal = reason;
    this.leave();
    this.#onRefused();
  }

  leave(): void {
    this.#all.delete(this);
  }
}
