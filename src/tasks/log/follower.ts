// Owns following one task from any generation until it has ended or is gone. A follower keeps only its place.
// SPEC.md section 8 (#exchange, #task-ids).

import type { TaskStep } from '../event.ts';
import { isTerminal } from '../task.ts';
import { TaskDamage } from './damage.ts';
import type { Channel, TaskFeed } from './feed.ts';
import type { Folded, FoldedStep } from './fold.ts';
import type { StoredTask } from './table.ts';

/** What is used of an AbortSignal, with one who listens. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

type Next = IteratorResult<TaskStep, undefined>;

const DONE: Next = { done: true, value: undefined };

export class Follower implements AsyncIterator<TaskStep, undefined> {
  readonly #feed: TaskFeed;
  readonly #key: string;
  readonly #find: () => Promise<StoredTask>;
  readonly #after: number | undefined;
  readonly #signal: StopSignal | undefined;
  readonly #onAbort = (): void => {
    this.#isDue = true;
    this.wake();
  };
  #channel: Channel | undefined;
  /** Up to where it has told. */
  #folded: Folded | undefined;
  /** Read from the log, because the feed does not have them any more. */
  #read: FoldedStep[] = [];
  #resume: (() => void) | undefined;
  #isDue = false;
  #isOver = false;

  constructor(
    feed: TaskFeed,
    key: string,
    find: () => Promise<StoredTask>,
    after: number | undefined,
    signal: StopSignal | undefined,
  ) {
    this.#feed = feed;
    this.#key = key;
    this.#find = find;
    this.#after = after;
    this.#signal = signal;
  }

  wake(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  async next(): Promise<Next> {
    try {
      return this.#folded === undefined ? await this.#first() : await this.#following(this.#folded);
    } catch (cause) {
      this.#end();
      throw cause;
    }
  }

  return(): Promise<Next> {
    this.#end();
    return Promise.resolve(DONE);
  }

  async #first(): Promise<Next> {
    if (this.#isOver) return DONE;
    this.#signal?.addEventListener('abort', this.#onAbort);
    if (this.#signal?.aborted === true) this.#isDue = true;
    const channel = this.#feed.live(this.#key) ?? (await this.#load());
    // It may have been told to stop meanwhile.
    if (this.#isOver) return DONE;
    this.#channel = channel;
    this.#feed.enter(channel, this);
    this.#folded = (await this.#start(channel)) ?? channel.folded;
    return { done: false, value: { task: this.#folded.task } };
  }

  async #load(): Promise<Channel> {
    for (let tried = 0; ;) {
      const stored = await this.#find();
      const folded = await this.#feed.load(stored);
      if (folded !== undefined) return this.#feed.keep(this.#key, folded);
      // The task was probably removed between the two reads. If the row is still the same, it is damaged.
      if (stored.version === tried) throw new TaskDamage(this.#key);
      tried = stored.version;
    }
  }

  /** The task as it was after the generation from which it is followed. */
  async #start({ folded, steps }: Channel): Promise<Folded | undefined> {
    const after = this.#after;
    if (after === undefined || after >= folded.task.generation) return folded;
    const known = steps.find((step) => step.folded.task.generation === after);
    return known?.folded ?? this.#feed.read(this.#key, undefined, after);
  }

  async #following(folded: Folded): Promise<Next> {
    const channel = this.#channel!;
    const { generation, status } = folded.task;
    for (;;) {
      if (this.#isOver || isTerminal(status.state)) break;
      const step = this.#read.shift() ?? stepAfter(channel, generation);
      if (step !== undefined) {
        this.#folded = step.folded;
        return { done: false, value: step.step };
      }
      if (channel.failure !== undefined) throw channel.failure.cause;
      if (channel.isGone) break;
      const isBehind = channel.folded.task.generation > generation;
      // Who is about to end looks for what nobody told it of.
      if (isBehind || (this.#isDue && !channel.isHeld)) {
        this.#read = await this.#feed.page(this.#key, folded);
        if (this.#read.length === 0 && (this.#isDue || isBehind)) break;
      } else if (this.#isDue) {
        break;
      } else {
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
      }
    }
    this.#end();
    return DONE;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (this.#channel !== undefined) this.#feed.leave(this.#channel, this);
    this.wake();
  }
}

/** The next step, if the feed still has it. */
function stepAfter({ steps }: Channel, generation: number): FoldedStep | undefined {
  const first = steps[0];
  return first && steps[generation + 1 - first.folded.task.generation];
}
