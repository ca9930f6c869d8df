// What the comparison and its contestants, each in a process of its own, say to each other.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a contestant is started with. */
export interface Order {
  /** Where the builds are. */
  readonly builds: string;
  /** A file for SQLite that is not there yet. @default it keeps its tasks in memory */
  readonly file?: string;
}

/** One task, from its start to its end, followed all the way. Throws unless it ends well and with its artifact. */
export type RunTask = (task: { readonly owner: string; readonly id: string }) => Promise<void>;

/** What every task asks for, and what the answer is. */
export const QUESTION = 'Summarise what changed between the two reports.';
export const ANSWER: string = 'what was found. '.repeat(4);

export const AT_ONCE = 64;
/** One for each task at once. */
export const OWNERS: readonly string[] = Array.from(
  { length: AT_ONCE },
  (_, at) => `did:example:owner-${at}`,
);

export interface Contestant {
  /** Does so many tasks; microseconds of CPU time of each. */
  readonly round: (tasks: number) => Promise<number>;
  readonly stop: () => Promise<void>;
}

interface Told {
  readonly micros?: number;
  readonly failed?: string;
}

/** Starts a module of this folder. Throws what it says when it cannot take part. */
export async function startContestant(module: string, order: Order): Promise<Contestant> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.disconnect();
    await exit;
  };
  try {
    await ask(child, order);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { stop, round: async (tasks) => (await ask(child, tasks)).micros! };
}

async function ask(child: ChildProcess, question: Order | number): Promise<Told> {
  const done = new AbortController();
  const { signal } = done;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('a contestant has ended');
  });
  try {
    child.send(question);
    const [told] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Told];
    if (told.failed !== undefined) throw new Error(told.failed);
    return told;
  } finally {
    done.abort();
    await ended.catch(() => undefined);
  }
}

/** The other end of {@link startContestant}; the process ends when the comparison lets go of it. */
export function takePart(open: (order: Order) => Promise<RunTask>): void {
  let run: RunTask | undefined;
  let made = 0;
  const lane = async (owner: string, left: { tasks: number }): Promise<void> => {
    while (left.tasks > 0) {
      left.tasks -= 1;
      made += 1;
      await run!({ owner, id: `task-${made}` });
    }
  };
  const answer = async (question: Order | number): Promise<Told> => {
    if (typeof question !== 'number') {
      run = await open(question);
      return {};
    }
    const left = { tasks: question };
    const before = process.cpuUsage();
    await Promise.all(OWNERS.map((owner) => lane(owner, left)));
    const { user, system } = process.cpuUsage(before);
    return { micros: (user + system) / question };
  };
  process.on('message', (question: Order | number) => {
    void answer(question)
      .catch((thrown: unknown): Told => ({ failed: String(thrown) }))
      .then((told) => process.send!(told));
  });
  process.on('disconnect', () => process.exit());
}
