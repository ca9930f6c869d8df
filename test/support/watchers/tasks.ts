// Owns tasks that emit when they are told to, and watchers that know what each event must be.

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import type { TaskEvent, TaskStep } from '../../../src/tasks/event.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { start } from '../agents/tasks.ts';

export interface TaskPlace {
  readonly store: 'memory' | 'sqlite' | 'postgres';
  /** The path of a file to be made, or the address of a server. */
  readonly place: string;
  /** What the names of schemas begin with. @default 'watchers' */
  readonly schema?: string;
  readonly tasks: number;
}

const OWNER = 'did:key:owner';
const EVENT_CHARACTERS = 960;
/** Every task is submitted and then at work. */
export const FIRST_EVENTS = 2;

/** The tasks of one engine, each of which emits its next event when it is told to. */
export class WatchedTasks {
  readonly #engine: TaskEngine;
  readonly #store: Store;
  readonly #ids: readonly string[];
  /** Tells each task whether to go on; full when all of them wait for that. */
  #waiting: ((isGoingOn: boolean) => void)[] = [];
  #onAllWaiting: () => void = () => undefined;

  private constructor(store: Store, ids: readonly string[]) {
    this.#store = store;
    this.#ids = ids;
    this.#engine = createTaskEngine({
      store,
      // Some places are not for them.
      maxConcurrent: 2 * ids.length,
      maxConcurrentPerOwner: ids.length,
      onTask: async (task, ctx) => {
        for (let event = 1; await this.#turn(); event += 1) {
          await ctx.progress(textOf(task.id, event));
        }
      },
    });
  }

  static async start(load: TaskPlace, name: string): Promise<WatchedTasks> {
    const ids = Array.from({ length: load.tasks }, (_, at) => `${name}-${at}`);
    const tasks = new WatchedTasks(await openStore(load, name), ids);
    await tasks.#whenAllWait(() => {
      for (const id of ids) void start(tasks.#engine, { owner: OWNER, id });
    });
    return tasks;
  }

  /** Resolves when each task has stored one more event. */
  emit(): Promise<void> {
    return this.#whenAllWait(() => {
      for (const tell of this.#waiting.splice(0)) tell(true);
    });
  }

  end(): void {
    for (const tell of this.#waiting.splice(0)) tell(false);
  }

  /** Each of them has read the first event; task after task, so that a server has time for all. */
  async watch(perTask: number): Promise<Watcher[]> {
    const watchers: Watcher[] = [];
    for (const id of this.#ids) {
      const own = Array.from(
        { length: perTask },
        () => new Watcher(id, this.#engine.follow({ owner: OWNER }, id, 0)[Symbol.asyncIterator]()),
      );
      await Promise.all(own.map((watcher) => watcher.readTo(1)));
      watchers.push(...own);
    }
    return watchers;
  }

  async close(): Promise<void> {
    this.end();
    await this.#engine.close();
    await this.#store.close();
  }

  #turn(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === this.#ids.length) this.#onAllWaiting();
    });
  }

  #whenAllWait(begin: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#onAllWaiting = resolve;
      begin();
    });
  }
}

export class Watcher {
  /** Every event was the one that follows in the log. */
  isRight = true;
  readonly #id: string;
  readonly #steps: AsyncIterator<TaskStep>;
  /** First comes the task as it was before its first event. */
  #seen = -1;
  #coming: Promise<IteratorResult<TaskStep>> | undefined;

  constructor(id: string, steps: AsyncIterator<TaskStep>) {
    this.#id = id;
    this.#steps = steps;
  }

  /** Begins to wait for the next event. */
  await(): void {
    this.#coming ??= this.#steps.next();
  }

  async readTo(generation: number): Promise<void> {
    while (this.#seen < generation) {
      this.await();
      const { done, value } = await this.#coming!;
      this.#coming = undefined;
      this.#seen += 1;
      if (done === true || !isStepAt(value, this.#id, this.#seen)) this.isRight = false;
    }
  }

  async hasEnded(): Promise<boolean> {
    return (await this.#steps.next()).done === true;
  }

  async leave(): Promise<void> {
    await this.#steps.return?.();
  }
}

function textOf(id: string, event: number): string {
  return `${id} ${event} `.padEnd(EVENT_CHARACTERS, '.');
}

function isStepAt({ task, event }: TaskStep, id: string, generation: number): boolean {
  if (task.generation !== generation) return false;
  if (generation === 0) return event === undefined;
  return event !== undefined && isEventAt(event, id, generation);
}

function isEventAt(event: TaskEvent, id: string, generation: number): boolean {
  if (event.generation !== generation || event.type !== 'status') return false;
  const { state, message } = event.status;
  if (message !== undefined) {
    return state === 'working' && message.text === textOf(id, generation - FIRST_EVENTS);
  }
  const states = ['submitted', 'working'];
  return state === (states[generation - 1] ?? 'completed');
}

function openStore(
  { store, place, schema = 'watchers' }: TaskPlace,
  name: string,
): Store | Promise<Store> {
  if (store === 'memory') return createMemoryStore();
  if (store === 'sqlite') return openSqliteStore({ path: `${place}-${name}` });
  return openPostgresStore({ connection: place, schema: `${schema}_${name}` });
}
