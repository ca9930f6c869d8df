// Owns a crowd of watchers on the tasks of one engine, half of which stop reading: what each takes, and what it saw.
// Needs `--expose-gc`.

import { countStatements } from '../stores/statement-count.ts';
import { usedBytes } from '../wire/used-bytes.ts';
import type { TaskPlace, Watcher } from './tasks.ts';
import { FIRST_EVENTS, WatchedTasks } from './tasks.ts';

export interface WatcherLoad extends TaskPlace {
  readonly watchersPerTask: number;
  /** Events of 1 KB that each task emits while it is watched, one at a time. */
  readonly events: number;
}

export interface WatcherFigures {
  readonly watchers: number;
  readonly slow: number;
  /** Heap and external memory after garbage collection, a watcher: while all wait for the next event. */
  readonly waitingBytes: number;
  /** The most while half do not read, after a quarter of the events and after all of them, without the log itself. */
  readonly earlyBytes: number;
  readonly lateBytes: number;
  /** Of one that has read a single event of a whole log and then stops. */
  readonly stalledBytes: number;
  /** To those who read at once, and to those who read at last. */
  readonly livePerSecond: number;
  readonly catchUpPerSecond: number;
  /** Of this process, for each event that reached somebody who reads at once, with what it took to store it. */
  readonly cpuMicros: number;
  /** Statements that the database is asked for each event, and without any watcher; 0 for the memory store. */
  readonly statementsPerEvent: number;
  readonly statementsUnwatched: number;
  /** Of the whole process. */
  readonly maxResidentBytes: number;
  /** Watchers that saw anything but the log of their task, in order and up to its end. */
  readonly wrong: number;
}

export async function runWatcherLoad(load: WatcherLoad): Promise<WatcherFigures> {
  const statements = await countStatements();
  const unwatched = await WatchedTasks.start(load, 'unwatched');
  const before = statements();
  const growth = await growthOf(unwatched, load.events);
  const statementsUnwatched = (statements() - before) / (load.tasks * load.events);
  await unwatched.close();

  const tasks = await WatchedTasks.start(load, 'watched');
  try {
    return { ...(await crowd(load, tasks, growth, statements)), statementsUnwatched };
  } finally {
    await tasks.close();
  }
}

async function crowd(
  load: WatcherLoad,
  tasks: WatchedTasks,
  growth: Growth,
  statements: () => number,
): Promise<Omit<WatcherFigures, 'statementsUnwatched'>> {
  const { events, watchersPerTask } = load;
  const empty = await usedBytes();
  const watchers = await tasks.watch(watchersPerTask);
  await allRead(watchers, FIRST_EVENTS);
  for (const watcher of watchers) watcher.await();
  const each = async (own = 0): Promise<number> =>
    ((await usedBytes()) - empty - own) / watchers.length;
  const waitingBytes = await each();

  const fast = watchers.filter((_, at) => at % 2 === 0);
  const slow = watchers.filter((_, at) => at % 2 === 1);
  const statementsBefore = statements();
  let liveMs = 0;
  let cpuMicros = 0;
  let earlyBytes = 0;
  for (let event = 1; event <= events; event += 1) {
    const cpuBefore = process.cpuUsage();
    liveMs += await timed(() => Promise.all([tasks.emit(), allRead(fast, FIRST_EVENTS + event)]));
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuMicros += user + system;
    if (event === quarterOf(events)) earlyBytes = await each(growth.early);
  }
  const statementsPerEvent = (statements() - statementsBefore) / (load.tasks * events);
  const lateBytes = await each(growth.late);

  const catchUpMs = await timed(() => allRead(slow, FIRST_EVENTS + events));
  tasks.end();
  await allRead(watchers, FIRST_EVENTS + events + 1);
  const ends = await Promise.all(watchers.map((watcher) => watcher.hasEnded()));

  const ended = await usedBytes();
  const stalled = await tasks.watch(watchersPerTask);
  await allRead(stalled, 1);
  const stalledBytes = ((await usedBytes()) - ended) / stalled.length;
  await Promise.all(stalled.map((watcher) => watcher.leave()));
  return {
    watchers: watchers.length,
    slow: slow.length,
    waitingBytes,
    earlyBytes,
    lateBytes,
    stalledBytes,
    livePerSecond: (fast.length * events) / (liveMs / 1_000),
    catchUpPerSecond: (slow.length * events) / (catchUpMs / 1_000),
    cpuMicros: cpuMicros / (fast.length * events),
    statementsPerEvent,
    maxResidentBytes: process.resourceUsage().maxRSS * 1_024,
    wrong: watchers.filter(({ isRight }, at) => !isRight || !ends[at]).length,
  };
}

interface Growth {
  /** Bytes that the tasks themselves take after a quarter of the events, and after all. */
  readonly early: number;
  readonly late: number;
}

async function growthOf(tasks: WatchedTasks, events: number): Promise<Growth> {
  const before = await usedBytes();
  let early = 0;
  for (let event = 1; event <= events; event += 1) {
    await tasks.emit();
    if (event === quarterOf(events)) early = (await usedBytes()) - before;
  }
  return { early, late: (await usedBytes()) - before };
}

function quarterOf(events: number): number {
  return Math.ceil(events / 4);
}

async function allRead(watchers: readonly Watcher[], generation: number): Promise<void> {
  await Promise.all(watchers.map((watcher) => watcher.readTo(generation)));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
