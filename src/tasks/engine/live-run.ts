// Owns work on one task under one lease: what its author reports, asks and keeps; its deadline; its end.

import type { JsonValue } from '../../codec/value.ts';
import { writeJson } from '../../codec/json/write.ts';
import { SdlError } from '../../errors.ts';
import type { RunControls } from '../context.ts';
import { TaskError } from '../error.ts';
import { judge } from '../events.ts';
import type { StatusChange, TaskChange, TaskEvent } from '../events.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { Lease, LeaseKeeper } from './lease.ts';
import { OutputTally } from './output.ts';
import type { Place } from './queue.ts';
import type { TaskRow } from '../log/row.ts';
import { summaryOf } from '../log/row.ts';
import type { Checkpoint, TaskTable } from '../log/table.ts';
import { TaskWriter } from './writer.ts';
import { contentWeight } from '../artifact.ts';
import { isTerminal, isWaiting } from '../task.ts';
import type { Task } from '../task.ts';

/** What an event takes beside its content. */
export const EVENT_WEIGHT = 256;

export interface LiveRunOptions {
  readonly key: string;
  /** As it begins: its newest event says so. */
  readonly task: Task;
  readonly row: TaskRow;
  readonly lease: Lease;
  readonly place: Place;
  readonly checkpoint: Checkpoint | undefined;
  readonly table: TaskTable;
  readonly leases: LeaseKeeper;
  readonly engine: ResolvedEngineOptions;
  /** Is there room for so much more of this task? */
  readonly charge: (bytes: number) => boolean;
}

interface Question {
  readonly resolve: (reply: JsonValue) => void;
  readonly reject: (cause: unknown) => void;
}

export class LiveRun implements RunControls {
  readonly #options: LiveRunOptions;
  readonly #stop = new AbortController();
  readonly #writer: TaskWriter;
  #tally: OutputTally;
  #checkpoint: Checkpoint | undefined;
  /** The replies that earlier attempts got. A new attempt that asks again gets the same ones. */
  #replies: JsonValue[];
  #answered: number;
  #question: Question | undefined;
  #isEnding = false;
  #armedFor: number | undefined;
  #toldState: string | undefined;
  #callOffDeadline: () => void = () => undefined;

  constructor(options: LiveRunOptions) {
    const { key, row, lease, table, leases, task, checkpoint, engine } = options;
    this.#options = options;
    this.#checkpoint = checkpoint;
    this.#tally = new OutputTally(engine, task.artifacts);
    this.#answered = checkpoint?.answered ?? 0;
    this.#replies = repliesIn(task).slice(this.#answered);
    this.#writer = new TaskWriter({
      key,
      row,
      lease,
      table,
      leases,
      now: engine.now,
      setTimer: engine.setTimer,
      onChange: (next, foreign) => this.#onChange(next, foreign),
      onOver: (cause) => this.#onOver(cause),
    });
    this.#arm(row);
    this.#tellState(row);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get deadline(): number {
    return this.#writer.row.deadline ?? Infinity;
  }

  get attempt(): number {
    return this.#writer.row.attempt;
  }

  get restored(): JsonValue | undefined {
    return this.#checkpoint?.value;
  }

  get row(): TaskRow {
    return this.#writer.row;
  }

  /** Nothing can be written any more. */
  get isOver(): boolean {
    return this.#writer.isOver;
  }

  /** It holds its place, or needs none any more. */
  get isAtWork(): boolean {
    return this.#options.place.isHeld || this.isOver || this.signal.aborted;
  }

  report(change: TaskChange): Promise<TaskEvent | undefined> {
    if (this.#isEnding || this.isOver || !this.#tally.admit(change, this.#writer.pending)) {
      return Promise.resolve(undefined);
    }
    const isOutput = change.type === 'artifact';
    if (!this.#options.charge(EVENT_WEIGHT + (isOutput ? contentWeight(change.artifact) : 0))) {
      if (!isOutput) return Promise.resolve(undefined);
      throw noRoom();
    }
    return this.#writer.write(change);
  }

  async ask(question: JsonValue, kind: 'input' | 'auth'): Promise<JsonValue> {
    if (this.#replies.length > 0) {
      this.#answered += 1;
      return this.#replies.shift()!;
    }
    if (this.#question !== undefined) throw new TypeError('"ask" is waiting for a reply already');
    this.#stop.signal.throwIfAborted();
    this.#weigh(question);
    const { engine, place } = this.#options;
    let asked: Question | undefined;
    const reply = new Promise<JsonValue>((resolve, reject) => {
      this.#question = asked = { resolve, reject };
    });
    // It may be answered or called off before the question is known to be stored.
    reply.catch(() => undefined);
    const state = kind === 'input' ? 'input-required' : 'auth-required';
    const deadline = earliest(engine.now() + engine.maxWaitMs, this.row.latest);
    await this.#writer.write({ type: 'status', state, question, deadline });
    if (this.#question === asked) place.pause();
    const answer = await reply;
    await Promise.race([place.resume(), aborted(this.#stop.signal)]);
    this.#answered += 1;
    return answer;
  }

  /** Nobody waits for the reply any more. */
  dropQuestion(): void {
    this.#reject(new TaskError('the attempt is over'));
  }

  /** Resolves when it has its place again, or must stop. */
  async resume(): Promise<void> {
    await Promise.race([this.#options.place.resume(), aborted(this.signal)]).catch(() => undefined);
  }

  keep(value: JsonValue): Promise<void> {
    const { maxCheckpointBytes } = this.#options.engine;
    if (writeJson(value).length > maxCheckpointBytes) {
      throw new TaskError(`the checkpoint is larger than ${maxCheckpointBytes} bytes`, {
        code: 'CHECKPOINT_TOO_LARGE',
      });
    }
    if (this.#isEnding) return Promise.resolve();
    this.#checkpoint = { value, ...this.#tally.standing, answered: this.#answered };
    return this.#writer.keep(this.#checkpoint);
  }

  /**
   * Ends the task, after all that was reported. Only the first end counts, no matter who made it. An equal second end
   * changes nothing; a different one is refused and goes to the log.
   */
  async end(change: StatusChange): Promise<void> {
    if (this.#isEnding) await this.#writer.settled();
    else await this.#end(change);
    const { state } = this.row;
    if (!isTerminal(state) || judge(this.row, change) !== 'refused') return;
    const reason = `the task is ${state} already: that its run ended as ${change.state} does not count`;
    this.#options.engine.onError(new SdlError('TASK_CONFLICT', reason), summaryOf(this.row));
  }

  /** Waits without a place at work; ends early, by throwing, when the run must stop. */
  async rest(delayMs: number): Promise<void> {
    const { place, engine } = this.#options;
    place.pause();
    const elapsed = new Promise<void>((resolve) => {
      const callOff = engine.setTimer(resolve, delayMs);
      this.signal.addEventListener('abort', callOff, { once: true });
    });
    await Promise.race([elapsed, aborted(this.signal)]);
    await Promise.race([place.resume(), aborted(this.signal)]);
  }

  /** Begins another attempt, after an error that asked for one. Returns the task as the new attempt finds it. */
  async again(): Promise<Task | undefined> {
    const { key, engine, table, leases } = this.#options;
    await this.#writer.settled();
    const deadline = earliest(engine.now() + engine.maxRunMs, this.row.latest);
    const attempt = this.attempt + 1;
    const { keep = [], open = [] } = this.#checkpoint ?? {};
    const failures = this.row.failures + 1;
    await this.#writer.write(
      { type: 'status', state: 'working', attempt, deadline, keep, open },
      { failures },
    );
    const { done: task } = await leases.retry(() => table.load(key));
    if (task === undefined || this.isOver) return undefined;
    this.#tally = new OutputTally(engine, task.artifacts);
    this.#answered = this.#checkpoint?.answered ?? 0;
    this.#replies = repliesIn(task).slice(this.#answered);
    return task;
  }

  /** Somebody has written up to this generation. */
  async lookFor(generation: number): Promise<void> {
    this.#writer.lookFor(generation);
    await this.#writer.settled();
  }

  /** Tells the author to stop, because this agent does. What it still reports and keeps is stored. */
  interrupt(): void {
    this.#abort(new TaskError('the agent stops'));
  }

  /** Gives the task back for somebody else to go on with. */
  release(): Promise<void> {
    return this.#writer.release();
  }

  /** Gives up: somebody else may have the task, or the store cannot take what is written. */
  abandon(cause: unknown): void {
    this.#writer.abandon(cause);
  }

  #onChange(row: TaskRow, foreign: readonly TaskEvent[]): void {
    this.#arm(row);
    this.#tellState(row);
    // An end is counted by the engine that wrote it.
    if (foreign.length === 0) this.#options.engine.census.countEnd(row.state);
    for (const event of foreign) {
      if (event.type !== 'reply') continue;
      this.#question?.resolve(event.reply);
      this.#question = undefined;
    }
  }

  #tellState(row: TaskRow): void {
    const state = `${row.state} ${row.attempt}`;
    if (state === this.#toldState) return;
    this.#toldState = state;
    this.#options.engine.onState(summaryOf(row));
  }

  #onOver(cause: unknown): void {
    this.#callOffDeadline();
    const { state } = this.row;
    if (cause !== undefined) this.#options.engine.onError(cause, summaryOf(this.row));
    const reason = isTerminal(state) ? `the task is ${state}` : 'the agent lost the task';
    this.#abort(new TaskError(reason, cause === undefined ? {} : { cause }));
  }

  #abort(reason: TaskError): void {
    this.#stop.abort(reason);
    this.#reject(reason);
  }

  #reject(reason: TaskError): void {
    this.#question?.reject(reason);
    this.#question = undefined;
  }

  async #end(change: StatusChange): Promise<void> {
    this.#isEnding = true;
    // The writer reports this error when it gives up.
    await this.#writer.write(change).catch(() => undefined);
  }

  #weigh(question: JsonValue): void {
    const { engine, charge } = this.#options;
    const bytes = writeJson(question).length;
    if (bytes > engine.maxOutputBytes) {
      throw new TaskError(`the question is larger than ${engine.maxOutputBytes} bytes`, {
        code: 'QUESTION_TOO_LARGE',
      });
    }
    if (!charge(EVENT_WEIGHT + bytes)) throw noRoom();
  }

  #arm({ deadline, state }: TaskRow): void {
    if (deadline === this.#armedFor || deadline === undefined || isTerminal(state)) return;
    const { setTimer, now } = this.#options.engine;
    this.#armedFor = deadline;
    this.#callOffDeadline();
    this.#callOffDeadline = setTimer(
      () => {
        this.#armedFor = undefined;
        if (now() < deadline) this.#arm(this.row);
        else if (!this.#isEnding) void this.#end(lateness(this.row, this.#options.engine));
      },
      Math.max(0, deadline - now()),
    );
  }
}

/** How a task ends that has not ended in time. */
export function lateness(
  { state, latest }: TaskRow,
  { now, maxRunMs, maxWaitMs }: Pick<ResolvedEngineOptions, 'now' | 'maxRunMs' | 'maxWaitMs'>,
): StatusChange {
  let message = `the task ran longer than ${maxRunMs} ms`;
  if (latest !== undefined && latest <= now()) message = 'the deadline of the task has passed';
  else if (isWaiting(state)) message = `nobody answered the task within ${maxWaitMs} ms`;
  return { type: 'status', state: 'failed', failure: { code: 'DEADLINE', message } };
}

export function earliest(moment: number, latest: number | undefined): number {
  return latest === undefined ? moment : Math.min(moment, latest);
}

function noRoom(): TaskError {
  return new TaskError('the agent holds too much output', { code: 'OUTPUT_TOO_LARGE' });
}

function repliesIn({ history }: Task): JsonValue[] {
  return history.filter(({ role }) => role === 'owner').map(({ content }) => content);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
