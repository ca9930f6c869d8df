// Owns the connections of one purpose: made when needed, set up the same way whatever the server's defaults are,
// thrown away when they break.

import type { Pool, PoolClient, PoolConfig } from 'pg';

import type { StoreError } from '../../src/stores/index.ts';
import type { Absence } from './absence.ts';
import type { Driver } from './driver.ts';
import { isConflict, isLost, toStoreError } from './driver.ts';
import { TYPES } from './values.ts';

/** Prepared once a connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Where reads are asked. */
export interface Reader {
  read<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

interface Server {
  /** Where it is, without secrets. */
  readonly place: string;
  /** One for all connections to it. */
  readonly absence: Absence;
}

interface Limits {
  readonly connections: number;
  /** For a lock, and for a free connection. */
  readonly busyTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** A write is decided under a lock and must see what others committed before; an answer means that it is on disk. */
const SETUP = `SELECT
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  set_config('bytea_output', 'hex', false),
  set_config('lock_timeout', $1, false),
  set_config('statement_timeout', $2, false),
  set_config('idle_in_transaction_session_timeout', $2, false)`;

/** More than there are connections to read on. */
const READ_ATTEMPTS = 8;
const ATTEMPTS = 5;
const FIRST_DELAY_MS = 20;

export class Connections implements Reader {
  readonly #pool: Pool;
  readonly #limits: Limits;
  readonly #server: Server;
  readonly #ready = new WeakSet<PoolClient>();
  #inUse = 0;
  #onIdle: (() => void) | undefined;

  constructor(driver: Driver, config: PoolConfig, limits: Limits, server: Server) {
    this.#limits = limits;
    this.#server = server;
    this.#pool = new driver.Pool({
      ...config,
      types: TYPES,
      max: limits.connections,
      connectionTimeoutMillis: limits.busyTimeoutMs,
      // Only for a server that does not answer at all. A server that works ends the call earlier, by its own limit.
      query_timeout: 2 * limits.callTimeoutMs,
    });
    // The pool replaces an idle connection that breaks; the next call sees whether that works.
    this.#pool.on('error', () => undefined);
  }

  /** Runs a transaction, and again when it lost against another one: the server has undone all of it then. */
  write<T>(transaction: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#counted(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#use(transaction);
        } catch (thrown) {
          if (!isConflict(thrown) || attempt === ATTEMPTS) throw thrown;
        }
      }
    });
  }

  /** Runs one statement that only reads. If a connection is dead, it tries the next one of the pool. */
  read<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const ask = (client: PoolClient): Promise<Row[]> => query<Row>(client, statement, values);
    return this.#counted(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#use(ask);
        } catch (thrown) {
          if (!isLost(thrown) || attempt === READ_ATTEMPTS) throw thrown;
        }
      }
    });
  }

  /** Lends one connection for as long as it is needed. The caller gives it back before {@link close}. */
  async keep(): Promise<PoolClient> {
    return this.#counted(() => this.#lend());
  }

  explain(thrown: unknown): StoreError {
    return toStoreError(thrown, this.#server.place);
  }

  /** Finishes what was asked for, then closes every connection. */
  async close(): Promise<void> {
    if (this.#inUse > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.#pool.end();
  }

  /** Fails only with a StoreError, and {@link close} waits for it. */
  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#inUse += 1;
    try {
      return await work();
    } catch (thrown) {
      throw this.explain(thrown);
    } finally {
      this.#inUse -= 1;
      if (this.#inUse === 0) this.#onIdle?.();
    }
  }

  async #use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#lend();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (thrown) {
      // It may be dead, or in the middle of a transaction: nobody else must get it.
      client.release(true);
      throw thrown;
    }
  }

  /** Waits for a server that is away, perhaps only restarting: nothing was sent yet, so nothing can be done twice. */
  async #lend(): Promise<PoolClient> {
    const { absence } = this.#server;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs *= 2) {
      absence.assertWorthALook();
      try {
        const client = await this.#prepared();
        absence.end();
        return client;
      } catch (thrown) {
        // A refusal is an answer too.
        if (!isLost(thrown)) {
          absence.end();
          throw thrown;
        }
        const error = this.explain(thrown);
        if (!absence.note(error, delayMs)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }

  async #prepared(): Promise<PoolClient> {
    const client = await this.#pool.connect();
    if (this.#ready.has(client)) return client;
    // A connection that breaks while it is lent says so here too; the call that uses it has the error.
    client.on('error', () => undefined);
    try {
      const { busyTimeoutMs, callTimeoutMs } = this.#limits;
      await client.query(SETUP, [String(busyTimeoutMs), String(callTimeoutMs)]);
    } catch (thrown) {
      client.release(true);
      throw thrown;
    }
    this.#ready.add(client);
    return client;
  }
}

export async function query<Row>(
  client: PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await client.query({ ...statement, values: [...values] });
  return rows as Row[];
}
