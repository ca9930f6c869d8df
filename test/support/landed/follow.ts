// Owns followers of commit b3437ec, each a process of its own, and a way to a daemon that can be cut.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import type { Followed } from './follower.ts';

const PROGRAM = fileURLToPath(new URL('follower.ts', import.meta.url));

export interface FollowOptions {
  readonly builds: string;
  readonly home: string;
  readonly url: string;
  /** Gives the task with this goal. @default it follows one that was given */
  readonly goal?: string;
}

/** All that a follower was told, line by line as it comes; ends when the follower does. */
export async function* followLanded(
  id: string,
  { builds, home, url, goal }: FollowOptions,
): AsyncGenerator<Followed> {
  const how = goal === undefined ? 'watch' : 'task';
  const args = ['--import', 'tsx', PROGRAM, builds, home, url, how, id, goal ?? ''];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    yield JSON.parse(line) as Followed;
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`a follower ended with exit code ${code}`);
}

export interface CuttablePort {
  readonly port: number;
  /** From now on it leads there. */
  readonly leadTo: (target: number) => void;
  /** Ends every connection. */
  readonly cut: () => void;
}

/** A port that leads to another one. */
export async function cuttablePort(): Promise<CuttablePort> {
  const open = new Set<Socket>();
  let target = 0;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, leadTo: (given) => (target = given), cut };
}
