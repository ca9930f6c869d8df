// Owns what is asked of a connection beyond statements: single columns, settings, and transactions around some work.

import type { Connection, SqlValue } from './driver.ts';

/** A query of one column: its values, without rows around them. */
export interface Column<T> {
  /** Undefined when there is no row. */
  first(...values: readonly SqlValue[]): T | undefined;
  all(...values: readonly SqlValue[]): T[];
}

export function prepareColumn<T>(db: Connection, sql: string): Column<T> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return {
    first: (...values) => (statement.get(...values) as [T] | undefined)?.[0],
    all: (...values) => (statement.all(...values) as [T][]).map(([value]) => value),
  };
}

/** Reads a setting of SQLite, or makes one and returns what SQLite has made of it. */
export function pragma(db: Connection, setting: string): SqlValue | undefined {
  return prepareColumn<SqlValue>(db, `PRAGMA ${setting}`).first();
}

/** All of the work or nothing; it cannot be called inside another one. */
export function transaction<T>(db: Connection, kind: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
  db.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (thrown) {
    // Some errors have already undone it.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
}

/**
 * A driver may keep the file open until its statements are collected as garbage. Nothing may depend on that moment:
 * no transaction is left open, and all that was written is in the file itself.
 */
export function closeConnection(db: Connection): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Committed data is safe in the log beside the file, and the next process that opens the file reads it from there.
  }
  db.close();
}
