// Time that passes only when a test says so, and promises that a test settles.

import type { SetTimer } from '../../../src/tasks/engine/timer.ts';

export const START_MS = 1_000_000;

export class TestTime {
  now: number = START_MS;
  readonly #timers = new Map<() => void, number>();

  readonly setTimer: SetTimer = (callback, delayMs) => {
    this.#timers.set(callback, this.now + delayMs);
    return () => void this.#timers.delete(callback);
  };

  get waiting(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [callback, due] of this.#timers) {
      if (due > this.now) continue;
      this.#timers.delete(callback);
      callback();
    }
  }
}

export class Gate {
  open: () => void = () => undefined;
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}
