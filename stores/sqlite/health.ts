// Owns the look at a SQLite store from beside it: which version it has, and whether its tables agree with each other.
// It reads only.

import { existsSync } from 'node:fs';

import { StoreError } from '../../src/stores/index.ts';
import { prepareColumn, transaction } from './connection.ts';
import type { Connection } from './driver.ts';
import { loadDriver, toStoreError } from './driver.ts';
import { SCHEMA_VERSION, assertReadable, versionOf } from './migrations.ts';

export interface StoreVersion {
  /** 0 = there is no store yet. */
  readonly found: number;
  /** What this program writes. */
  readonly known: number;
}

export async function sqliteVersion(path: string): Promise<StoreVersion> {
  const found = await look(path, versionOf);
  return { found: found ?? 0, known: SCHEMA_VERSION };
}

/** What is wrong with the file, in words; nothing when it is whole. */
export async function checkSqliteFile(path: string): Promise<readonly string[]> {
  const problems = await look(path, (db) => {
    // One moment for all of it, even if others write meanwhile.
    return transaction(db, 'DEFERRED', () => [...damageIn(db), ...disagreements(db)]);
  });
  if (problems === undefined) throw new StoreError('failed', `there is no ${path}`);
  return problems;
}

const MAX_DAMAGE = 20;

function damageIn(db: Connection): string[] {
  const rows = prepareColumn<string>(db, `PRAGMA integrity_check(${MAX_DAMAGE})`).all();
  return rows.length === 1 && rows[0] === 'ok' ? [] : rows.map((row) => `SQLite says: ${row}`);
}

const RULES: readonly (readonly [words: string, count: string])[] = [
  [
    'logs do not have the records that they should have',
    `SELECT count(*) FROM logs AS l WHERE length <> (SELECT count(*) FROM records WHERE log = l.id)
      OR length <> (SELECT max(position) + 1 FROM records WHERE log = l.id)`,
  ],
  [
    'records belong to no log',
    `SELECT count(*) FROM records WHERE log NOT IN (SELECT id FROM logs UNION SELECT id FROM dropped_logs)`,
  ],
  [
    'entries are not found by all of their index fields',
    `SELECT count(*) FROM entries AS e LEFT JOIN (
        SELECT e.sequence, count(*) AS count FROM entry_fields AS f CROSS JOIN entries AS e ON e.sequence = f.sequence
        WHERE f.space = e.space AND f.expires_at IS e.expires_at AND f.rank IS e.rank
          AND f.name IN (SELECT key FROM json_each(e.fields))
        GROUP BY e.sequence
      ) AS found ON found.sequence = e.sequence
      WHERE e.fields IS NOT NULL AND (SELECT count(*) FROM json_each(e.fields)) <> coalesce(found.count, 0)`,
  ],
  [
    'index fields belong to no entry',
    `SELECT count(*) FROM entry_fields AS f WHERE NOT EXISTS (SELECT 1 FROM entries AS e, json_each(e.fields) AS j
      WHERE e.sequence = f.sequence AND e.space = f.space AND j.key = f.name)`,
  ],
  [
    'tallies are empty or below 0',
    `SELECT count(*) FROM tallies WHERE count < 0 OR sum < 0 OR (count = 0 AND sum = 0)`,
  ],
  [
    'numbers are higher than the counter that gave them',
    `SELECT count(*) FROM (SELECT version AS number FROM entries UNION ALL SELECT id FROM logs)
      WHERE number > (SELECT sequence FROM counter)`,
  ],
];

function disagreements(db: Connection): string[] {
  return RULES.flatMap(([words, sql]) => {
    const count = prepareColumn<number>(db, sql).first()!;
    return count === 0 ? [] : [`${count} ${words}`];
  });
}

/** `undefined` where there is no file. */
async function look<T>(path: string, use: (db: Connection) => T): Promise<T | undefined> {
  const { DatabaseSync } = await loadDriver();
  if (!existsSync(path)) return undefined;
  let db: Connection | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    assertReadable(db, path);
    return use(db);
  } catch (thrown) {
    throw toStoreError(thrown);
  } finally {
    db?.close();
  }
}
