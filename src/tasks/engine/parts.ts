// Owns the parts of an ended task that other agents still work on. The engine that ended the task tells those agents;
// if it cannot, any engine tries again until each was told. SPEC.md section 9 (#task-delegation).

import { decodeUtf8 } from '../../codec/utf8.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { TaskRow } from '../log/row.ts';
import { PARTS_SPACE } from '../log/table.ts';
import type { TaskTable } from '../log/table.ts';
import { isTerminal } from '../task.ts';

const PAGE = 100;
/** Tasks whose parts are ended at the same time by {@link TaskParts.look}. */
const MAX_AT_ONCE = 16;
const LONGEST_PAUSE_MS = 300_000;

interface Pause {
  readonly delayMs: number;
  readonly until: number;
}

export class TaskParts {
  readonly #engine: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #telling = new Map<string, Promise<void>>();
  /** How long to wait before the next try, for each task with an agent that could not be told. */
  readonly #pauses = new Map<string, Pause>();

  constructor(engine: ResolvedEngineOptions, table: TaskTable) {
    this.#engine = engine;
    this.#table = table;
  }

  /** The task has ended just now. */
  end(key: string, { hasParts }: TaskRow): void {
    if (hasParts === true) this.#tell(key);
  }

  /** Looks once at every ended task with agents that still have to be told. */
  async look(isStopped: () => boolean): Promise<void> {
    const { now, leaseMs } = this.#engine;
    for (let after: string | undefined; ;) {
      const page = await this.#table.store.list(PARTS_SPACE, { after, limit: PAGE });
      for (const { key, value } of page.entries) {
        if (isStopped() || this.#telling.size >= MAX_AT_ONCE) return;
        // The engine that ended the task goes first.
        const due = this.#pauses.get(key)?.until ?? Number(decodeUtf8(value)) + leaseMs;
        if (due <= now()) this.#tell(key);
      }
      if (page.next === undefined) return;
      after = page.next;
    }
  }

  /** Resolves when nobody is being told any more, or after `delayMs`: what was not done is done later. */
  idleWithin(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#engine.setTimer(resolve, delayMs);
      void this.#idle().then(() => {
        callOff();
        resolve();
      });
    });
  }

  async #idle(): Promise<void> {
    while (this.#telling.size > 0) await Promise.all(this.#telling.values());
  }

  #tell(key: string): void {
    if (this.#telling.has(key)) return;
    const telling = this.#tellAll(key)
      .catch((cause: unknown) => this.#engine.onError(cause))
      .finally(() => this.#telling.delete(key));
    this.#telling.set(key, telling);
  }

  async #tellAll(key: string): Promise<void> {
    const { store } = this.#table;
    const { endParts, now, recoverEveryMs } = this.#engine;
    const mark = await store.get(PARTS_SPACE, key);
    if (mark === undefined) return;
    const task = await this.#table.load(key);
    // If the task was removed, or another one has taken its id, nobody knows any more which agents to tell.
    const isKnown = task !== undefined && isTerminal(task.state);
    if (isKnown && !(await endParts(task))) {
      const delayMs = Math.min(
        (this.#pauses.get(key)?.delayMs ?? recoverEveryMs / 2) * 2,
        LONGEST_PAUSE_MS,
      );
      this.#pauses.set(key, { delayMs, until: now() + delayMs });
      return;
    }
    this.#pauses.delete(key);
    await store.delete(PARTS_SPACE, key, { ifVersion: mark.version });
  }
}
