// Owns the entries in SQLite: writing them with their index fields and ranks, finding and purging them.

import type { Entry, NewEntry, Operation } from '../../src/stores/index.ts';
import type { Connection, Statement } from './driver.ts';
import type { Counter } from './group.ts';
import type { Head, RankedHead, Row } from './row.ts';
import { entryOf, fieldsText, indexOf, isExpired } from './row.ts';
import { utf8 } from './values.ts';

type EntryOperation = Extract<Operation, { type: 'add' | 'put' | 'delete' | 'check' }>;

/** `found` is the version in the way when the condition did not hold. */
export type WriteVerdict =
  { readonly ok: true; readonly result: number } | { readonly ok: false; readonly found: number };

export class SqliteEntries {
  readonly #counter: Counter;
  readonly #head: Statement;
  readonly #rankedHead: Statement;
  readonly #get: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #renew: Statement;
  readonly #delete: Statement;
  readonly #insertField: Statement;
  readonly #updateField: Statement;
  readonly #deleteField: Statement;
  readonly #expired: Statement;

  constructor(db: Connection, counter: Counter) {
    this.#counter = counter;
    this.#head = db.prepare(
      'SELECT sequence, version, expires_at, fields FROM entries WHERE space = ? AND key = ?',
    );
    this.#rankedHead = db.prepare(
      'SELECT sequence, version, expires_at, fields, rank FROM entries WHERE space = ? AND key = ?',
    );
    this.#get = db.prepare(
      'SELECT version, expires_at, rank, fields, value FROM entries WHERE space = ? AND key = ?',
    );
    this.#insert = db.prepare(
      'INSERT INTO entries (sequence, space, key, version, expires_at, rank, fields, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = db.prepare(
      'UPDATE entries SET version = ?, expires_at = ?, rank = ?, fields = ?, value = ? WHERE sequence = ?',
    );
    this.#renew = db.prepare('UPDATE entries SET version = ?, value = ? WHERE sequence = ?');
    this.#delete = db.prepare('DELETE FROM entries WHERE sequence = ?');
    this.#insertField = db.prepare(
      'INSERT INTO entry_fields (space, name, value, sequence, expires_at, rank) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#updateField = db.prepare(
      'UPDATE entry_fields SET expires_at = ?, rank = ? WHERE space = ? AND name = ? AND value = ? AND sequence = ?',
    );
    this.#deleteField = db.prepare(
      'DELETE FROM entry_fields WHERE space = ? AND name = ? AND value = ? AND sequence = ?',
    );
    this.#expired = db.prepare(
      'SELECT sequence, space, version, expires_at, fields FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
    );
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
    const isPut = operation.type === 'put';
    const head = (isPut ? this.#rankedHead : this.#head).get(space, key) as Head | undefined;
    const found = head === undefined || isExpired(head, now) ? 0 : head.version;
    if (found !== (operation.ifVersion ?? found)) return { ok: false, found };
    switch (operation.type) {
      case 'put':
        return {
          ok: true,
          result: this.#put(space, key, operation, head as RankedHead | undefined, found === 0),
        };
      case 'delete':
        if (head !== undefined && found !== 0) this.#remove(space, head);
        return { ok: true, result: found };
      default:
        return { ok: true, result: found };
    }
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
    head: RankedHead | undefined,
    isNew: boolean,
  ): number {
    if (head === undefined || isNew) {
      if (head !== undefined) this.#remove(space, head);
      return this.#tryInsert(space, key, entry)!;
    }
    const version = this.#counter.next();
    const { expiresAt = null, rank = null, value } = entry;
    const fields = fieldsText(entry.index!);
    const isInPlace = expiresAt === head.expires_at && rank === head.rank;
    // Most writes change only the value: then no index is touched.
    if (fields === head.fields && isInPlace) {
      this.#renew.run(version, value, head.sequence);
      return version;
    }
    this.#update.run(version, expiresAt, rank, fields, value, head.sequence);
    this.#changeFields(space, entry, head, isInPlace);
    return version;
  }

  #tryInsert(space: Uint8Array, key: Uint8Array, entry: NewEntry): number | undefined {
    const version = this.#counter.next();
    const { expiresAt = null, rank = null, value } = entry;
    const fields = fieldsText(entry.index!);
    const done = this.#insert.run(version, space, key, version, expiresAt, rank, fields, value);
    if (done.changes === 0) return undefined;
    const index = entry.index!;
    for (const name of Object.keys(index)) {
      this.#insertField.run(space, name, utf8(index[name]!), version, expiresAt, rank);
    }
    return version;
  }

  #remove(space: Uint8Array, head: Head): void {
    const index = indexOf(head.fields);
    for (const name of Object.keys(index)) {
      this.#deleteField.run(space, name, utf8(index[name]!), head.sequence);
    }
    this.#delete.run(head.sequence);
  }

  /** @param isInPlace expiry and rank are as before, so that fields that stay are not touched. */
  #changeFields(space: Uint8Array, entry: NewEntry, head: Head, isInPlace: boolean): void {
    const { expiresAt = null, rank = null } = entry;
    const { sequence } = head;
    const before = indexOf(head.fields);
    const after = entry.index!;
    for (const name of Object.keys(before)) {
      if (before[name] === after[name]) continue;
      this.#deleteField.run(space, name, utf8(before[name]!), sequence);
    }
    for (const name of Object.keys(after)) {
      const value = utf8(after[name]!);
      if (before[name] !== after[name]) {
        this.#insertField.run(space, name, value, sequence, expiresAt, rank);
      } else if (!isInPlace) {
        this.#updateField.run(expiresAt, rank, space, name, value, sequence);
      }
    }
  }
}
