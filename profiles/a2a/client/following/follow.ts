// Owns following a task of another agent through lost connections: its stream, then subscriptions that go on where that
// ended, and questions where there are no streams. SPEC.md section 20 (#a2a-client-streams, #a2a-client-retries).

import type { AwayOptions } from '../../../../src/client/index.ts';
import { BackOff, abortError } from '../../../../src/client/index.ts';
import { TransportError } from '../../../../src/transport.ts';
import type { A2aAnswer, A2aEvent, A2aTask } from '../model.ts';
import { A2aRemoteError } from '../remote-error.ts';
import type { A2aStep } from './fold.ts';
import { TaskFold } from './fold.ts';

/** An event and its place in the stream, where the agent numbers them. */
export interface NumberedEvent {
  readonly event: A2aEvent;
  readonly id?: string;
}

/** How a task is asked for. */
export interface TaskPort {
  /** The agent streams. */
  readonly isStreaming: boolean;
  /** A subscription begins with the task as it is. @default true */
  readonly tellsTask?: boolean;
  get(id: string, signal: AbortSignal): Promise<A2aTask>;
  subscribe(
    id: string,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<NumberedEvent>;
}

export interface FollowOptions extends AwayOptions {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  /** Ends it; the task goes on. */
  readonly signal: AbortSignal;
  /** Does nothing that matters follow? */
  readonly isOver: (task: A2aTask) => boolean;
  /** May it go better the next time? @default as the error says */
  readonly isPassing?: (thrown: unknown) => boolean;
}

/** How far somebody has followed a task before. */
export interface FollowedSoFar {
  /** As it was told. @default nothing was */
  readonly known?: A2aTask;
  /** Of the last step. @default all of the task is compared */
  readonly eventId?: string;
}

/** Where it begins: with what came of a message, or with a task that is known. */
export type FollowStart = FollowedSoFar &
  ({ readonly events: AsyncIterable<NumberedEvent> } | { readonly taskId: string });

/** The agent answered without a task. */
export interface AnsweredStep extends A2aAnswer {
  readonly type: 'answer';
}

/** The last step is one after which it is over. Throws when the agent refuses or stays away. */
export async function* followTask(
  port: TaskPort,
  start: FollowStart,
  options: FollowOptions,
): AsyncGenerator<A2aStep | AnsweredStep, undefined> {
  const follower = new Follower(port, start, options);
  yield* follower.run();
  return undefined;
}

const POLL_MS = 250;

class Follower {
  readonly #port: TaskPort;
  readonly #options: FollowOptions;
  readonly #backOff: BackOff;
  readonly #fold: TaskFold;
  readonly #first: AsyncIterable<NumberedEvent> | undefined;
  #lastEventId: string | undefined;
  #isPolling: boolean;
  #isAnswered = false;
  /** How many steps were told. */
  #told = 0;
  readonly #taskId: string | undefined;

  constructor(port: TaskPort, start: FollowStart, options: FollowOptions) {
    const { maxAwayMs, onAway, onBack, wait, now, signal, isPassing } = options;
    const { known, eventId } = start;
    this.#port = port;
    this.#options = options;
    this.#first = 'events' in start ? start.events : undefined;
    this.#fold = new TaskFold('taskId' in start ? start.taskId : undefined, known);
    this.#taskId = 'taskId' in start ? start.taskId : undefined;
    this.#lastEventId = eventId;
    this.#isPolling = !port.isStreaming;
    this.#backOff = new BackOff({
      ...(maxAwayMs !== undefined && { maxAwayMs }),
      ...(onAway !== undefined && { onAway }),
      ...(onBack !== undefined && { onBack }),
      ...(isPassing !== undefined && { isPassing }),
      // Who has told of the task before is waited for from the start.
      isKnown: known !== undefined || eventId !== undefined,
      wait,
      now,
      signal,
    });
  }

  async *run(): AsyncGenerator<A2aStep | AnsweredStep> {
    const { signal } = this.#options;
    if (this.#first !== undefined) {
      yield* this.#begin(this.#first);
      if (this.#isDone) return;
    }
    for (;;) {
      const told = this.#told;
      let failure: { readonly thrown: unknown } | undefined;
      try {
        yield* this.#isPolling || this.#isBlind ? this.#poll() : this.#subscribe();
      } catch (thrown) {
        failure = { thrown };
      }
      if (this.#isDone) return;
      if (signal.aborted) throw abortError(signal);
      if (failure === undefined) await this.#rest(this.#told > told);
      else await this.#backOff.after(failure.thrown);
      if (signal.aborted) throw abortError(signal);
    }
  }

  /** A stream tells by itself when there is more; between two questions there is always a pause. */
  async #rest(hasNews: boolean): Promise<void> {
    await this.#backOff.rest(hasNews);
    if (hasNews && this.#isPolling) await this.#options.wait(POLL_MS, this.#options.signal);
  }

  /** Nothing is known of the task, and a subscription would not tell. */
  get #isBlind(): boolean {
    return this.#port.tellsTask === false && this.#fold.task === undefined;
  }

  get #isDone(): boolean {
    const { task } = this.#fold;
    return this.#isAnswered || (task !== undefined && this.#options.isOver(task));
  }

  /** Before the first event nobody knows whether there is a task: then nothing is asked again. */
  async *#begin(events: AsyncIterable<NumberedEvent>): AsyncGenerator<A2aStep | AnsweredStep> {
    let isBegun = false;
    try {
      for await (const event of events) {
        isBegun = true;
        yield* this.#takeOne(event);
        if (this.#isDone) return;
      }
    } catch (thrown) {
      const { signal } = this.#options;
      if (signal.aborted) throw abortError(signal);
      if (!isBegun) throw thrown;
      if (!this.#isDone) await this.#backOff.after(thrown);
    }
    if (!isBegun) {
      throw new TransportError(
        'lost',
        'the agent ended the stream before it said anything: outcome unknown',
      );
    }
  }

  /** What goes on after a gap. */
  async *#take(events: AsyncIterable<NumberedEvent>): AsyncGenerator<A2aStep | AnsweredStep> {
    let isFirst = true;
    for await (const event of events) {
      // It does not say where it goes on, so nobody knows what it left out.
      if (isFirst && !this.#saysWhere(event)) {
        this.#isPolling = true;
        this.#backOff.answered();
        return;
      }
      isFirst = false;
      yield* this.#takeOne(event);
      if (this.#isDone) return;
    }
  }

  /** It begins with the task, or goes on by its numbers, or with the first event of all. */
  #saysWhere({ event, id }: NumberedEvent): boolean {
    if (event.type === 'task' || event.type === 'message') return true;
    if (id === undefined) return false;
    const isBeginning = event.type === 'status' && event.status.state === 'submitted';
    return this.#fold.task !== undefined || isBeginning;
  }

  *#takeOne({ event, id }: NumberedEvent): Generator<A2aStep | AnsweredStep> {
    this.#backOff.answered();
    this.#lastEventId = id;
    if (event.type === 'message') {
      this.#isAnswered = true;
      const { type: _type, ...answer } = event;
      yield { type: 'answer', ...answer };
    } else yield* this.#tell(event, id !== undefined);
  }

  /** In the middle of a whole task there is no place to go on from. */
  *#tell(event: Parameters<TaskFold['take']>[0], isExact = false): Generator<A2aStep> {
    const steps = this.#fold.take(event, isExact);
    const eventId = this.#lastEventId;
    for (const [at, step] of steps.entries()) {
      this.#told += 1;
      yield at === steps.length - 1 && eventId !== undefined ? { ...step, eventId } : step;
    }
  }

  async *#subscribe(): AsyncGenerator<A2aStep | AnsweredStep> {
    const { signal } = this.#options;
    let isBegun = false;
    try {
      for await (const step of this.#take(
        this.#port.subscribe(this.#id, this.#lastEventId, signal),
      )) {
        isBegun = true;
        yield step;
      }
    } catch (thrown) {
      // It has ended meanwhile, or cannot be subscribed to: what there is to know is asked for.
      const isRefused = thrown instanceof A2aRemoteError && !thrown.retryable;
      // Some agents break off what they should refuse. Who numbers its events can be asked again without a gap.
      const isCut = thrown instanceof TransportError && thrown.fault === 'lost' && !isBegun;
      const isBroken = isCut && this.#lastEventId === undefined;
      if (signal.aborted || !(isRefused || isBroken)) throw thrown;
      this.#isPolling = isRefused;
      yield* this.#poll(isBroken ? thrown : undefined);
    }
  }

  /** @param lost what was lost before: that counts where this question fails, too. */
  async *#poll(lost?: TransportError): AsyncGenerator<A2aStep> {
    const task = await this.#port.get(this.#id, this.#options.signal).catch((thrown: unknown) => {
      throw lost ?? thrown;
    });
    this.#backOff.answered();
    // What was told by its number may be in there.
    this.#lastEventId = undefined;
    yield* this.#tell({ type: 'task', task });
  }

  get #id(): string {
    return this.#fold.task?.id ?? this.#taskId!;
  }
}
