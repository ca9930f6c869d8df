// Owns tasks that emit when they are told to, and watchers that know what each event must be.

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEvent } from '../../../src/tasks/events.ts';
import { parseTaskRequest } from '../../../src/tasks/request.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';

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
      maxConcurrent: ids.length,
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
      for (const id of ids) void tasks.#engine.start({ owner: OWNER, id, request: REQUEST });
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
        () => new Watcher(id, this.#engine.events(OWNER, id, 0)[Symbol.asyncIterator]()),
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
  readonly #events: AsyncIterator<TaskEvent>;
  #seen = 0;
  #coming: Promise<IteratorResult<TaskEvent>> | undefined;

  constructor(id: string, events: AsyncIterator<TaskEvent>) {
    this.#id = id;
    this.#events = events;
  }

  /** Begins to wait for the next event. */
  await(): void {
    this.#coming ??= this.#events.next();
  }

  async readTo(generation: number): Promise<void> {
    while (this.#seen < generation) {
      this.await();
      const { done, value } = await this.#coming!;
      this.#coming = undefined;
      this.#seen += 1;
      if (done === true || !isEventAt(value, this.#id, this.#seen)) this.isRight = false;
    }
  }

  async hasEnded(): Promise<boolean> {
    return (await this.#events.next()).done === true;
  }

  async leave(): Promise<void> {
    await this.#events.return?.();
  }
}

const REQUEST = parseTaskRequest({
  kind: 'task.v1',
  goal: 'report',
  inputs: {},
  constraints: { time_budget_s: 60, compute_budget: 'low', safety: {} },
  deliverables: [],
  acceptance: [],
  context: {},
});

function textOf(id: string, event: number): string {
  return `${id} ${event} `.padEnd(EVENT_CHARACTERS, '.');
}

function isEventAt(event: TaskEvent, id: string, generation: number): boolean {
  if (event.generation !== generation) return false;
  if (event.type === 'progress') {
    return event.progress.message === textOf(id, generation - FIRST_EVENTS);
  }
  const states = ['submitted', 'working'];
  return event.type === 'status' && event.state === (states[generation - 1] ?? 'completed');
}

function openStore(
  { store, place, schema = 'watchers' }: TaskPlace,
  name: string,
): Store | Promise<Store> {
  if (store === 'memory') return createMemoryStore();
  if (store === 'sqlite') return openSqliteStore({ path: `${place}-${name}` });
  return openPostgresStore({ connection: place, schema: `${schema}_${name}` });
}
