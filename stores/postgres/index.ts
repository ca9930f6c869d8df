// Owns the store in a PostgreSQL database: durable, for any number of nodes at once; the log is the truth, a notification a hint.
// Needs PostgreSQL 12 or later and connections of its own: behind a pooler, one that pools sessions.

import type {
  Backend,
  Counting,
  Entry,
  InventoryPart,
  Listing,
  Operation,
  Page,
  PurgeBatch,
  Store,
  StoreSnapshot,
  Tail,
  Tally,
  TransactResult,
} from '../../src/stores/index.ts';
import { Watchers, checkInteger, createStore, snapshotOf } from '../../src/stores/index.ts';
import { Absence } from './absence.ts';
import type { Reader } from './connections.ts';
import { Connections, query } from './connections.ts';
import { loadDriver, makeClient, placeOf } from './driver.ts';
import { GroupCommit } from './group.ts';
import { Listener } from './listener.ts';
import { PostgresLists } from './lists.ts';
import { migrate } from './migrations.ts';
import { Moment } from './moment.ts';
import { PostgresReads } from './reads.ts';
import type { Schema } from './schema-1.ts';
import { schemaOf } from './schema-1.ts';

/** What TLS to the server needs; the members are those of Node. */
export interface PostgresTls {
  /** As PEM text. @default the authorities that Node knows */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Where the database is. What is left out comes from the variables PGHOST, PGUSER and so on. */
export interface PostgresConnection {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  /** A function is asked for every new connection: for passwords that change. */
  readonly password?: string | (() => string | Promise<string>);
  /** @default false */
  readonly ssl?: boolean | PostgresTls;
}

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full`, or the same in parts. */
  readonly connection: string | PostgresConnection;
  /** Created when it is not there; several stores in one database have one each. @default 'a2a_sdl' */
  readonly schema?: string;
  /**
   * Milliseconds since 1970; decides what has expired. Every node uses its own clock, so keep the clocks equal. If one
   * clock is ahead, entries expire earlier by that much, because its node may replace or purge them.
   * @default Date.now
   */
  readonly now?: () => number;
  /** Connections for reading; one more writes, and one listens once there was a watcher. @default 4 */
  readonly readConnections?: number;
  /** How often watchers look for what no notification told them. @default 1000 */
  readonly pollIntervalMs?: number;
  /**
   * How long to wait for another transaction or a free connection; for a server that is away no longer than 2 seconds,
   * once for all calls. @default 5000
   */
  readonly busyTimeoutMs?: number;
  /** How long one call of the server may take. @default 60000 */
  readonly callTimeoutMs?: number;
}

/**
 * Opens or creates the store; fails with a StoreError whose `fault` says why.
 * An acknowledged write is on the server's disk: `synchronous_commit` stays as it is set, but `off` becomes `on`.
 * A write that fails because the connection was lost may still have been done. Reads are repeated automatically.
 */
export function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return openWith(options, async (connections) => connections);
}

/** The store as it is now, even if others write meanwhile. Until it is closed, the server keeps all that others delete. */
export async function openPostgresSnapshot(
  options: Omit<PostgresStoreOptions, 'readConnections' | 'pollIntervalMs'>,
): Promise<StoreSnapshot> {
  const at = (options.now ?? Date.now)();
  const store = await openWith({ ...options, now: () => at, readConnections: 1 }, Moment.open);
  return snapshotOf(store);
}

async function openWith(
  options: PostgresStoreOptions,
  readOn: (connections: Connections) => Promise<Reader>,
): Promise<Store> {
  const {
    connection,
    schema: name,
    now = Date.now,
    readConnections = 4,
    pollIntervalMs = 1_000,
    busyTimeoutMs = 5_000,
    callTimeoutMs = 60_000,
  } = options;
  if (typeof connection === 'string' && !/^postgres(ql)?:\/\//.test(connection)) {
    throw new TypeError('"connection" expected postgres://… or the parts of it');
  }
  const schema = schemaOf(name);
  checkInteger('readConnections', readConnections, 1, 1_000);
  checkInteger('pollIntervalMs', pollIntervalMs, 1, 3_600_000);
  checkInteger('busyTimeoutMs', busyTimeoutMs, 1, 3_600_000);
  checkInteger('callTimeoutMs', callTimeoutMs, 1, 3_600_000);

  const driver = await loadDriver();
  const config = {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: 'a2a-sdl',
    keepAlive: true,
    connectionTimeoutMillis: busyTimeoutMs,
  };
  // Checked now, because later a mistake in the address would look like a server that is away.
  const place = placeOf(makeClient(driver, config));
  const server = { place, absence: new Absence(busyTimeoutMs) };
  const limits = { busyTimeoutMs, callTimeoutMs };
  const writes = new Connections(driver, config, { ...limits, connections: 1 }, server);
  let reads: Reader;
  try {
    await writes.write((client) => migrate(client, schema, now()));
    reads = await readOn(
      new Connections(driver, config, { ...limits, connections: readConnections }, server),
    );
  } catch (thrown) {
    await writes.close();
    throw thrown;
  }
  const watchers: Watchers = new Watchers((isIdle) => {
    if (isIdle) backend.stopFollowing();
    else backend.startFollowing(pollIntervalMs, watchers);
  });
  const listener = new Listener(driver, config, schema, {
    onListening: () => watchers.wakeAll(),
    onAppend: (log) => watchers.wake(log),
  });
  const backend = new PostgresBackend({ reads, writes, listener, schema, now });
  return createStore(backend, watchers);
}

const PURGE_BATCH = 1_000;

interface Parts {
  readonly reads: Reader;
  readonly writes: Connections;
  readonly listener: Listener;
  readonly schema: Schema;
  readonly now: () => number;
}

class PostgresBackend implements Backend {
  readonly #parts: Parts;
  readonly #reads: PostgresReads;
  readonly #lists: PostgresLists;
  readonly #group: GroupCommit;
  #poll: ReturnType<typeof setInterval> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#reads = new PostgresReads(parts.reads, parts.schema);
    this.#lists = new PostgresLists(parts.reads, parts.schema);
    this.#group = new GroupCommit(parts.writes, parts.schema, parts.now);
  }

  get(space: string, key: string): Promise<Entry | undefined> {
    return this.#reads.get(space, key, this.#parts.now());
  }

  count(space: string, counting: Counting): Promise<number> {
    return this.#lists.count(space, counting, this.#parts.now());
  }

  list(space: string, listing: Listing): Promise<Page> {
    return this.#lists.list(space, listing, this.#parts.now());
  }

  async length(log: string): Promise<number> {
    const [head] = await this.#reads.heads([log]);
    return head?.length ?? 0;
  }

  pull(log: string, from: number, limit: number, maxBytes: number): Promise<Tail> {
    return this.#reads.pull(log, from, limit, maxBytes);
  }

  async transact(operations: readonly Operation[]): Promise<TransactResult> {
    return operations.length === 0 ? { ok: true, results: [] } : this.#group.run(operations);
  }

  tally(name: string): Promise<Tally> {
    return this.#reads.tally(name);
  }

  inventory(of: InventoryPart, after: string, limit: number): Promise<readonly string[]> {
    return this.#reads[of](after, limit);
  }

  async purge(before: number): Promise<PurgeBatch> {
    const { writes, schema, now } = this.#parts;
    const statement = {
      name: 'purge',
      text: `SELECT removed, cleared FROM ${schema.sql}.sweep($1, $2)`,
    };
    const values = [Math.min(before, now()), PURGE_BATCH];
    const [batch] = await writes.write((client) =>
      query<{ readonly removed: number; readonly cleared: boolean }>(client, statement, values),
    );
    const { removed, cleared } = batch!;
    return { removed, isLast: removed < PURGE_BATCH && cleared };
  }

  async close(): Promise<void> {
    const { reads, writes, listener } = this.#parts;
    await this.#group.idle();
    this.stopFollowing();
    await Promise.all([reads.close(), writes.close(), listener.close()]);
  }

  /** Looks for appends that nobody told of; only a change of a watched log wakes anybody. */
  startFollowing(intervalMs: number, watchers: Watchers): void {
    this.#parts.listener.start();
    let isLooking = false;
    let tails: ReadonlyMap<string, string> = new Map();
    const look = async (): Promise<void> => {
      const heads = await this.#reads.heads([...watchers.logs]);
      const earlier = tails;
      tails = new Map(heads.map(({ name, id, length }) => [name, `${id}:${length}`]));
      for (const log of watchers.logs) if (earlier.get(log) !== tails.get(log)) watchers.wake(log);
    };
    this.#poll = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      // A server that is away is no reason to end a watch: the next look may find it again.
      void look()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    }, intervalMs);
  }

  stopFollowing(): void {
    clearInterval(this.#poll);
  }
}
