// Owns opening the database: look first without writing, then set up the connection.

import { StoreError } from '../../src/stores/index.ts';
import type { Connection, Driver } from './driver.ts';
import { isBusy, loadDriver, toStoreError } from './driver.ts';
import { prepareFile } from './file.ts';
import { assertReadable, migrate } from './migrations.ts';

/** How long SQLite itself waits for a lock, and with it the event loop. Longer waits are repeats with turns between. */
export const BUSY_SLICE_MS = 50;

interface OpenOptions {
  /** How often to try while another process holds the file. */
  readonly attempts: number;
  readonly checkOnOpen: boolean;
}

export async function openDatabase(path: string, options: OpenOptions): Promise<Connection> {
  const driver = await loadDriver();
  const isFile = path !== ':memory:';
  if (isFile) await prepareFile(path);
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (isFile) inspect(driver, path, options.checkOnOpen);
      return connect(driver, path);
    } catch (thrown) {
      if (!isBusy(thrown) || attempt >= options.attempts) throw explain(thrown, path);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Reads only, so that a file that is refused stays as it is. */
function inspect(driver: Driver, path: string, isChecked: boolean): void {
  const db = new driver(path, { readonly: true, fileMustExist: true, timeout: BUSY_SLICE_MS });
  try {
    assertReadable(db, path);
    if (!isChecked) return;
    const [verdict] = db.prepare('PRAGMA quick_check(1)').pluck().all();
    if (verdict !== 'ok') {
      throw new StoreError('corrupt', `${path} is damaged: restore a copy of it`, verdict);
    }
  } finally {
    db.close();
  }
}

function connect(driver: Driver, path: string): Connection {
  const db = new driver(path, { timeout: BUSY_SLICE_MS });
  try {
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    if (path !== ':memory:') {
      const mode = db.pragma('journal_mode = WAL', { simple: true });
      if (mode !== 'wal') throw new StoreError('failed', `${path} cannot be used in WAL mode`);
      // The log is flushed at every commit; on macOS through the cache of the drive too.
      db.pragma('synchronous = FULL');
      db.pragma('fullfsync = ON');
      db.pragma('checkpoint_fullfsync = ON');
      // With a million tasks the upper pages of every index have to fit: the default is 2 MB.
      db.pragma('cache_size = -32768');
      // After a burst the log file shrinks again.
      db.pragma('journal_size_limit = 67108864');
    }
    migrate(db, path);
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
