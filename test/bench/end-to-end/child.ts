// What the benchmark and the servers in their own processes say to each other.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Peer } from '../../../src/security/peers/peer.ts';

export type WireName = 'http' | 'ws' | 'ipc';
export const WIRES: readonly WireName[] = ['http', 'ws', 'ipc'];
/** For `ipc` the path of the socket. */
type Addresses = Readonly<Record<WireName, string>>;

/** What a server is started with. */
export interface ServerOrder {
  /** Where its Unix socket goes. */
  readonly socketPath: string;
  /** Whom the runtime is to know. */
  readonly peers: readonly Peer[];
  /** What a bare server answers with, by the length of the request. */
  readonly replyBytes: ReadonlyMap<number, number>;
}

/** What it says once it listens. */
export interface ServerReady {
  readonly addresses: Addresses;
  /** Who the runtime is; absent for bare servers. */
  readonly entry?: Peer;
}

export interface ServerChild extends ServerReady {
  /** Microseconds of CPU time that it has used. */
  readonly cpuMicros: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Starts a module of this folder as a server. */
export async function startServer(module: string, order: ServerOrder): Promise<ServerChild> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  const ready = (await ask(child, order)) as ServerReady;
  return {
    ...ready,
    cpuMicros: async () => (await ask(child, 'cpu')) as number,
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

async function ask(child: ChildProcess, question: ServerOrder | 'cpu'): Promise<unknown> {
  const failed = new AbortController();
  const { signal } = failed;
  child.send(question);
  try {
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error('a server of the benchmark has ended');
    });
    const [answer] = (await Promise.race([once(child, 'message', { signal }), ended])) as unknown[];
    return answer;
  } finally {
    failed.abort();
  }
}

/** The other end of {@link startServer}; the process ends when the benchmark lets go of it. */
export function serve(start: (order: ServerOrder) => Promise<ServerReady>): void {
  process.on('message', (question: ServerOrder | 'cpu') => {
    if (question !== 'cpu') {
      void start(question).then((ready) => process.send!(ready));
      return;
    }
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  process.on('disconnect', () => process.exit());
}
