// Owns when a task starts: so many at once, and of those that wait first the one whose owner has fewest running.
// SPEC.md section 13 (#admit).

interface Waiting {
  readonly owner: string;
  readonly run: () => Promise<void>;
}

export interface TaskQueueOptions {
  /** Tasks that run at once. @default 64 */
  readonly maxConcurrent?: number;
  /** The same for one owner. @default 16 */
  readonly maxConcurrentPerOwner?: number;
}

export class TaskQueue {
  readonly #limits: Required<TaskQueueOptions>;
  readonly #waiting = new Set<Waiting>();
  readonly #runningByOwner = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();

  constructor(limits: Required<TaskQueueOptions>) {
    this.#limits = limits;
  }

  /** Calls `run`, which must not throw, when there is a place for it. What is returned takes it out of the queue. */
  enter(owner: string, run: () => Promise<void>): () => void {
    const waiting: Waiting = { owner, run };
    this.#waiting.add(waiting);
    this.#fill();
    return () => void this.#waiting.delete(waiting);
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #fill(): void {
    while (this.#running.size < this.#limits.maxConcurrent) {
      const next = this.#choose();
      if (next === undefined) return;
      this.#waiting.delete(next);
      this.#start(next);
    }
  }

  #choose(): Waiting | undefined {
    let best: Waiting | undefined;
    let fewest = this.#limits.maxConcurrentPerOwner;
    for (const waiting of this.#waiting) {
      const running = this.#runningByOwner.get(waiting.owner) ?? 0;
      if (running >= fewest) continue;
      best = waiting;
      fewest = running;
      if (running === 0) break;
    }
    return best;
  }

  #start({ owner, run }: Waiting): void {
    this.#runningByOwner.set(owner, (this.#runningByOwner.get(owner) ?? 0) + 1);
    const running = run().then(() => {
      this.#running.delete(running);
      const left = this.#runningByOwner.get(owner)! - 1;
      if (left === 0) this.#runningByOwner.delete(owner);
      else this.#runningByOwner.set(owner, left);
      this.#fill();
    });
    this.#running.add(running);
  }
}
