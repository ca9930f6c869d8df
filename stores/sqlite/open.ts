// Owns opening the database: look first without writing, then set up the connection.

import { StoreError } from '../../src/stores/index.ts';
import { pragma } from './connection.ts';
import type { Connection, Driver } from './driver.ts';
import { isBusy, loadDriver, toStoreError } from './driver.ts';
import { prepareFile } from './file.ts';
import { assertReadable, migrate } from './migrations.ts';

/** How long SQLite itself waits for a lock, and with it the event loop. Longer waits are repeats with turns between. */
export const BUSY_SLICE_MS = 50;

/** The path of a database that is no file. */
export const IN_MEMORY = ':memory:';

interface OpenOptions {
  /** How often to try while another process holds the file. */
  readonly attempts: number;
  readonly checkOnOpen: boolean;
  /** The time at which it is opened. */
  readonly now: number;
}

export async function openDatabase(path: string, options: OpenOptions): Promise<Connection> {
  const driver = await loadDriver();
  const isFile = path !== IN_MEMORY;
  if (isFile) await prepareFile(path);
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (isFile) inspect(driver, path, options.checkOnOpen);
      return connect(driver, path, options.now);
    } catch (thrown) {
      if (!isBusy(thrown) || attempt >= options.attempts) throw explain(thrown, path);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Reads only, so that a file that is refused stays as it is. */
function inspect({ DatabaseSync }: Driver, path: string, isChecked: boolean): void {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_SLICE_MS });
  try {
    assertReadable(db, path);
    if (!isChecked) return;
    const verdict = pragma(db, 'quick_check(1)');
    if (verdict !== 'ok') {
      throw new StoreError('corrupt', `${path} is damaged: restore a copy of it`, verdict);
    }
  } finally {
    db.close();
  }
}

function connect({ DatabaseSync }: Driver, path: string, now: number): Connection {
  const db = new DatabaseSync(path, { timeout: BUSY_SLICE_MS });
  try {
    pragma(db, 'trusted_schema = OFF');
    pragma(db, 'cell_size_check = ON');
    if (path !== IN_MEMORY) {
      const mode = pragma(db, 'journal_mode = WAL');
      if (mode !== 'wal') throw new StoreError('failed', `${path} cannot be used in WAL mode`);
      // The log is flushed at every commit; on macOS through the cache of the drive too.
      pragma(db, 'synchronous = FULL');
      pragma(db, 'fullfsync = ON');
      pragma(db, 'checkpoint_fullfsync = ON');
      // With a million tasks the upper pages of every index have to fit: the default is 2 MB.
      pragma(db, 'cache_size = -32768');
      // After a burst the log file shrinks again.
      pragma(db, 'journal_size_limit = 67108864');
    }
    migrate(db, path, now);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

function explain(thrown: unknown, path: string): unknown {
  const error = toStoreError(thrown);
  if (!(error instanceof StoreError) || error === thrown) return error;
  return new StoreError(error.fault, `cannot open ${path}: ${error.reason}`, thrown);
}
