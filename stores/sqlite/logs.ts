// Owns the logs in SQLite: appending, reading, dropping, and clearing away what was dropped.

import type { Operation, Tail } from '../../src/stores/index.ts';
import type { Column } from './connection.ts';
import { prepareColumn } from './connection.ts';
import type { Connection, Statement } from './driver.ts';
import type { WriteVerdict } from './entries.ts';
import type { Counter } from './group.ts';
import { bytesOf, textOf, utf8 } from './values.ts';

interface Head {
  readonly id: number;
  readonly length: number;
}

type RecordRow = readonly [position: number, value: Uint8Array];

/** Of a log, from a position on. */
const PAGE = 'FROM records WHERE log = ? AND position >= ? ORDER BY position LIMIT ?';

type LogOperation = Extract<Operation, { type: 'append' | 'drop' }>;

export class SqliteLogs {
  readonly #counter: Counter;
  readonly #head: Statement;
  readonly #read: Statement;
  readonly #size: Column<number>;
  readonly #create: Statement;
  readonly #grow: Statement;
  readonly #insert: Statement;
  readonly #drop: Statement;
  readonly #noteDropped: Statement;
  readonly #dropped: Column<number>;
  readonly #clear: Statement;
  readonly #forget: Statement;
  readonly #names: Column<Uint8Array>;

  constructor(db: Connection, counter: Counter) {
    this.#counter = counter;
    this.#head = db.prepare('SELECT id, length FROM logs WHERE name = ?');
    this.#read = db.prepare(`SELECT position, value ${PAGE}`);
    this.#read.setReturnArrays(true);
    this.#size = prepareColumn(db, `SELECT total(length(value)) FROM (SELECT value ${PAGE})`);
    this.#create = db.prepare('INSERT INTO logs (id, name, length) VALUES (?, ?, ?)');
    this.#grow = db.prepare('UPDATE logs SET length = ? WHERE id = ?');
    this.#insert = db.prepare('INSERT INTO records (log, position, value) VALUES (?, ?, ?)');
    this.#drop = db.prepare('DELETE FROM logs WHERE id = ?');
    this.#noteDropped = db.prepare('INSERT INTO dropped_logs (id) VALUES (?)');
    this.#dropped = prepareColumn(db, 'SELECT id FROM dropped_logs LIMIT 1');
    this.#clear = db.prepare(
      'DELETE FROM records WHERE rowid IN (SELECT rowid FROM records WHERE log = ? LIMIT ?)',
    );
    this.#forget = db.prepare('DELETE FROM dropped_logs WHERE id = ?');
    this.#names = prepareColumn(db, 'SELECT name FROM logs WHERE name > ? ORDER BY name LIMIT ?');
  }

  head(log: string): Head | undefined {
    return this.#head.get(utf8(log)) as Head | undefined;
  }

  pull(log: string, from: number, limit: number, maxBytes: number): Tail {
    const head = this.head(log);
    if (head === undefined || from >= head.length) return { id: head?.id, records: [] };
    const rows = this.#rows(head.id, from, limit, maxBytes);
    const records = rows.map(([position, value]) => ({ position, value: bytesOf(value) }));
    return { id: head.id, records };
  }

  names(after: string, limit: number): string[] {
    return this.#names.all(utf8(after), limit).map(textOf);
  }

  apply(operation: LogOperation): WriteVerdict {
    const head = this.head(operation.log);
    const length = head?.length ?? 0;
    if (operation.type === 'drop') {
      if (head !== undefined) {
        this.#drop.run(head.id);
        this.#noteDropped.run(head.id);
      }
      return { ok: true, result: length };
    }
    const { log, values, ifLength } = operation;
    if (length !== (ifLength ?? length)) return { ok: false, found: length };
    if (values.length > 0) {
      const id = this.#grownTo(length + values.length, log, head);
      for (const [at, value] of values.entries()) this.#insert.run(id, length + at, value);
    }
    return { ok: true, result: length };
  }

  /** All at once costs less than one by one, where all of them fit. */
  #rows(id: number, from: number, limit: number, maxBytes: number): readonly RecordRow[] {
    if (this.#size.first(id, from, limit)! <= maxBytes) {
      return this.#read.all(id, from, limit) as RecordRow[];
    }
    const rows: RecordRow[] = [];
    let bytes = 0;
    for (const row of this.#read.iterate(id, from, limit) as Iterable<RecordRow>) {
      rows.push(row);
      bytes += row[1].length;
      if (bytes > maxBytes) break;
    }
    return rows;
  }

  /** Removes at most `limit` records of dropped logs; true when there are no more. */
  clearDropped(limit: number): boolean {
    for (let left = limit; left > 0;) {
      const id = this.#dropped.first();
      if (id === undefined) return true;
      const { changes } = this.#clear.run(id, left);
      if (changes < left) this.#forget.run(id);
      left -= changes + 1;
    }
    return false;
  }

  #grownTo(length: number, log: string, head: Head | undefined): number {
    if (head !== undefined) {
      this.#grow.run(length, head.id);
      return head.id;
    }
    const id = this.#counter.next();
    this.#create.run(id, utf8(log), length);
    return id;
  }
}
