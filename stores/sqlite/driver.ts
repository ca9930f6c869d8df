// Owns choosing and loading the SQLite driver, and saying what its errors mean. Both drivers have the API of node:sqlite:
// the module that is built into Node where it has all that is used here, else the package @photostructure/sqlite.

import type { StoreFault } from '../../src/stores/index.ts';
import { StoreError } from '../../src/stores/index.ts';

export type SqlValue = null | number | string | Uint8Array;

/** As much of a prepared statement as is used. */
export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
  iterate(...values: readonly SqlValue[]): Iterable<unknown>;
  /** Rows as arrays instead of objects. */
  setReturnArrays(isEnabled: boolean): void;
}

/** As much of a connection as is used. */
export interface Connection {
  readonly isTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

interface ConnectionOptions {
  /** The file must be there, too. */
  readonly readOnly?: boolean;
  /** How long SQLite itself waits for a lock, in milliseconds. */
  readonly timeout?: number;
}

type DatabaseClass = new (path: string, options?: ConnectionOptions) => Connection;

export interface Driver {
  readonly name: 'node:sqlite' | '@photostructure/sqlite';
  readonly DatabaseSync: DatabaseClass;
}

/** Where the two drivers come from; replaced in tests. */
export interface DriverSources {
  /** Undefined where Node has no such module. */
  readonly builtIn: () => unknown;
  readonly installed: () => Promise<unknown>;
}

const SOURCES: DriverSources = {
  builtIn: () => process.getBuiltinModule('node:sqlite'),
  installed: () => import('@photostructure/sqlite'),
};

const MISSING =
  'the SQLite store needs a driver and found none: use Node 22.16 or later, which has one built in, ' +
  'or run "npm install @photostructure/sqlite@1" (its binaries are in the package; nothing is compiled), ' +
  'or choose another store';

export async function loadDriver(sources: DriverSources = SOURCES): Promise<Driver> {
  const builtIn = completeIn(withoutItsWarning(sources.builtIn));
  if (typeof builtIn === 'function') return { name: 'node:sqlite', DatabaseSync: builtIn };
  try {
    const installed = completeIn(await sources.installed());
    if (typeof installed !== 'function') throw installed;
    return { name: '@photostructure/sqlite', DatabaseSync: installed };
  } catch (thrown) {
    throw new StoreError('unavailable', MISSING, thrown);
  }
}

/** Hides the warning that the module is experimental: `completeIn` checks all that is used of it. */
function withoutItsWarning<T>(load: () => T): T {
  const emitWarning = Reflect.get(process, 'emitWarning') as (...given: unknown[]) => void;
  process.emitWarning = (...given: unknown[]) => {
    const [warning, type] = given;
    const isOfSqlite = String(warning).startsWith('SQLite is an experimental feature');
    if (type === 'ExperimentalWarning' && isOfSqlite) return;
    Reflect.apply(emitWarning, process, given);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const PROBE_TIMEOUT_MS = 7;

/** The class of a driver that runs and has all that is used here, or why it has not. Versions are not asked. */
function completeIn(module: unknown): DatabaseClass | Error {
  let db: Connection | undefined;
  try {
    const { DatabaseSync } = module as Driver;
    // Also the moment at which a package looks for its binary.
    db = new DatabaseSync(':memory:', { timeout: PROBE_TIMEOUT_MS });
    const timeout = db.prepare('PRAGMA busy_timeout');
    timeout.setReturnArrays(true);
    const [waits] = timeout.get() as [number];
    if (waits !== PROBE_TIMEOUT_MS) throw new Error('the driver has no option "timeout"');
    if (!('isTransaction' in db)) throw new Error('the driver has no "isTransaction"');
    return DatabaseSync;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  } finally {
    db?.close();
  }
}

/** The primary result codes of SQLite, each at its number. */
const RESULT_NAMES =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );

const FAULTS: ReadonlyMap<string, readonly [fault: StoreFault, words: string]> = new Map([
  ['BUSY', ['busy', 'another process holds the SQLite database for too long']],
  ['NOTADB', ['corrupt', 'the file is not a SQLite database']],
  ['CORRUPT', ['corrupt', 'the SQLite database is damaged: restore a copy of it']],
  ['FULL', ['failed', 'the disk is full']],
  ['READONLY', ['failed', 'the SQLite database cannot be written']],
  ['CANTOPEN', ['failed', 'the SQLite database cannot be opened']],
  ['IOERR', ['failed', 'reading or writing the SQLite database failed']],
]);

export function isBusy(thrown: unknown): boolean {
  return resultOf(thrown) === 'BUSY';
}

/** The driver's words stay in `cause`: they may quote what was stored. */
export function toStoreError(thrown: unknown): unknown {
  const result = resultOf(thrown);
  if (result === undefined) return thrown;
  const [fault, words] = FAULTS.get(result) ?? ['failed', 'SQLite refused the operation'];
  return new StoreError(fault, `${words} (SQLITE_${result})`, thrown);
}

/** SQLite's own words, for errors while rows are read one by one: there the package gives no error number. */
const WORDS_OF_SQLITE: ReadonlyMap<string, string> = new Map([
  ['database is locked', 'BUSY'],
  ['file is not a database', 'NOTADB'],
  ['database disk image is malformed', 'CORRUPT'],
  ['database or disk is full', 'FULL'],
  ['attempt to write a readonly database', 'READONLY'],
  ['unable to open database file', 'CANTOPEN'],
  ['disk I/O error', 'IOERR'],
]);

/** The result code of an error of SQLite, without the detail that its higher bits tell. */
function resultOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  if (thrown.code !== 'ERR_SQLITE_ERROR') return undefined;
  if (!('errcode' in thrown)) return WORDS_OF_SQLITE.get(thrown.message) ?? 'ERROR';
  const code = Number(thrown.errcode) & 0xff;
  return RESULT_NAMES[code] ?? String(code);
}
