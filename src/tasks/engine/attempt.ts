// Owns one attempt at a task as its author sees it. Code that still runs after the end of the attempt can report
// nothing. An author that goes on working while its question is open takes a place at work again.

import type { JsonValue } from '../../codec/value.ts';
import type { RunControls } from '../context.ts';
import { TaskError } from '../error.ts';
import type { TaskChange, TaskEvent } from '../events.ts';
import type { LiveRun } from './live-run.ts';

export class Attempt implements RunControls {
  readonly #run: LiveRun;
  readonly attempt: number;
  readonly restored: JsonValue | undefined;
  #isOver = false;

  constructor(run: LiveRun) {
    this.#run = run;
    this.attempt = run.attempt;
    this.restored = run.restored;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get deadline(): number {
    return this.#run.deadline;
  }

  report(change: TaskChange): Promise<TaskEvent | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    return this.#atWork(this.#run.report(change));
  }

  ask(question: JsonValue, kind: 'input' | 'auth'): Promise<JsonValue> {
    if (this.#isOver) return Promise.reject(new TaskError('the attempt is over'));
    return this.#run.ask(question, kind);
  }

  keep(value: JsonValue): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return this.#atWork(this.#run.keep(value));
  }

  /** The author is done, well or not. A reply that comes now is for the next attempt. */
  end(): void {
    this.#isOver = true;
    this.#run.dropQuestion();
  }

  /** An author that reports is working, even if its question is still open: so it needs its place at work again. */
  #atWork<T>(reported: Promise<T>): Promise<T> {
    if (this.#run.isAtWork) return reported;
    // It may fail before anybody looks at it.
    reported.catch(() => undefined);
    return this.#run.resume().then(() => reported);
  }
}
