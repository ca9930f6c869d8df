// Gives suites a Redis: the one that A2A_SDL_TEST_REDIS names, else a private server on a Unix socket.
// Where there is neither, suites skip with a line, except in CI, where they fail.

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { createClient } from '@redis/client';
import { afterAll } from 'vitest';

import type { RedisStore, RedisStoreOptions } from '../../../stores/redis/index.ts';
import { openRedisStore } from '../../../stores/redis/index.ts';

/** The server program, for suites that need a server of their own. */
export const serverProgram: string | undefined = ['redis-server', 'valkey-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

const givenUrl = process.env['A2A_SDL_TEST_REDIS'];

export const hasRedis: boolean = givenUrl !== undefined || serverProgram !== undefined;

if (!hasRedis) {
  const words = 'there is no redis-server or valkey-server, and A2A_SDL_TEST_REDIS is not set';
  if (process.env['CI'] === 'true') throw new Error(words);
  console.log(`${words}: suites on Redis are skipped`);
}

/** Run after the suite: servers are also started by single tests, which have no such hook. */
const removals: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(removals.map((remove) => remove()));
});

export interface PrivateRedis {
  readonly url: string;
  /** The same server for another user. */
  readonly urlOf: (user: string, password: string) => string;
  readonly stop: () => Promise<void>;
  /** The same socket and data folder. */
  readonly start: () => Promise<void>;
  /** A server that is there and does not answer. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly command: (...args: string[]) => Promise<unknown>;
}

/** A server that is stopped after the suite. It keeps an append-only file unless the settings say otherwise. */
export async function startRedis(...settings: string[]): Promise<PrivateRedis> {
  if (serverProgram === undefined) throw new Error('no server program');
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-redis-'));
  const socket = join(folder, 'socket');
  const fixed = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const url = `unix://${socket}`;
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const child = spawn(serverProgram, [...fixed, ...durable, ...settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server = child;
    for await (const line of createInterface({ input: child.stdout })) {
      if (/ready to accept connections/i.test(line)) {
        child.stdout.resume();
        return;
      }
    }
    throw new Error('the server ended before it was ready');
  };
  const stop = async (): Promise<void> => {
    const child = server;
    server = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    // Not a shutdown: what was acknowledged must be there without a farewell.
    child.kill('SIGKILL');
    await exited;
  };
  removals.push(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return {
    url,
    urlOf: (user, password) => `unix://${user}:${password}@${socket}`,
    start,
    stop,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    command: (...args) => commandOn(url, args),
  };
}

export async function commandOn(url: string, args: readonly string[]): Promise<unknown> {
  const client = await createClient({ url, RESP: 2 }).connect();
  try {
    return await client.sendCommand(args);
  } finally {
    client.destroy();
  }
}

export interface TestRedis {
  readonly url: string;
  /** Stores of one place share their data; those of two do not. */
  readonly open: (place: string, options?: Partial<RedisStoreOptions>) => Promise<RedisStore>;
  /** What the keys of a place begin with. */
  readonly prefixOf: (place: string) => string;
  /** The keys of a place, without their prefix. */
  readonly keysOf: (place: string) => Promise<string[]>;
}

/** A server for suites that leave it as it is. */
export async function sharedRedis(): Promise<TestRedis> {
  const url = givenUrl ?? (await startRedis()).url;
  const run = `test-${randomUUID()}`;
  const prefixOf = (place: string): string => `${run}.${place}:`;
  const keysWith = async (prefix: string): Promise<string[]> =>
    (await commandOn(url, ['KEYS', `${prefix}*`])) as string[];
  if (givenUrl !== undefined) {
    removals.push(async () => {
      const keys = await keysWith(run);
      if (keys.length > 0) await commandOn(url, ['UNLINK', ...keys]);
    });
  }
  return {
    url,
    open: (place, options = {}) =>
      openRedisStore({ url, prefix: `${run}.${place}`, onWarning: () => undefined, ...options }),
    prefixOf,
    keysOf: async (place) => {
      const prefix = prefixOf(place);
      return (await keysWith(prefix)).map((key) => key.slice(prefix.length)).toSorted();
    },
  };
}
