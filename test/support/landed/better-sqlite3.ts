// As much of the driver better-sqlite3 as commit b3437ec uses, over the driver that the project has.

import { pragma, transaction } from '../../../stores/sqlite/connection.ts';
import type { Connection, SqlValue, Statement } from '../../../stores/sqlite/driver.ts';
import { loadDriver, toStoreError } from '../../../stores/sqlite/driver.ts';

const { DatabaseSync } = await loadDriver();

/** That driver has the name of what went wrong in `code`. */
function named<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    const code = /SQLITE_\w+/.exec(String(toStoreError(thrown)))?.[0];
    throw code === undefined ? thrown : Object.assign(new Error(code, { cause: thrown }), { code });
  }
}

class PreparedStatement {
  readonly #statement: Statement;
  #isPlucked = false;

  constructor(statement: Statement) {
    this.#statement = statement;
  }

  /** Only the first column from now on. */
  pluck(): this {
    this.#statement.setReturnArrays(true);
    this.#isPlucked = true;
    return this;
  }

  run(...values: readonly SqlValue[]): { readonly changes: number } {
    return named(() => this.#statement.run(...values));
  }

  get(...values: readonly SqlValue[]): unknown {
    return named(() => this.#shown(this.#statement.get(...values)));
  }

  all(...values: readonly SqlValue[]): unknown[] {
    return named(() => this.#statement.all(...values).map((row) => this.#shown(row)));
  }

  iterate(...values: readonly SqlValue[]): Iterable<unknown> {
    return this.all(...values);
  }

  #shown(row: unknown): unknown {
    return this.#isPlucked ? (row as readonly unknown[] | undefined)?.[0] : row;
  }
}

interface DatabaseOptions {
  readonly readonly?: boolean;
  readonly timeout?: number;
}

export class Database {
  readonly #db: Connection;

  constructor(path: string, { readonly: readOnly = false, timeout = 5_000 }: DatabaseOptions = {}) {
    this.#db = named(() => new DatabaseSync(path, { readOnly, timeout }));
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  prepare(sql: string): PreparedStatement {
    return named(() => new PreparedStatement(this.#db.prepare(sql)));
  }

  exec(sql: string): void {
    named(() => this.#db.exec(sql));
  }

  /** The value alone: nobody asks for more. */
  pragma(setting: string): SqlValue | undefined {
    return named(() => pragma(this.#db, setting));
  }

  /** One inside another is a part of it. */
  transaction<T>(work: () => T): (() => T) & { readonly immediate: () => T } {
    const inside = (kind: 'DEFERRED' | 'IMMEDIATE') => (): T =>
      this.inTransaction ? work() : named(() => transaction(this.#db, kind, work));
    return Object.assign(inside('DEFERRED'), { immediate: inside('IMMEDIATE') });
  }

  close(): void {
    this.#db.close();
  }
}
