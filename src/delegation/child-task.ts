// Owns one task that another agent was given: sent, followed until it ends, and canceled when nobody wants it any more.
// SPEC.md section 8 (#exchange, #task-answer, #task-ids).

import { BackOff } from '../client/back-off.ts';
import type { ExchangeOptions, Received } from '../client/exchange.ts';
import { followTask } from '../client/follow.ts';
import type { RemoteAgent } from '../client/remote-agent.ts';
import { ToolCallError } from '../client/tool-call.ts';
import { RemoteError } from '../client/remote-error.ts';
import type { TaskInput } from '../client/task-content.ts';
import { taskContent } from '../client/task-content.ts';
import type { TaskUpdate } from '../client/task-update.ts';
import { documentInState } from '../client/task-update.ts';
import type { JsonObject } from '../codec/value.ts';
import type { Trace } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import { Handover } from '../pipeline/handover.ts';
import { plainText } from '../tasks/plain-text.ts';
import type { RunControls } from '../tasks/context.ts';
import type { ChildTask, ChildUpdate, TaskChild } from '../tasks/delegation.ts';
import { TaskError } from '../tasks/error.ts';
import type { Words } from '../tasks/message.ts';
import { agentMessage } from '../tasks/message.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import { TransportError } from '../transport.ts';
import type { ToldTree } from './child-tree.ts';
import { childUpdate, hasEnded, treeIn } from './child-tree.ts';
import { saidReply } from './said-reply.ts';

/** What is sent to whom. */
export interface ChildRequest {
  /** As the author called it. */
  readonly target: string;
  readonly peer: RemoteAgent;
  readonly id: string;
  readonly input: TaskInput;
  readonly deadline: number | undefined;
  readonly authz: () => Promise<JsonObject | undefined>;
  /** A new one for each message. */
  readonly trace: () => Trace;
  readonly isRelayed: boolean;
  /** An earlier attempt has sent it. */
  readonly isKnown: boolean;
}

export interface ChildServices {
  /** May the task that delegates still go on? Asked before each message that is not to end the child. */
  readonly isAllowed: () => boolean;
  /** Has the task that delegates ended, here or elsewhere? */
  readonly hasTaskEnded: () => Promise<boolean>;
  /** Told when it is followed no longer. */
  readonly onOver: () => void;
  readonly setTimer: SetTimer;
}

/** How long one exchange follows the task; the next one joins it again. */
export const FOLLOW_S = 240;
const FOLLOW_MARGIN_MS = 30_000;
const CANCEL_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000;
/** Exchanges that fail one after the other before the author hears of it. */
const MAX_FAILURES = 3;
/** Changes of one child that are kept; its end always is. */
const MAX_RECORDS = 100;
/** Characters that are kept of all that one child tells of those below it; at its end it may tell once more. */
const MAX_RECORDED = 262_144;
const MAX_PROGRESS_LENGTH = 1_000;

export class FollowedChild implements ChildTask {
  readonly agentId: string;
  readonly id: string;
  readonly #request: ChildRequest;
  readonly #run: RunControls;
  readonly #services: ChildServices;
  readonly #stop = new AbortController();
  readonly #readers = new Set<Handover<ChildUpdate>>();
  readonly #finished: Promise<ChildUpdate>;
  #isSent: boolean;
  /** It was canceled before it was sent. */
  #isUnwanted = false;
  #isCanceled = false;
  #isOver = false;
  #leaving: Promise<void> | undefined;
  /** The generation of the last update. */
  #seen = 0;
  #last: ChildUpdate | undefined;
  /** The generation of its open question. */
  #question: number | undefined;
  #said: string | undefined;
  #recorded: string | undefined;
  #records = 0;
  #recordedLength = 0;
  #authz: JsonObject | undefined;
  /** Of the child, of what it was told, or of whether it is wanted. */
  readonly #changed = new Changes();

  constructor(request: ChildRequest, run: RunControls, services: ChildServices) {
    this.agentId = request.peer.agentId;
    this.id = request.id;
    this.#request = request;
    this.#run = run;
    this.#services = services;
    this.#isSent = request.isKnown;
    this.#finished = this.#follow().finally(() => {
      this.#isOver = true;
      services.onOver();
      for (const reader of this.#readers) reader.end();
      this.#changed.fire();
    });
    this.#finished.catch(() => undefined);
  }

  async result(): Promise<ChildUpdate> {
    for (;;) {
      this.#run.signal.throwIfAborted();
      if (this.#last?.question !== undefined) return this.#last;
      if (this.#isOver) return this.#finished;
      await this.#changed.next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChildUpdate> {
    const reader = new Handover<ChildUpdate>();
    // Who comes late begins with what is known.
    if (this.#last !== undefined) void reader.put(this.#last);
    if (this.#isOver || this.#run.signal.aborted) reader.end();
    this.#readers.add(reader);
    try {
      yield* reader;
      this.#run.signal.throwIfAborted();
      await this.#finished;
    } finally {
      this.#readers.delete(reader);
    }
  }

  async reply(reply: Words): Promise<void> {
    this.#assertAllowed();
    const generation = this.#question;
    await this.#request.peer.tasks.reply(this.id, saidReply(reply), {
      ...this.#optionsWith(this.#run.signal),
      ...(generation !== undefined && { generation }),
    });
    if (this.#last !== undefined) {
      const { question: _answered, ...rest } = this.#last;
      this.#last = rest;
    }
    this.#question = undefined;
    this.#changed.fire();
  }

  /** It has ended, or its agent was told that nobody wants it. */
  get isDone(): boolean {
    return this.#isCanceled || this.#last?.hasEnded === true;
  }

  async cancel(): Promise<void> {
    if (this.isDone) return;
    if (!this.#isSent) {
      this.#isUnwanted = true;
      await this.#finished.catch(() => undefined);
      return;
    }
    const signal = AbortSignal.timeout(CANCEL_MS);
    if (!(await this.#tryCancel(signal))) {
      // It is still on its way there.
      signal.addEventListener('abort', () => this.#changed.fire());
      while (this.#last === undefined && !this.#isOver && !signal.aborted) await this.#changed.next;
      if (this.#last?.hasEnded === false) await this.#tryCancel(signal);
    }
    this.#changed.fire();
  }

  /** Follows it no longer; it goes on. */
  detach(): void {
    this.#halt(new TaskError('another attempt follows the task'));
  }

  /**
   * For when the run stops: its task goes on elsewhere or later, and the child with it; or nobody wants the child.
   * Throws when its agent cannot be told so.
   */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    if (this.#isOver) return;
    for (const reader of this.#readers) reader.end();
    this.#changed.fire();
    try {
      if (await this.#services.hasTaskEnded()) await this.cancel();
    } finally {
      this.#halt(this.#run.signal.reason ?? new TaskError('the task has ended'));
    }
  }

  #halt(reason: unknown): void {
    this.#stop.abort(reason);
    this.#changed.fire();
  }

  async #follow(): Promise<ChildUpdate> {
    this.#authz = await this.#request.authz();
    this.#assertAllowed();
    if (!this.#isUnwanted) await this.#record('submitted', {});
    if (this.#isUnwanted) return this.#endUnsent();
    const { signal } = this.#stop;
    const source = {
      ask: () => this.#send(),
      startsOver: true,
      documentOf: documentInState,
    };
    const backOff = new BackOff({
      isKnown: true,
      maxFailures: MAX_FAILURES,
      maxAwayMs: Infinity,
      longestPauseMs: LONGEST_PAUSE_MS,
      now: Date.now,
      wait: (ms) => this.#pause(ms),
      signal,
    });
    let last: ChildUpdate | undefined;
    try {
      for await (const update of followTask(source, { backOff, signal, isOver })) {
        last = await this.#take(update);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      throw explained(thrown, this.#request);
    }
    return last!;
  }

  async #endUnsent(): Promise<ChildUpdate> {
    const update = { status: 'canceled', artifacts: [], isWhole: true, hasEnded: true };
    this.#last = update;
    await this.#record(update.status, {});
    await this.#hand(update);
    return update;
  }

  /** Sends it, or joins it: the same task under the same id is never begun twice. */
  #send(): AsyncIterable<Received> {
    if (!this.#isSent) this.#run.signal.throwIfAborted();
    this.#assertAllowed();
    this.#isSent = true;
    const { ct, payload } = taskContent(this.#request.input);
    return this.#request.peer.request(
      { ct, payload },
      {
        ...this.#optionsWith(this.#stop.signal),
        timeoutMs: FOLLOW_S * 1_000 + FOLLOW_MARGIN_MS,
        stream: true,
        keepsEvents: true,
      },
    );
  }

  #assertAllowed(): void {
    if (this.#services.isAllowed()) return;
    throw new TaskError('the owner of the task may not go on with it', { code: 'NOT_AUTHORIZED' });
  }

  async #take(update: TaskUpdate): Promise<ChildUpdate> {
    const taken = childUpdate(update);
    const { generation = 0, isAnswer, document } = update;
    const isNews = !isAnswer || generation > this.#seen || taken.hasEnded;
    this.#seen = Math.max(this.#seen, generation);
    if (!isNews) return taken;
    this.#last = taken;
    this.#question = update.question?.generation;
    this.#changed.fire();
    if (this.#run.signal.aborted) return taken;
    await this.#record(taken.status, treeIn(document));
    await this.#relay(taken);
    await this.#hand(taken);
    return taken;
  }

  async #hand(update: ChildUpdate): Promise<void> {
    const all = [...this.#readers].map((reader) => reader.put(update));
    // A reader that does not come for it must not keep the task from ending.
    await Promise.race([Promise.all(all), this.#changed.next]);
  }

  /** What is known of it goes into the log of the task that delegates. */
  async #record(status: string, below: ToldTree): Promise<void> {
    const mayTell = hasEnded(status) || this.#recordedLength < MAX_RECORDED;
    const child: TaskChild = {
      agentId: this.agentId,
      id: this.id,
      status,
      ...(this.#request.deadline !== undefined && { deadline: this.#request.deadline }),
      ...(mayTell || below.children === undefined ? below : { isCut: true as const }),
    };
    const text = JSON.stringify(child);
    if (text === this.#recorded || (this.#records >= MAX_RECORDS && !hasEnded(status))) return;
    const isFirst = this.#recorded === undefined;
    this.#recorded = text;
    this.#recordedLength += text.length;
    this.#records += 1;
    if (isFirst && this.#request.isKnown) return;
    const event = await this.#run.report({ type: 'delegation', child });
    if (event !== undefined || !isFirst) return;
    this.#run.signal.throwIfAborted();
    throw new TaskError('the agent has no room to delegate', { code: 'LIMIT_RATE' });
  }

  async #relay({ progress }: ChildUpdate): Promise<void> {
    const said = progress?.message;
    if (!this.#request.isRelayed || said === undefined || said === this.#said) return;
    this.#said = said;
    const message = plainText(`${this.#request.target}: ${said}`, MAX_PROGRESS_LENGTH);
    await this.#run.report({
      type: 'status',
      status: { state: 'working', message: agentMessage(message, this.#run.newId()) },
    });
  }

  /** False when the agent has no such task. */
  async #tryCancel(signal: AbortSignal): Promise<boolean> {
    try {
      // What it answers beside that is of no interest.
      await this.#request.peer.call('task.cancel', { id: this.id }, this.#optionsWith(signal));
      this.#isCanceled = true;
      return true;
    } catch (thrown) {
      if (isUnknownTask(thrown)) return false;
      throw explained(thrown, this.#request);
    }
  }

  #optionsWith(signal: AbortSignal): ExchangeOptions {
    const authz = this.#authz;
    return { signal, trace: this.#request.trace(), ...(authz !== undefined && { authz }) };
  }

  /** Ends early when something has changed. */
  async #pause(delayMs: number): Promise<void> {
    const callOff = this.#services.setTimer(() => this.#changed.fire(), delayMs);
    await this.#changed.next;
    callOff();
  }
}

/** Fires again and again; `next` is the next time. */
class Changes {
  #fire: () => void = () => undefined;
  next: Promise<undefined> = this.#renewed();

  fire(): void {
    const fire = this.#fire;
    this.next = this.#renewed();
    fire();
  }

  #renewed(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#fire = () => resolve(undefined);
    });
  }
}

function isOver(answer: TaskUpdate): boolean {
  return childUpdate(answer).hasEnded;
}

/** In words that the owner of the delegating task may read. */
function explained(thrown: unknown, { target }: ChildRequest): unknown {
  if (thrown instanceof TransportError) {
    const { isRetryable: retryable } = thrown;
    const options = { code: 'CHILD_UNREACHABLE', retryable, cause: thrown };
    return new TaskError(`${target} cannot be reached`, options);
  }
  if (thrown instanceof RemoteError || thrown instanceof ToolCallError) {
    const { code, retryable } = thrown;
    const options = { code: 'CHILD_REFUSED', retryable, cause: thrown };
    return new TaskError(`${target} refused the task: ${code}`, options);
  }
  if (thrown instanceof SdlError) {
    const options = { code: 'CHILD_REFUSED', cause: thrown };
    return new TaskError(`${target} cannot be asked: ${thrown.code}`, options);
  }
  return thrown;
}

/** The agent has answered that it will not: asking again is of no use. */
export function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof TaskError) return thrown.code === 'CHILD_REFUSED' && !thrown.retryable;
  if (thrown instanceof ToolCallError) return !thrown.retryable;
  return thrown instanceof RemoteError && thrown.isProven && !thrown.retryable;
}

/** The agent has no such task. */
export function isUnknownTask(thrown: unknown): boolean {
  return thrown instanceof ToolCallError && thrown.code === 'TASK_UNKNOWN';
}
