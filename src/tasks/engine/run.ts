// Owns work on one task while it is held: its place at work, its deadline, its end, and what others write meanwhile.
// What its author holds in its hands is one attempt of it.

import { SdlError } from '../../errors.ts';
import type { Operation } from '../../stores/store.ts';
import { TaskError } from '../error.ts';
import { judge } from '../event.ts';
import type { StatusChange, TaskChange, TaskEvent } from '../event.ts';
import type { Folded } from '../log/fold.ts';
import type { TaskFeed } from '../log/feed.ts';
import type { TaskRow } from '../log/row.ts';
import { summaryOf } from '../log/row.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import type { Message } from '../message.ts';
import { messageWeight } from '../message.ts';
import { isTerminal, isWaiting } from '../task.ts';
import type { Alarm, Alarms } from './alarms.ts';
import { Attempt } from './attempt.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Holding } from './holding.ts';
import type { TaskHooks } from './hooks.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { OutputLimits } from './output.ts';
import type { Place } from './queue.ts';
import type { Shares } from './shares.ts';
import { TaskWriter } from './writer.ts';

/** What all runs of an engine share. */
export interface RunTools {
  readonly engine: ResolvedEngineOptions;
  readonly table: TaskTable;
  readonly feed: TaskFeed;
  readonly holding: Holding;
  readonly shares: Shares;
  readonly hooks: TaskHooks;
  readonly alarms: Alarms;
  readonly ending: (key: string, row: TaskRow) => readonly Operation[];
}

/** Only a run that was silent for so long watches what others write. Others learn of it from their own next write. */
const FOLLOW_AFTER_MS = 100;

export class Run implements Alarm {
  readonly #tools: RunTools;
  readonly #place: Place;
  readonly #writer: TaskWriter;
  #checkpoint: Checkpoint | undefined;
  #attempt: Attempt | undefined;
  #stop: AbortController | undefined;
  #reason: TaskError | undefined;
  #isStopped = false;
  #followAt: number;
  #isLate = false;
  #toldState: string | undefined;
  isEnding = false;

  /** @param stored as it begins: its newest event says so. */
  constructor(
    tools: RunTools,
    stored: StoredTask,
    place: Place,
    checkpoint: Checkpoint | undefined,
  ) {
    const { engine, table, feed, holding, shares, ending } = tools;
    this.#tools = tools;
    this.#place = place;
    this.#checkpoint = checkpoint;
    this.#followAt = engine.now() + FOLLOW_AFTER_MS;
    this.#writer = new TaskWriter({
      stored,
      table,
      feed,
      holding,
      shares,
      now: engine.now,
      ending,
      onChange: (row, foreign) => this.#onChange(row, foreign),
      onOver: (cause) => this.#onOver(cause),
    });
    tools.alarms.set(this);
    this.#tellState(stored.row);
  }

  /** Most authors never look at it: then none is made. */
  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      if (this.#isStopped) this.#stop.abort(this.#stopReason);
    }
    return this.#stop.signal;
  }

  get limits(): OutputLimits {
    return this.#tools.engine;
  }

  get deadline(): number {
    return this.row.deadline ?? Infinity;
  }

  get due(): number {
    return Math.min(this.#isLate ? Infinity : this.deadline, this.#followAt);
  }

  get row(): TaskRow {
    return this.#writer.row;
  }

  get pending(): number {
    return this.#writer.pending;
  }

  /** Nothing can be written any more. */
  get isOver(): boolean {
    return this.#writer.isOver;
  }

  /** It was told to stop. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** It holds its place, or needs none any more. */
  get isAtWork(): boolean {
    return this.#place.isHeld || this.isOver || this.#isStopped;
  }

  newId(): string {
    return this.#tools.engine.newId();
  }

  /** A new attempt at the task, as it is found. */
  begin(folded: Folded): Attempt {
    this.#attempt = new Attempt(this, folded, this.#checkpoint);
    return this.#attempt;
  }

  ring(): void {
    const { now } = this.#tools.engine;
    if (this.#followAt <= now()) this.#followWhenSilent(now());
    if (this.isEnding || this.deadline > now()) return;
    this.#isLate = true;
    void this.#end(lateness(this.row, this.#tools.engine));
  }

  #followWhenSilent(now: number): void {
    const silentAt = this.#writer.wroteAt + FOLLOW_AFTER_MS;
    if (silentAt > now) this.#followAt = silentAt;
    else {
      this.#followAt = Infinity;
      this.#writer.follow();
    }
  }

  /** Progress says nothing to an owner who is asked something. */
  isSilent(change: TaskChange): boolean {
    return change.type === 'status' && isWaiting(this.row.state);
  }

  write(change: TaskChange, isPatient: boolean): Promise<TaskEvent | undefined> {
    return this.#writer.write(change, undefined, isPatient);
  }

  /** Resolves when the question is stored. */
  async ask(message: Message | undefined, kind: 'input' | 'auth'): Promise<void> {
    const { engine } = this.#tools;
    if (message !== undefined && messageWeight(message) > engine.maxOutputBytes) {
      throw new TaskError(`the question is larger than ${engine.maxOutputBytes} bytes`, {
        code: 'QUESTION_TOO_LARGE',
      });
    }
    const state = kind === 'input' ? 'input-required' : 'auth-required';
    const deadline = earliest(engine.now() + engine.maxWaitMs, this.row.latest);
    await this.#writer.write({
      type: 'status',
      status: { state, ...(message !== undefined && { message }) },
      deadline,
    });
  }

  /** It has nothing to do until somebody says something. */
  rest(): void {
    this.#place.pause();
  }

  /** The same, and it hears at once what others write. */
  listen(): void {
    this.#writer.follow();
    this.rest();
  }

  /** Resolves when it has its place again; throws when it must stop. */
  async resume(): Promise<void> {
    if (this.#place.isHeld) return;
    await Promise.race([this.#place.resume(), aborted(this.signal)]);
  }

  /** The same, without a word when it must stop. */
  async takePlace(): Promise<void> {
    await this.resume().catch(() => undefined);
  }

  assertGoing(): void {
    if (this.#isStopped) throw this.#stopReason;
  }

  keep(checkpoint: Checkpoint): Promise<void> {
    const { maxCheckpointBytes } = this.#tools.engine;
    const value = encodeCheckpoint(checkpoint);
    if (value.length > maxCheckpointBytes) {
      throw new TaskError(`the checkpoint is larger than ${maxCheckpointBytes} bytes`, {
        code: 'CHECKPOINT_TOO_LARGE',
      });
    }
    if (this.isEnding) return Promise.resolve();
    this.#checkpoint = checkpoint;
    return this.#writer.keep(value);
  }

  /** Ends the task with what its author said last; `undefined` when it had ended before. */
  answer(change: StatusChange): Promise<TaskEvent | undefined> {
    if (this.isEnding || this.isOver) return Promise.resolve(undefined);
    this.isEnding = true;
    return this.#writer.write(change);
  }

  /**
   * Ends the task, after all that was reported. Only the first end counts, no matter who made it. An equal second end
   * changes nothing; a different one is refused and goes to the log.
   */
  async end(change: StatusChange): Promise<void> {
    if (this.isEnding) await this.#writer.settled();
    else await this.#end(change);
    const { state } = this.row;
    if (!isTerminal(state) || judge(this.row, change) !== 'refused') return;
    // There was no room for its output: that is how it ended.
    if (this.row.failure?.code === 'OUTPUT_TOO_LARGE') return;
    const reason = `the task is ${state} already: that its run ended as ${change.status.state} does not count`;
    this.#tools.engine.onError(new SdlError('TASK_ENDED', reason), summaryOf(this.row));
  }

  /** Waits without a place at work; ends early, by throwing, when the run must stop. */
  async pause(delayMs: number): Promise<void> {
    this.rest();
    const { signal } = this;
    const elapsed = new Promise<void>((resolve) => {
      const callOff = this.#tools.engine.setTimer(resolve, delayMs);
      signal.addEventListener('abort', callOff, { once: true });
    });
    await Promise.race([elapsed, aborted(signal)]);
    await this.resume();
  }

  /** Begins another attempt, after an error that asked for one. Returns the task as the new attempt finds it. */
  async again(): Promise<Folded | undefined> {
    const { engine, table, feed, holding } = this.#tools;
    await this.#writer.settled();
    const deadline = earliest(engine.now() + engine.maxRunMs, this.row.latest);
    const { keep = [] } = this.#checkpoint ?? {};
    await this.#writer.write(
      {
        type: 'status',
        status: { state: 'working' },
        attempt: this.row.attempt + 1,
        deadline,
        keep,
      },
      { failures: this.row.failures + 1 },
    );
    if (this.isOver) return undefined;
    const { done: folded } = await holding.retry(async () => {
      const stored = await table.at(this.#key);
      return stored && feed.load(stored);
    });
    return this.isOver ? undefined : folded;
  }

  /** Somebody has written up to this generation. */
  async lookFor(generation: number): Promise<void> {
    this.#writer.lookFor(generation);
    await this.#writer.settled();
  }

  /** Tells the author to stop, because this agent does. What it still reports and keeps is stored. */
  interrupt(): void {
    this.#abort(new TaskError('the agent stops', { code: 'AGENT_STOPS' }));
  }

  /** Gives the task back for somebody else to go on with. */
  release(): Promise<void> {
    return this.#writer.release();
  }

  /** Gives up: somebody else may have the task, or the store cannot take what is written. */
  abandon(cause: unknown): void {
    this.#writer.abandon(cause);
  }

  get #key(): string {
    return this.#writer.key;
  }

  #onChange(row: TaskRow, foreign: readonly TaskEvent[]): void {
    this.#tools.alarms.set(this);
    this.#tellState(row);
    if (foreign.length === 0) this.#tools.hooks.notice(this.#key, row);
    // An end is counted and told of by the engine that wrote it.
    if (foreign.length === 0 && isTerminal(row.state)) {
      this.#tools.engine.census.countEnd(row.state);
      if (row.hasParts === true) this.#tools.engine.tellEnd.stored();
    }
    for (const event of foreign) if (event.type === 'message') this.#attempt?.hear(event);
  }

  #tellState(row: TaskRow): void {
    const { onState } = this.#tools.engine;
    if (onState === undefined) return;
    const state = `${row.state} ${row.attempt}`;
    if (state === this.#toldState) return;
    this.#toldState = state;
    onState(summaryOf(row));
  }

  #onOver(cause: unknown): void {
    this.#tools.alarms.delete(this);
    if (cause !== undefined) this.#tools.engine.onError(cause, summaryOf(this.row));
    this.#abort(cause === undefined ? undefined : this.#overError(cause));
  }

  #overError(cause?: unknown): TaskError {
    const { state } = this.row;
    return isTerminal(state)
      ? new TaskError(`the task is ${state}`, { code: 'TASK_ENDED', cause })
      : new TaskError('the agent lost the task', { code: 'TASK_LOST', cause });
  }

  /** Made only when somebody looks: most tasks end without that. */
  get #stopReason(): TaskError {
    return (this.#reason ??= this.#overError());
  }

  #abort(reason: TaskError | undefined): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#reason = reason;
    this.#stop?.abort(this.#stopReason);
    this.#attempt?.stop(() => this.#stopReason);
  }

  async #end(change: StatusChange): Promise<void> {
    this.isEnding = true;
    // The writer reports this error when it gives up.
    await this.#writer.write(change).catch(() => undefined);
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
  const failure = { code: 'DEADLINE', message, retryable: false };
  return { type: 'status', status: { state: 'failed', failure } };
}

export function earliest(moment: number, latest: number | undefined): number {
  return latest === undefined ? moment : Math.min(moment, latest);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
