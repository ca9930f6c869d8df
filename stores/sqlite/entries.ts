// Owns the entries in SQLite: writing them with their index fields, finding, counting, listing and purging them.

import type {
  Entry,
  EntryIndex,
  Listing,
  NewEntry,
  Operation,
  Page,
} from '../../src/stores/index.ts';
import { STORE_LIMITS, writeCursor } from '../../src/stores/index.ts';
import type { Column } from './connection.ts';
import { prepareColumn } from './connection.ts';
import type { Connection, SqlValue, Statement } from './driver.ts';
import type { Counter } from './group.ts';
import { bytesOf, textOf, utf8 } from './values.ts';

/** What a write has to know of the entry that is there. */
interface Head {
  readonly sequence: number;
  readonly version: number;
  readonly expires_at: number | null;
  readonly fields: string | null;
}

interface Row extends Head {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const NO_INDEX: EntryIndex = Object.freeze(Object.create(null) as EntryIndex);

type EntryOperation = Extract<Operation, { type: 'add' | 'put' | 'delete' | 'check' }>;

/** `found` is the version in the way when the condition did not hold. */
export type WriteVerdict =
  { readonly ok: true; readonly result: number } | { readonly ok: false; readonly found: number };

export class SqliteEntries {
  readonly #db: Connection;
  readonly #counter: Counter;
  readonly #counts = new Map<string, Column<number>>();
  readonly #lists = new Map<string, Statement>();
  readonly #head: Statement;
  readonly #get: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #renew: Statement;
  readonly #delete: Statement;
  readonly #insertField: Statement;
  readonly #deleteField: Statement;
  readonly #expired: Statement;
  readonly #spaceAfter: Column<Uint8Array | null>;

  constructor(db: Connection, counter: Counter) {
    this.#db = db;
    this.#counter = counter;
    this.#head = db.prepare(
      'SELECT sequence, version, expires_at, fields FROM entry WHERE space = ? AND key = ?',
    );
    this.#get = db.prepare(
      'SELECT version, expires_at, fields, value FROM entry WHERE space = ? AND key = ?',
    );
    this.#insert = db.prepare(
      'INSERT INTO entry (sequence, space, key, version, expires_at, fields, value) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = db.prepare(
      'UPDATE entry SET version = ?, expires_at = ?, fields = ?, value = ? WHERE sequence = ?',
    );
    this.#renew = db.prepare('UPDATE entry SET version = ?, value = ? WHERE sequence = ?');
    this.#delete = db.prepare('DELETE FROM entry WHERE sequence = ?');
    this.#insertField = db.prepare('INSERT INTO entry_field VALUES (?, ?, ?, ?, ?)');
    this.#deleteField = db.prepare(
      'DELETE FROM entry_field WHERE space = ? AND name = ? AND value = ? AND sequence = ?',
    );
    this.#expired = db.prepare(
      'SELECT sequence, space, version, expires_at, fields FROM entry WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
    );
    this.#spaceAfter = prepareColumn(db, 'SELECT min(space) FROM entry WHERE space > ?');
  }

  get(space: string, key: string, now: number): Entry | undefined {
    const row = this.#get.get(utf8(space), utf8(key)) as Row | undefined;
    return row === undefined || isExpired(row, now) ? undefined : entryOf(key, row);
  }

  apply(operation: EntryOperation, now: number): WriteVerdict {
    const space = utf8(operation.space);
    const key = utf8(operation.key);
    if (operation.type === 'add' || (operation.type === 'put' && operation.ifVersion === 0)) {
      return this.#add(space, key, operation, now);
    }
    const head = this.#head.get(space, key) as Head | undefined;
    const found = head === undefined || isExpired(head, now) ? 0 : head.version;
    if (found !== (operation.ifVersion ?? found)) return { ok: false, found };
    switch (operation.type) {
      case 'put':
        return { ok: true, result: this.#put(space, key, operation, head, found === 0) };
      case 'delete':
        if (head !== undefined && found !== 0) this.#remove(space, head);
        return { ok: true, result: found };
      default:
        return { ok: true, result: found };
    }
  }

  count(space: string, index: EntryIndex, atMost: number, now: number): number {
    const { tables, where, values } = matching(space, index);
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${tables} WHERE ${where} AND ${LIVE} LIMIT ?)`;
    let query = this.#counts.get(sql);
    if (query === undefined) this.#counts.set(sql, (query = prepareColumn(this.#db, sql)));
    return query.first(...values, now, atMost)!;
  }

  list(space: string, { index, after, order, limit }: Listing, now: number): Page {
    const { tables, where, values } = matching(space, index);
    const [compare, direction, start] =
      order === 'oldest' ? ['>', 'ASC', -1] : ['<', 'DESC', Number.MAX_SAFE_INTEGER];
    const sql = `SELECT m.sequence, e.key, e.version, e.expires_at, e.fields, e.value
      FROM ${tables} CROSS JOIN entry AS e ON e.sequence = m.sequence
      WHERE ${where} AND ${LIVE} AND m.sequence ${compare} ?
      ORDER BY m.sequence ${direction} LIMIT ?`;
    const entries: Entry[] = [];
    let bytes = 0;
    let last = 0;
    let query = this.#lists.get(sql);
    if (query === undefined) this.#lists.set(sql, (query = this.#db.prepare(sql)));
    const rows = query.iterate(...values, now, after ?? start, limit + 1);
    for (const row of rows as Iterable<Row>) {
      if (entries.length === limit || bytes > STORE_LIMITS.pageBytes) {
        return { entries, next: writeCursor(last) };
      }
      entries.push(entryOf(textOf(row.key), row));
      bytes += row.value.length;
      last = row.sequence;
    }
    return { entries, next: undefined };
  }

  /** From one space to the next, so that it does not matter how many entries there are. */
  spaces(after: string, limit: number): string[] {
    const names: string[] = [];
    let last = utf8(after);
    while (names.length < limit) {
      const next = this.#spaceAfter.first(last)!;
      if (next === null) break;
      names.push(textOf(next));
      last = next;
    }
    return names;
  }

  /** Removes at most `limit` entries that have expired at `moment`; returns how many. */
  purge(moment: number, limit: number): number {
    const rows = this.#expired.all(moment, limit) as (Head & { readonly space: Uint8Array })[];
    for (const row of rows) this.#remove(row.space, row);
    return rows.length;
  }

  #add(space: Uint8Array, key: Uint8Array, entry: NewEntry, now: number): WriteVerdict {
    // Nearly always there is none: one statement instead of two.
    const version = this.#tryInsert(space, key, entry);
    if (version !== undefined) return { ok: true, result: version };
    const head = this.#head.get(space, key) as Head;
    if (!isExpired(head, now)) return { ok: false, found: head.version };
    this.#remove(space, head);
    return { ok: true, result: this.#tryInsert(space, key, entry)! };
  }

  #put(
    space: Uint8Array,
    key: Uint8Array,
    entry: NewEntry,
    head: Head | undefined,
    isNew: boolean,
  ): number {
    if (head === undefined || isNew) {
      if (head !== undefined) this.#remove(space, head);
      return this.#tryInsert(space, key, entry)!;
    }
    const version = this.#counter.next();
    const { expiresAt = null, value } = entry;
    const fields = fieldsText(entry.index!);
    // Most writes change only the value: then no index is touched.
    if (fields === head.fields && expiresAt === head.expires_at) {
      this.#renew.run(version, value, head.sequence);
      return version;
    }
    this.#deleteFields(space, head);
    this.#update.run(version, expiresAt, fields, value, head.sequence);
    this.#insertFields(space, entry, head.sequence);
    return version;
  }

  #tryInsert(space: Uint8Array, key: Uint8Array, entry: NewEntry): number | undefined {
    const version = this.#counter.next();
    const { expiresAt = null, value } = entry;
    const fields = fieldsText(entry.index!);
    const done = this.#insert.run(version, space, key, version, expiresAt, fields, value);
    if (done.changes === 0) return undefined;
    this.#insertFields(space, entry, version);
    return version;
  }

  #remove(space: Uint8Array, head: Head): void {
    this.#deleteFields(space, head);
    this.#delete.run(head.sequence);
  }

  #insertFields(space: Uint8Array, entry: NewEntry, sequence: number): void {
    const index = entry.index!;
    for (const name of Object.keys(index)) {
      this.#insertField.run(space, name, utf8(index[name]!), sequence, entry.expiresAt ?? null);
    }
  }

  #deleteFields(space: Uint8Array, head: Head): void {
    const index = indexOf(head.fields);
    for (const name of Object.keys(index)) {
      this.#deleteField.run(space, name, utf8(index[name]!), head.sequence);
    }
  }
}

const LIVE = '(m.expires_at IS NULL OR m.expires_at > ?)';

/**
 * The parts of a query that find, as `m`, what has all the fields. CROSS JOIN keeps the order of the loops:
 * the first field is walked in order, the others are looked up.
 */
function matching(
  space: string,
  index: EntryIndex,
): { tables: string; where: string; values: SqlValue[] } {
  const [first, ...others] = Object.keys(index);
  if (first === undefined) {
    return { tables: 'entry AS m', where: 'm.space = ?', values: [utf8(space)] };
  }
  const joins = others.map((_, at) => {
    const field = `f${at}`;
    return ` CROSS JOIN entry_field AS ${field} ON ${field}.space = m.space AND ${field}.name = ? AND ${field}.value = ? AND ${field}.sequence = m.sequence`;
  });
  return {
    tables: `entry_field AS m${joins.join('')}`,
    where: 'm.space = ? AND m.name = ? AND m.value = ?',
    values: [
      ...others.flatMap((name) => [name, utf8(index[name]!)]),
      utf8(space),
      first,
      utf8(index[first]!),
    ],
  };
}

function isExpired(row: { readonly expires_at: number | null }, now: number): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

function entryOf(key: string, row: Omit<Row, 'key' | 'sequence'>): Entry {
  return {
    key,
    value: bytesOf(row.value),
    version: row.version,
    expiresAt: row.expires_at ?? undefined,
    index: indexOf(row.fields),
  };
}

function fieldsText(index: EntryIndex): string | null {
  return Object.keys(index).length === 0 ? null : JSON.stringify(index);
}

/** The text was written by {@link fieldsText} from a checked index. */
function indexOf(fields: string | null): EntryIndex {
  if (fields === null) return NO_INDEX;
  return Object.freeze(Object.setPrototypeOf(JSON.parse(fields), null) as EntryIndex);
}
