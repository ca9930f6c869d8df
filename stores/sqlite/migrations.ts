// Owns the schema of the SQLite database and its history. Migrations are never edited, only added; there is no way back.

import { StoreError } from '../../src/stores/index.ts';
import { carryTasks } from './carry-tasks.ts';
import { pragma, prepareColumn, transaction } from './connection.ts';
import type { Connection } from './driver.ts';

/** "a2as" in ASCII: tells our databases from those of other programs. */
const APPLICATION_ID = 0x61326173;

/**
 * Names, keys and index values are blobs of UTF-8: SQLite does not promise to keep NUL in text.
 * The table of fields repeats expiry and rank so that counting never touches the entries themselves.
 */
const MIGRATIONS: readonly ((now: number) => string)[] = [
  () => `
  CREATE TABLE counter (sequence INTEGER NOT NULL) STRICT;
  INSERT INTO counter VALUES (0);

  CREATE TABLE entry (
    sequence INTEGER PRIMARY KEY,
    space BLOB NOT NULL,
    key BLOB NOT NULL,
    version INTEGER NOT NULL,
    expires_at INTEGER,
    fields TEXT,
    value BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entry_by_key ON entry (space, key);
  CREATE INDEX entry_by_space ON entry (space, sequence, expires_at);
  CREATE INDEX entry_by_expiry ON entry (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE entry_field (
    space BLOB NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (space, name, value, sequence)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    name BLOB NOT NULL UNIQUE,
    length INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE record (
    log INTEGER NOT NULL,
    position INTEGER NOT NULL,
    value BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX record_by_position ON record (log, position);
  CREATE TABLE dropped_log (id INTEGER PRIMARY KEY) STRICT;
  `,
  // Ranks and tallies. The tables get other names, so that an earlier version that still has the file open fails at its
  // next statement and cannot write rows without them.
  (now) => `
  ALTER TABLE entry RENAME TO entries;
  ALTER TABLE entries ADD COLUMN rank INTEGER;
  CREATE INDEX entries_by_rank ON entries (space, rank, sequence, expires_at) WHERE rank IS NOT NULL;

  ALTER TABLE entry_field RENAME TO entry_fields;
  ALTER TABLE entry_fields ADD COLUMN rank INTEGER;
  CREATE INDEX entry_fields_by_rank ON entry_fields (space, name, value, rank, sequence, expires_at)
    WHERE rank IS NOT NULL;

  ALTER TABLE log RENAME TO logs;
  ALTER TABLE record RENAME TO records;
  ALTER TABLE dropped_log RENAME TO dropped_logs;

  CREATE TABLE tallies (
    name BLOB PRIMARY KEY,
    count INTEGER NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${carryTasks(now)}`,
];

/** What this program writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** Throws unless the database is new, ours, and not of a later version. Writes nothing. */
export function assertReadable(db: Connection, path: string): void {
  // At one moment: another process may be making the tables.
  transaction(db, 'DEFERRED', () => assertOurs(db, path));
}

function assertOurs(db: Connection, path: string): void {
  const version = versionOf(db);
  const application = pragma(db, 'application_id');
  const isEmpty = prepareColumn(db, 'SELECT count(*) FROM sqlite_schema').first() === 0;
  if (version === 0 && application === 0 && isEmpty) return;
  if (application !== APPLICATION_ID) {
    throw new StoreError('foreign', `${path} is the database of another program`);
  }
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      'newer',
      `${path} was written by a later version (schema ${version}, this one knows ${MIGRATIONS.length}): ` +
        'upgrade this program; the file was not changed',
    );
  }
}

/** Runs what is missing, all in one transaction; another process may be doing the same. */
export function migrate(db: Connection, path: string, now: number): void {
  if (versionOf(db) === MIGRATIONS.length) return;
  transaction(db, 'IMMEDIATE', () => {
    assertOurs(db, path);
    for (const migration of MIGRATIONS.slice(versionOf(db))) db.exec(migration(now));
    pragma(db, `application_id = ${APPLICATION_ID}`);
    pragma(db, `user_version = ${MIGRATIONS.length}`);
  });
}

/** 0 = nothing of ours yet. */
export function versionOf(db: Connection): number {
  return pragma(db, 'user_version') as number;
}
