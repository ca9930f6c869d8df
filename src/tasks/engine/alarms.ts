// Owns the moments at which something must happen to tasks that are worked on: one timer for all of them, because most
// tasks end long before theirs.

import type { SetTimer } from './timer.ts';

/** Something with a moment. */
export interface Alarm {
  /** Milliseconds since the epoch; Infinity for never. */
  readonly due: number;
  /** Called at that moment or later. It sets `due` anew. */
  ring(): void;
}

export class Alarms {
  readonly #now: () => number;
  readonly #setTimer: SetTimer;
  readonly #alarms = new Set<Alarm>();
  #setFor = Infinity;
  #callOff: () => void = () => undefined;

  constructor({ now, setTimer }: { readonly now: () => number; readonly setTimer: SetTimer }) {
    this.#now = now;
    this.#setTimer = setTimer;
  }

  /** New, or with another moment than before. */
  set(alarm: Alarm): void {
    this.#alarms.add(alarm);
    if (alarm.due < this.#setFor) this.#setTo(alarm.due);
  }

  delete(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    if (this.#alarms.size === 0) this.#setTo(Infinity);
  }

  #setTo(due: number): void {
    this.#callOff();
    this.#callOff = () => undefined;
    this.#setFor = due;
    if (due === Infinity) return;
    this.#callOff = this.#setTimer(() => this.#ring(), Math.max(0, due - this.#now()));
  }

  #ring(): void {
    this.#setFor = Infinity;
    this.#callOff = () => undefined;
    const now = this.#now();
    for (const alarm of this.#alarms) {
      if (alarm.due <= now) alarm.ring();
    }
    let next = Infinity;
    for (const { due } of this.#alarms) next = Math.min(next, due);
    if (next < this.#setFor) this.#setTo(next);
  }
}
