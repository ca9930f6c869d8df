// Owns following one task from any generation until it has ended or is gone. A follower keeps only its place in the
// log, so a slow one costs no memory. SPEC.md section 8 (#exchange, #task-ids).

import type { LogRecord, Store } from '../../stores/store.ts';
import type { TaskEvent } from '../events.ts';
import { decodeEvent } from './record.ts';
import type { TaskRow } from './row.ts';
import { isTerminal } from '../task.ts';

export interface FollowedTask {
  readonly store: Store;
  readonly log: string;
  /** The task as it is now; `undefined` ends it. */
  readonly find: () => Promise<TaskRow | undefined>;
  /** Told when somebody begins and ends to follow. */
  readonly count: (by: 1 | -1) => void;
}

/** Records that are read at once when nobody waits for new ones any more. */
const LAST_PAGE = 16;

/** Every event after `after`, then each new one. When `signal` aborts it goes on until it has caught up. */
export function followTask(
  task: FollowedTask,
  after: number,
  signal: AbortSignal | undefined,
): AsyncIterable<TaskEvent> {
  return { [Symbol.asyncIterator]: () => new Follower(task, after, signal) };
}

class Follower implements AsyncIterator<TaskEvent, undefined> {
  readonly #task: FollowedTask;
  readonly #signal: AbortSignal | undefined;
  readonly #events: AsyncGenerator<TaskEvent, undefined>;
  #records: AsyncIterator<LogRecord> | undefined;
  #isDue = false;

  constructor(task: FollowedTask, after: number, signal: AbortSignal | undefined) {
    this.#task = task;
    this.#signal = signal;
    this.#events = this.#follow(after);
  }

  next(): Promise<IteratorResult<TaskEvent, undefined>> {
    return this.#events.next();
  }

  /** The `return` of a plain generator would wait for the next event, which may never come. */
  return(): Promise<IteratorResult<TaskEvent, undefined>> {
    this.#end();
    return this.#events.return(undefined);
  }

  async *#follow(after: number): AsyncGenerator<TaskEvent, undefined> {
    const { store, log, find, count } = this.#task;
    count(1);
    const onAbort = (): void => this.#end();
    if (this.#signal?.aborted === true) onAbort();
    this.#signal?.addEventListener('abort', onAbort);
    try {
      const row = await find();
      if (row === undefined) return undefined;
      let next = Math.min(after, row.generation);
      // A log that has ended grows no more.
      if (isTerminal(row.state) && row.generation === next) return undefined;
      if (!this.#isDue) this.#records = store.watch(log, next)[Symbol.asyncIterator]();
      for (let step = await this.#records?.next(); step?.done === false;) {
        const event = decodeEvent(step.value);
        next = event.generation;
        yield event;
        if (isEnd(event)) return undefined;
        step = await this.#records!.next();
      }
      // The watch ended by itself: the log is gone.
      if (!this.#isDue) return undefined;
      for (;;) {
        const records = await store.read(log, next, LAST_PAGE);
        if (records.length === 0) return undefined;
        for (const record of records) {
          const event = decodeEvent(record);
          next = event.generation;
          yield event;
          if (isEnd(event)) return undefined;
        }
      }
    } finally {
      count(-1);
      this.#signal?.removeEventListener('abort', onAbort);
      this.#end();
    }
  }

  #end(): void {
    this.#isDue = true;
    void this.#records?.return?.();
  }
}

function isEnd(event: TaskEvent): boolean {
  return event.type === 'status' && isTerminal(event.state);
}
