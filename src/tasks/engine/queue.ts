// Owns when a task is worked on. A bounded number run at once, strangers together at most half of them, and some places
// are for the operator and known callers alone. The owner with the fewest tasks at work goes first, and among the tasks
// of one owner the most urgent, then the oldest. SPEC.md section 13 (#admit).

import type { ShareClass } from '../share.ts';
import { classLimit, strangersLimit } from './shares.ts';

export interface TaskQueueOptions {
  /** Tasks that are worked on at once; known callers get seven in eight of the places, strangers half. @default 128 */
  readonly maxConcurrent?: number;
  /** The same for one owner. @default 16 */
  readonly maxConcurrentPerOwner?: number;
}

/** The right to work. */
export interface Place {
  readonly isHeld: boolean;
  /** Gives it away while there is nothing to do. */
  pause(): void;
  /** Resolves when the place is there again, at once if it was not given away. Repeated calls take only one place. */
  resume(): Promise<void>;
  /** Gives it away for good: nobody works any more, and nothing takes it again. */
  leave(): void;
}

/** Whose place it is. */
export interface PlaceOwner {
  readonly owner: string;
  readonly share: ShareClass;
}

interface Waiting extends PlaceOwner {
  readonly priority: number;
  readonly order: number;
  readonly grant: () => void;
}

/** The priority of a task that was interrupted: it goes before all tasks that have not begun. */
const RESUMED = Number.POSITIVE_INFINITY;

export class TaskQueue {
  readonly #limits: Required<TaskQueueOptions>;
  /** By owner, each list in the order in which they will begin. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #runningByOwner = new Map<string, number>();
  #running = 0;
  #strangers = 0;
  #waitingCount = 0;
  #order = 0;
  #isStopped = false;

  constructor(limits: Required<TaskQueueOptions>) {
    this.#limits = limits;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waitingCount;
  }

  waitingOf(owner: string): number {
    return this.#waiting.get(owner)?.length ?? 0;
  }

  /** A place at once, if there is one: for those who wait there is none. */
  tryEnter(who: PlaceOwner): Place | undefined {
    if (this.#isStopped || !this.#hasRoom(who)) return undefined;
    this.#count(who, 1);
    return this.#place(who);
  }

  /** Calls `begin` when there is a place. What is returned takes it out of the queue. */
  enter(who: PlaceOwner, priority: number, begin: (place: Place) => void): () => void {
    return this.#wait(who, priority, () => begin(this.#place(who)));
  }

  /** Nobody gets a place any more, except to go on. */
  stop(): void {
    this.#isStopped = true;
  }

  #place(who: PlaceOwner): Place {
    let isHeld = true;
    let coming: Promise<void> | undefined;
    let stopWaiting: (() => void) | undefined;
    let hasLeft = false;
    const pause = (): void => {
      stopWaiting?.();
      coming = undefined;
      if (!isHeld) return;
      isHeld = false;
      this.#count(who, -1);
      this.#fill();
    };
    const waitAgain = (): Promise<void> =>
      new Promise((resolve) => {
        stopWaiting = this.#wait(who, RESUMED, () => {
          isHeld = true;
          resolve();
        });
      });
    return {
      get isHeld() {
        return isHeld;
      },
      pause,
      resume: () => (isHeld || hasLeft ? Promise.resolve() : (coming ??= waitAgain())),
      leave: () => {
        hasLeft = true;
        pause();
      },
    };
  }

  #wait({ owner, share }: PlaceOwner, priority: number, grant: () => void): () => void {
    const waiting: Waiting = { owner, share, priority, order: (this.#order += 1), grant };
    const own = this.#waiting.get(owner) ?? [];
    const at = own.findIndex((other) => other.priority < priority);
    own.splice(at < 0 ? own.length : at, 0, waiting);
    this.#waiting.set(owner, own);
    this.#waitingCount += 1;
    this.#fill();
    return () => this.#forget(waiting);
  }

  #forget(waiting: Waiting): boolean {
    const own = this.#waiting.get(waiting.owner);
    const at = own?.indexOf(waiting) ?? -1;
    if (own === undefined || at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(waiting.owner);
    this.#waitingCount -= 1;
    return true;
  }

  #hasRoom({ owner, share }: PlaceOwner): boolean {
    const { maxConcurrent, maxConcurrentPerOwner } = this.#limits;
    return (
      this.#running < classLimit(maxConcurrent, share) &&
      this.#runningOf(owner) < maxConcurrentPerOwner &&
      (share !== 'stranger' || this.#strangers < strangersLimit(maxConcurrent))
    );
  }

  #runningOf(owner: string): number {
    return this.#runningByOwner.get(owner) ?? 0;
  }

  #fill(): void {
    for (;;) {
      const next = this.#choose();
      if (next === undefined) return;
      this.#forget(next);
      this.#count(next, 1);
      next.grant();
    }
  }

  #choose(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const [first] of this.#waiting.values()) {
      if (!this.#hasRoom(first!) || (this.#isStopped && first!.priority !== RESUMED)) continue;
      if (best === undefined || this.#isBefore(first!, best)) best = first;
    }
    return best;
  }

  #isBefore(one: Waiting, other: Waiting): boolean {
    const difference = this.#runningOf(one.owner) - this.#runningOf(other.owner);
    return difference === 0 ? one.order < other.order : difference < 0;
  }

  #count({ owner, share }: PlaceOwner, change: 1 | -1): void {
    this.#running += change;
    if (share === 'stranger') this.#strangers += change;
    const left = this.#runningOf(owner) + change;
    if (left === 0) this.#runningByOwner.delete(owner);
    else this.#runningByOwner.set(owner, left);
  }
}
