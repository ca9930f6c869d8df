// Owns loading @redis/client, which is optional, and saying what its errors mean.

import type { StoreFault } from '../../src/stores/index.ts';
import { StoreError } from '../../src/stores/index.ts';

export type Argument = string | Uint8Array;
export type Reply = string | number | Uint8Array | null | readonly Reply[];

/** What the store uses of a client. */
export interface Client {
  connect(): Promise<unknown>;
  sendCommand(args: readonly Argument[]): Promise<Reply>;
  /** Fails what is in flight and does not connect again. */
  destroy(): void;
  on(event: 'connect' | 'ready' | 'end', listener: () => void): unknown;
  on(event: 'error', listener: (thrown: Error) => void): unknown;
}

interface ClientOptions {
  readonly url: string;
  readonly connectTimeoutMs: number;
  /** Milliseconds until the next attempt, or false to give up. */
  readonly retryAfter: (attempts: number) => number | false;
}

export type Driver = (options: ClientOptions) => Client;

const MISSING =
  'the Redis store needs the package @redis/client, which is not installed: run "npm install @redis/client", or choose another store';

/** The types of the driver stay in this file, because a user of the package may not have it installed. */
const loadPackage = (): Promise<unknown> => import('@redis/client');

/** @param load replaced in tests. */
export async function loadDriver(load: () => Promise<unknown> = loadPackage): Promise<Driver> {
  const loaded = await load().catch((thrown: unknown) => {
    throw new StoreError('unavailable', MISSING, thrown);
  });
  const { RESP_TYPES, createClient } = loaded as typeof import('@redis/client');
  return ({ url, connectTimeoutMs, retryAfter }) =>
    createClient({
      url,
      RESP: 2,
      commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
      // With the queue a call would hang until the server is back, and a repeated call could meet its own effect.
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: retryAfter },
    });
}

const REFUSALS: readonly (readonly [code: string, fault: StoreFault, words: string])[] = [
  ['OOM', 'failed', 'Redis is full: raise its maxmemory; nothing is evicted'],
  ['READONLY', 'failed', 'this Redis is a read-only replica: give the URL of the primary'],
  ['LOADING', 'busy', 'Redis is still loading its data'],
  ['BUSY', 'busy', 'Redis is busy with the script of another client'],
  ['MISCONF', 'failed', 'Redis cannot write to its disk'],
  ['NOAUTH', 'failed', 'Redis demands a password: give it in the URL'],
  ['WRONGPASS', 'failed', 'Redis refused the user or the password of the URL'],
  ['NOPERM', 'failed', 'the Redis user of the URL may not do this'],
  ['MOVED', 'failed', 'Redis Cluster is not supported: give the URL of a single server'],
];

/** The driver's words stay in `cause`: they may quote what was stored. */
export function toStoreError(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const code = refusalOf(thrown);
  if (code === undefined) {
    return new StoreError(
      'failed',
      'Redis cannot be reached: a write may or may not have been done',
      thrown,
    );
  }
  const [, fault, words] = REFUSALS.find(([known]) => known === code) ?? [
    '',
    'failed' as const,
    'Redis refused the command',
  ];
  return new StoreError(fault, `${words} (${code})`, thrown);
}

/** The code that the server's refusal begins with; undefined when it was no answer of the server. */
export function refusalOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? /^[A-Z]{2,}(?= )/.exec(thrown.message)?.[0] : undefined;
}
