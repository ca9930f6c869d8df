// Owns what one node knows of its tasks: committed events as objects, each folded once for all who follow, and a bounded
// number of folded tasks. Nothing comes here before its commit. A slow follower costs no memory: it goes on in the log.
// SPEC.md section 8 (#exchange, #task-ids).

import type { LogRecord } from '../../stores/store.ts';
import type { TaskEvent, TaskStep } from '../event.ts';
import { isTerminal } from '../task.ts';
import { Follower } from './follower.ts';
import type { StopSignal } from './follower.ts';
import { foldStep, unfolded } from './fold.ts';
import type { Folded, FoldedStep } from './fold.ts';
import { LogReader } from './reader.ts';
import { decodeEvent, decodeOrigin } from './record.ts';
import type { StoredTask, TaskTable } from './table.ts';

/** Tasks that are kept although nobody works on them or follows them. */
const MAX_TASKS = 2_000;
/** Bytes of their logs. */
const MAX_BYTES = 33_554_432;
/** What a small task takes in memory. */
const TASK_WEIGHT = 2_048;
/** So long nobody can have made another task of the same id: an ended one is kept for longer. */
const FRESH_MS = 100;
/** Steps that are kept for those who are a little behind. */
const MAX_STEPS = 64;

/** One task, as far as this node knows it. */
export interface Channel {
  readonly key: string;
  folded: Folded;
  /** The last ones, without a gap, up to `folded`. */
  steps: FoldedStep[];
  readonly followers: Set<Follower>;
  /** Somebody here writes all of its events, or hears of them: nothing else has to be watched. */
  isHeld: boolean;
  /** It was removed. */
  isGone: boolean;
  /** Why it can be followed no more. */
  failure: { readonly cause: unknown } | undefined;
  watching: AsyncIterator<LogRecord> | undefined;
}

export class TaskFeed {
  readonly #table: TaskTable;
  /** The one that was used last comes last. */
  readonly #channels = new Map<string, Channel>();
  #bytes = 0;
  #watchers = 0;

  constructor(table: TaskTable) {
    this.#table = table;
  }

  /** Who follows a task now. */
  get watchers(): number {
    return this.#watchers;
  }

  /** The task as it is at least in this row; `undefined` when its log is another by now. */
  async load(stored: StoredTask): Promise<Folded | undefined> {
    const { key, row } = stored;
    const known = this.#channels.get(key)?.folded;
    const isSame = known !== undefined && known.made === row.made;
    if (isSame && known.task.generation >= row.generation) {
      this.#touch(key);
      return known;
    }
    const folded = await this.read(key, isSame ? known : undefined);
    if (folded?.made !== row.made || folded.task.generation < row.generation) return undefined;
    return this.keep(key, folded).folded;
  }

  /** From the log: on from what is known, up to a generation or to its end. */
  async read(
    key: string,
    from: Folded | undefined,
    upTo: number = Infinity,
  ): Promise<Folded | undefined> {
    let reader: LogReader | undefined = from && new LogReader(from);
    for (;;) {
      const records = await this.#table.read(key, reader?.generation ?? 0);
      if (records.length === 0) return reader?.folded;
      reader ??= new LogReader(unfolded(decodeOrigin(records[0]!.value)));
      for (const record of records) {
        if (reader.generation >= upTo) return reader.folded;
        reader.add(record);
      }
    }
  }

  /** A task as it was stored just now, with the steps that led there. */
  keep(key: string, folded: Folded, steps: readonly FoldedStep[] = []): Channel {
    const known = this.#channels.get(key);
    if (known !== undefined && known.folded.made !== folded.made) this.forget(key);
    const channel = this.#channels.get(key);
    if (channel === undefined) {
      const made: Channel = {
        key,
        folded,
        steps: [...steps],
        followers: new Set(),
        isHeld: false,
        isGone: false,
        failure: undefined,
        watching: undefined,
      };
      this.#channels.set(key, made);
      this.#bytes += weightOf(made);
      this.#evict();
      return made;
    }
    if (channel.folded.task.generation < folded.task.generation) {
      // Who follows reads in the log what it has missed.
      this.#bytes += folded.bytes - channel.folded.bytes;
      channel.folded = folded;
      channel.steps = [];
      wake(channel);
    }
    this.#touch(key);
    return channel;
  }

  /** Events that are committed now; those that are known are passed over. */
  publish(key: string, made: string, events: readonly TaskEvent[], bytes: number): void {
    const channel = this.#channels.get(key);
    if (channel === undefined || channel.folded.made !== made) return;
    let size = bytes;
    for (const event of events) {
      if (event.generation !== channel.folded.task.generation + 1) continue;
      this.#add(channel, event, size);
      size = 0;
    }
    wake(channel);
  }

  /** From now on somebody here writes or reads all of its events, and publishes them. */
  hold(key: string, folded: Folded): void {
    const channel = this.keep(key, folded);
    channel.isHeld = true;
    this.#stopWatching(channel);
  }

  letGo(key: string): void {
    const channel = this.#channels.get(key);
    if (channel === undefined) return;
    channel.isHeld = false;
    if (channel.followers.size > 0) this.#watch(channel);
    this.#evict();
  }

  /** The task was removed. */
  forget(key: string): void {
    const channel = this.#channels.get(key);
    if (channel === undefined) return;
    this.#drop(channel);
    channel.isGone = true;
    this.#stopWatching(channel);
    wake(channel);
  }

  /**
   * First the task as it was after `after`, or as it is; then each step that follows. See `TaskService.follow`.
   * @param find the task as it stands in the store; it throws when there is none.
   */
  follow(
    key: string,
    find: () => Promise<StoredTask>,
    after: number | undefined,
    signal: StopSignal | undefined,
  ): AsyncIterable<TaskStep> {
    return { [Symbol.asyncIterator]: () => new Follower(this, key, find, after, signal) };
  }

  /** The channel, if what it knows is all there is: somebody here works on the task, or has just completed it. */
  live(key: string): Channel | undefined {
    const channel = this.#channels.get(key);
    if (channel === undefined || channel.isHeld) return channel;
    const { state, at } = channel.folded.task.status;
    return state === 'completed' && at > this.#table.now() - FRESH_MS ? channel : undefined;
  }

  enter(channel: Channel, follower: Follower): void {
    channel.followers.add(follower);
    this.#watchers += 1;
    if (!channel.isHeld) this.#watch(channel);
  }

  leave(channel: Channel, follower: Follower): void {
    if (!channel.followers.delete(follower)) return;
    this.#watchers -= 1;
    if (channel.followers.size > 0) return;
    this.#stopWatching(channel);
    this.#evict();
  }

  /** Some of what follows: each who is behind keeps as many. */
  async page(key: string, from: Folded): Promise<FoldedStep[]> {
    const steps: FoldedStep[] = [];
    let folded = from;
    for (const record of await this.#table.read(key, from.task.generation, MAX_STEPS)) {
      const step = foldStep(folded, decodeEvent(record, folded.task), record.value.length);
      folded = step.folded;
      steps.push(step);
    }
    return steps;
  }

  #add(channel: Channel, event: TaskEvent, size: number): void {
    const step = foldStep(channel.folded, event, size);
    channel.folded = step.folded;
    channel.steps.push(step);
    if (channel.steps.length > MAX_STEPS * 2) channel.steps = channel.steps.slice(-MAX_STEPS);
    this.#bytes += size;
  }

  #watch(channel: Channel): void {
    if (channel.watching !== undefined || channel.isGone) return;
    if (isTerminal(channel.folded.task.status.state)) return;
    const records = this.#table.watch(channel.key, channel.folded.task.generation);
    channel.watching = records;
    void this.#hear(channel, records).catch((cause: unknown) => {
      if (channel.watching !== records) return;
      channel.failure = { cause };
      this.#drop(channel);
      wake(channel);
    });
  }

  async #hear(channel: Channel, records: AsyncIterator<LogRecord>): Promise<void> {
    for (;;) {
      const step = await records.next();
      if (channel.watching !== records) return;
      if (step.done === true) break;
      const { position, value } = step.value;
      if (position !== channel.folded.task.generation) continue;
      this.#add(channel, decodeEvent(step.value, channel.folded.task), value.length);
      wake(channel);
      if (!isTerminal(channel.folded.task.status.state)) continue;
      this.#stopWatching(channel);
      return;
    }
    // It ended by itself: the log is gone.
    this.forget(channel.key);
  }

  #stopWatching(channel: Channel): void {
    const { watching } = channel;
    channel.watching = undefined;
    void watching?.return?.()?.catch(() => undefined);
  }

  #touch(key: string): void {
    const channel = this.#channels.get(key);
    if (channel === undefined) return;
    this.#channels.delete(key);
    this.#channels.set(key, channel);
  }

  #drop(channel: Channel): void {
    if (this.#channels.get(channel.key) !== channel) return;
    this.#channels.delete(channel.key);
    this.#bytes -= weightOf(channel);
  }

  #evict(): void {
    if (this.#channels.size <= MAX_TASKS && this.#bytes <= MAX_BYTES) return;
    for (const channel of this.#channels.values()) {
      if (this.#channels.size <= MAX_TASKS && this.#bytes <= MAX_BYTES) return;
      if (!channel.isHeld && channel.followers.size === 0) this.#drop(channel);
    }
  }
}

function wake({ followers }: Channel): void {
  for (const follower of followers) follower.wake();
}

function weightOf({ folded }: Channel): number {
  return TASK_WEIGHT + folded.bytes;
}
