// What the A2A benchmark and its servers, each in a process of its own, say to each other.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { usedBytes } from '../../support/wire/used-bytes.ts';

/** What a server is started with. */
interface Order {
  /** Where the builds are. */
  readonly builds: string;
  /** Where the agent is that does its tasks. */
  readonly upstream?: string;
}

/** What a server can do beside serving. */
export interface Served {
  /** Where it speaks JSON-RPC. */
  readonly url: string;
  /** Where it speaks gRPC. */
  readonly grpcUrl?: string;
  /** CPU time of one event, from mark to mark of the streams since the last time. */
  readonly marks?: () => readonly number[];
  /** Does so many tasks inside of the process. */
  readonly doTasks?: (count: number) => Promise<void>;
}

type Ask = 'cpu' | 'used' | 'marks' | { readonly tasks: number };

interface Told {
  readonly value?: unknown;
  readonly failed?: string;
}

export interface Server {
  readonly url: URL;
  readonly grpcUrl: string | undefined;
  /** Microseconds of CPU time that it has used. */
  readonly cpuMicros: () => Promise<number>;
  /** Memory after garbage collection. */
  readonly usedBytes: () => Promise<number>;
  readonly marks: () => Promise<readonly number[]>;
  /** Has it do tasks inside of its process; microseconds of CPU time of each. */
  readonly doTasks: (count: number) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Starts a module of this folder as a server. Throws what it says when it cannot serve. */
export async function startServer(module: string, order: Order): Promise<Server> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    execArgv: ['--import', 'tsx', '--expose-gc'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.disconnect();
    await exit;
  };
  try {
    const { url, grpcUrl } = (await ask(child, order)) as Pick<Served, 'url' | 'grpcUrl'>;
    const cpuMicros = async (): Promise<number> => (await ask(child, 'cpu')) as number;
    return {
      url: new URL(url),
      grpcUrl,
      cpuMicros,
      usedBytes: async () => (await ask(child, 'used')) as number,
      marks: async () => (await ask(child, 'marks')) as readonly number[],
      doTasks: async (tasks) => {
        const before = await cpuMicros();
        await ask(child, { tasks });
        return ((await cpuMicros()) - before) / tasks;
      },
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function ask(child: ChildProcess, question: Order | Ask): Promise<unknown> {
  const done = new AbortController();
  const { signal } = done;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('a server of the benchmark has ended');
  });
  try {
    child.send(question);
    const [told] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Told];
    if (told.failed !== undefined) throw new Error(told.failed);
    return told.value;
  } finally {
    done.abort();
    await ended.catch(() => undefined);
  }
}

/** The other end of {@link startServer}; the process ends when the benchmark lets go of it. */
export function serve(start: (order: Order) => Promise<Served>): void {
  let served: Served | undefined;
  const answer = async (question: Order | Ask): Promise<unknown> => {
    if (question === 'cpu') {
      const { user, system } = process.cpuUsage();
      return user + system;
    }
    if (question === 'used') return usedBytes();
    if (question === 'marks') return served!.marks!();
    if ('tasks' in question) return served!.doTasks!(question.tasks);
    served = await start(question);
    const { url, grpcUrl } = served;
    return { url, grpcUrl };
  };
  process.on('message', (question: Order | Ask) => {
    void answer(question)
      .then(
        (value): Told => ({ value }),
        (thrown: unknown): Told => ({ failed: String(thrown) }),
      )
      .then((told) => process.send!(told));
  });
  process.on('disconnect', () => process.exit());
}
