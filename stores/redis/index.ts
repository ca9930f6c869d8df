// Owns the store of entries in Redis or Valkey: replay, sessions and rate limits of several nodes. No lists, no logs.
// Redis itself never expires an entry. The node that asks decides by its own clock whether `expiresAt` has passed, and
// an entry is freed only when the server's clock is past it by a margin. So no single clock can drop a nonce early.

import type {
  Counting,
  Entry,
  EntryBackend,
  EntryIndex,
  EntryStore,
  EntryWrite,
  PurgeBatch,
  RateLimiter,
  WriteResult,
} from '../../src/stores/index.ts';
import { checkInteger, createEntryStore } from '../../src/stores/index.ts';
import { checkFormat, checkServer } from './check.ts';
import type { Driver } from './driver.ts';
import { loadDriver } from './driver.ts';
import { RedisLink } from './link.ts';
import type { RedisRateLimiterOptions } from './rate-limiter.ts';
import { createRedisRateLimiter } from './rate-limiter.ts';
import { COUNT, DELETE, PURGE, PUT } from './scripts.ts';

export interface RedisStoreOptions {
  /** `redis://host`, `rediss://host` (TLS) or `unix:///path`, with user and password where the server wants them. */
  readonly url: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** What all keys begin with; another prefix is another store. @default 'a2a-sdl' */
  readonly prefix?: string;
  /** How long to wait for an answer before the call fails. @default 5000 */
  readonly timeoutMs?: number;
  /** How far the clocks of nodes and server may be apart: expired entries are kept for so long. @default 600000 */
  readonly clockMarginMs?: number;
  /** Use a server that drops nonces when it is full. @default false */
  readonly allowEviction?: boolean;
  /** Told at opening what may make the server forget. @default process.emitWarning */
  readonly onWarning?: (message: string) => void;
}

export interface RedisStore extends EntryStore {
  /** Counts for all processes that use the same server and prefix; over the store's connection, and closed with it. */
  rateLimiter(options?: RedisRateLimiterOptions): RateLimiter;
}

/** Connects and checks the server; fails with a StoreError whose `fault` says why. Needs Redis 6 or later, or Valkey. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const {
    url,
    now = Date.now,
    prefix = 'a2a-sdl',
    timeoutMs = 5_000,
    clockMarginMs = 600_000,
    allowEviction = false,
    onWarning = (message) => process.emitWarning(message),
  } = options;
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(prefix)) {
    throw new TypeError('"prefix" expected 1 to 64 letters, digits, dots, hyphens or underscores');
  }
  checkInteger('timeoutMs', timeoutMs, 1, 3_600_000);
  checkInteger('clockMarginMs', clockMarginMs);
  const base = `${prefix}:`;
  const link = makeLink(await loadDriver(), url, timeoutMs);
  await link.connect();
  try {
    await checkServer(link, { allowEviction, onWarning });
    await checkFormat(link, base);
  } catch (thrown) {
    await link.close();
    throw thrown;
  }
  const store = createEntryStore(new RedisBackend(link, now, base, clockMarginMs));
  return Object.assign(store, {
    rateLimiter: (limiter: RedisRateLimiterOptions = {}) =>
      createRedisRateLimiter(link, { base, clockMarginMs }, limiter),
  });
}

const PURGE_BATCH = 256;

class RedisBackend implements EntryBackend {
  readonly #link: RedisLink;
  readonly #now: () => number;
  readonly #base: string;
  readonly #margin: string;

  constructor(link: RedisLink, now: () => number, base: string, clockMarginMs: number) {
    this.#link = link;
    this.#now = now;
    this.#base = base;
    this.#margin = String(clockMarginMs);
  }

  async get(space: string, key: string): Promise<Entry | undefined> {
    const name = `${this.#base}e${inSpace(space)}${key}`;
    const reply = await this.#link.send('HMGET', name, 'v', 'x', 'i', 'd');
    const [version, expiry, fields, value] = reply as (Buffer | null)[];
    if (!version || !expiry || !fields || !value) return undefined;
    const expiresAt = expiry.length === 0 ? undefined : Number(expiry);
    if (expiresAt !== undefined && expiresAt <= this.#now()) return undefined;
    return {
      key,
      value: new Uint8Array(value),
      version: Number(version),
      expiresAt,
      index: indexOf(String(fields)),
      rank: undefined,
    };
  }

  async count(space: string, { index, atMost }: Counting): Promise<number> {
    const now = String(this.#now());
    const [field, ...others] = Object.keys(index);
    if (others.length > 0) {
      const args = [space, now, String(atMost), fieldsText(index)];
      return (await this.#link.run(COUNT, this.#base, args)) as number;
    }
    const set = field === undefined ? `s${space}` : `i${inSpace(space)}${field}=${index[field]}`;
    const live = await this.#link.send('ZCOUNT', this.#base + set, `(${now}`, '+inf');
    return Math.min(live as number, atMost);
  }

  async write(operation: EntryWrite): Promise<WriteResult> {
    const { type, space, key } = operation;
    const ifVersion = type === 'add' ? 0 : operation.ifVersion;
    const args = [space, key, String(this.#now()), optional(ifVersion)];
    const reply =
      type === 'delete'
        ? await this.#link.run(DELETE, this.#base, args)
        : await this.#link.run(PUT, this.#base, [
            ...args,
            this.#margin,
            optional(operation.expiresAt),
            fieldsText(operation.index!),
            viewOf(operation.value),
          ]);
    const [isDone, version] = reply as [number, number];
    return { ok: isDone === 1, version };
  }

  async purge(before: number): Promise<PurgeBatch> {
    const moment = String(Math.min(before, this.#now()));
    const args = [moment, this.#margin, String(PURGE_BATCH)];
    const removed = (await this.#link.run(PURGE, this.#base, args)) as number;
    return { removed, isLast: removed < PURGE_BATCH };
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

/** The driver reads the URL. Its error is not passed on: it would quote the password. */
function makeLink(driver: Driver, url: string, timeoutMs: number): RedisLink {
  try {
    if (typeof url === 'string' && url !== '') return new RedisLink(driver, url, timeoutMs);
  } catch {
    // Refused below, like what is no text.
  }
  throw new TypeError('"url" expected redis://host, rediss://host or unix:///path');
}

/** The length keeps any two pairs of space and key apart. */
function inSpace(space: string): string {
  return `${Buffer.byteLength(space)}:${space}`;
}

function optional(number: number | undefined): string {
  return number === undefined ? '' : String(number);
}

/** The same bytes in the class that the driver takes. */
function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const NO_INDEX: EntryIndex = Object.freeze(Object.create(null) as EntryIndex);

function fieldsText(index: EntryIndex): string {
  return Object.keys(index).length === 0 ? '' : JSON.stringify(index);
}

/** The text was written by {@link fieldsText} from a checked index. */
function indexOf(fields: string): EntryIndex {
  if (fields === '') return NO_INDEX;
  return Object.freeze(Object.setPrototypeOf(JSON.parse(fields), null) as EntryIndex);
}
