// Owns loading better-sqlite3, which is optional, and saying what its errors mean.

import type BetterSqlite3 from 'better-sqlite3';
import type { StoreFault } from '../../src/stores/index.ts';
import { StoreError } from '../../src/stores/index.ts';

export type Driver = typeof BetterSqlite3;
export type Connection = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;

const MISSING =
  'the SQLite store needs the package better-sqlite3, which is not installed or has no binary for this version of Node: ' +
  'run "npm install --no-save --foreground-scripts better-sqlite3@12" to see why (where no prebuilt binary can be had it needs Python, make and a C++ compiler), ' +
  'or choose another store';

/** @param load replaced in tests. */
export async function loadDriver(
  load: () => Promise<{ readonly default: Driver }> = () => import('better-sqlite3'),
): Promise<Driver> {
  try {
    const { default: driver } = await load();
    // The package finds its binary only when a connection is made.
    new driver(':memory:').close();
    return driver;
  } catch (thrown) {
    throw new StoreError('unavailable', MISSING, thrown);
  }
}

const FAULTS: readonly (readonly [prefix: string, fault: StoreFault, words: string])[] = [
  ['SQLITE_BUSY', 'busy', 'another process holds the SQLite database for too long'],
  ['SQLITE_NOTADB', 'corrupt', 'the file is not a SQLite database'],
  ['SQLITE_CORRUPT', 'corrupt', 'the SQLite database is damaged: restore a copy of it'],
  ['SQLITE_FULL', 'failed', 'the disk is full'],
  ['SQLITE_READONLY', 'failed', 'the SQLite database cannot be written'],
  ['SQLITE_CANTOPEN', 'failed', 'the SQLite database cannot be opened'],
  ['SQLITE_IOERR', 'failed', 'reading or writing the SQLite database failed'],
];

export function isBusy(thrown: unknown): boolean {
  return codeOf(thrown).startsWith('SQLITE_BUSY');
}

/** The driver's words stay in `cause`: they may quote what was stored. */
export function toStoreError(thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (!code.startsWith('SQLITE_')) return thrown;
  const [, fault, words] = FAULTS.find(([prefix]) => code.startsWith(prefix)) ?? [
    '',
    'failed' as const,
    'SQLite refused the operation',
  ];
  return new StoreError(fault, `${words} (${code})`, thrown);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
