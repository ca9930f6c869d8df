// Owns reading one moment of a PostgreSQL store, on one connection that is kept until the end.

import type { PoolClient } from 'pg';

import type { Connections, Reader, Statement } from './connections.ts';
import { query } from './connections.ts';

export class Moment implements Reader {
  readonly #connections: Connections;
  readonly #client: PoolClient;

  private constructor(connections: Connections, client: PoolClient) {
    this.#connections = connections;
    this.#client = client;
  }

  /** Closing it closes the connections too. */
  static async open(this: void, connections: Connections): Promise<Moment> {
    try {
      const moment = new Moment(connections, await connections.keep());
      await moment.#begin();
      return moment;
    } catch (thrown) {
      await connections.close();
      throw connections.explain(thrown);
    }
  }

  /** Not asked again when the connection is lost: another one would see another moment. */
  async read<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await query<Row>(this.#client, statement, values);
    } catch (thrown) {
      throw this.#connections.explain(thrown);
    }
  }

  async #begin(): Promise<void> {
    try {
      // The first statement, not the beginning, decides which moment it is.
      await this.#client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1');
    } catch (thrown) {
      this.#client.release(true);
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.#client.release(true);
    await this.#connections.close();
  }
}
