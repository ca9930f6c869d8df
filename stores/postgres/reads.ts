// Owns reading what is named in the PostgreSQL store, entries, logs and tallies: one statement each, so that every answer
// is of one moment.

import type { Entry, Tail, Tally } from '../../src/stores/index.ts';
import type { Reader, Statement } from './connections.ts';
import type { EntryRow } from './lists.ts';
import { entryOf } from './lists.ts';
import type { Part } from './parts.ts';
import { PART, PARTS, bytesBefore, grouped, joined, live } from './parts.ts';
import type { Schema } from './schema-1.ts';
import { byteaArray, textOf, utf8 } from './values.ts';

interface RecordRow extends Part {
  readonly id: number;
  readonly position: number;
}

/** The log is there, but nothing in it from that position on. */
interface NoRecordRow {
  readonly id: number;
  readonly position: null;
}

/** What tells whether a log has changed. */
export interface Head {
  readonly name: string;
  readonly id: number;
  readonly length: number;
}

export class PostgresReads {
  readonly #reader: Reader;
  readonly #get: Statement;
  readonly #pull: Statement;
  readonly #heads: Statement;
  readonly #tally: Statement;
  readonly #logs: Statement;
  readonly #tallies: Statement;
  readonly #spaces: Statement;

  constructor(reader: Reader, { sql: schema }: Schema) {
    this.#reader = reader;
    this.#get = {
      name: 'get',
      text: `SELECT version, expires_at, rank, fields, part, ${PART}
        FROM ${schema}.entries CROSS JOIN LATERAL octet_length(value) AS size CROSS JOIN LATERAL ${PARTS}
        WHERE space = $1 AND key = $2 AND ${live('expires_at', '$3')}`,
    };
    this.#pull = {
      name: 'pull',
      text: `SELECT l.id, r.position, r.part, r.value FROM ${schema}.logs AS l LEFT JOIN LATERAL (
          SELECT position, part, ${PART} FROM (
            SELECT position, value, octet_length(value) AS size, ${bytesBefore('position ASC')} AS before
            FROM ${schema}.records
            WHERE log = l.id AND position >= $2::bigint AND position < $2::bigint + $3::bigint
          ) AS w CROSS JOIN LATERAL ${PARTS} WHERE before <= $4::bigint
        ) AS r ON true WHERE l.name = $1`,
    };
    this.#heads = {
      name: 'heads',
      text: `SELECT name, id, length FROM ${schema}.logs WHERE name = ANY ($1::bytea[])`,
    };
    this.#tally = {
      name: 'tally',
      text: `SELECT count, sum FROM ${schema}.tallies WHERE name = $1`,
    };
    this.#tallies = {
      name: 'tallies',
      text: `SELECT name FROM ${schema}.tallies WHERE name > $1 ORDER BY name LIMIT $2`,
    };
    this.#logs = {
      name: 'logs',
      text: `SELECT name FROM ${schema}.logs WHERE name > $1 ORDER BY name LIMIT $2`,
    };
    // From one space to the next, so that it does not matter how many entries there are.
    const next = (after: string): string =>
      `(SELECT space FROM ${schema}.entries WHERE space > ${after} ORDER BY space LIMIT 1)`;
    this.#spaces = {
      name: 'spaces',
      text: `WITH RECURSIVE found AS (
          SELECT ${next('$1')} AS name
          UNION ALL SELECT ${next('found.name')} FROM found WHERE found.name IS NOT NULL
        ) SELECT name FROM found WHERE name IS NOT NULL LIMIT $2`,
    };
  }

  async get(space: string, key: string, now: number): Promise<Entry | undefined> {
    const rows = await this.#reader.read<EntryRow>(this.#get, [utf8(space), utf8(key), now]);
    return rows.length === 0 ? undefined : entryOf(key, rows);
  }

  async pull(log: string, from: number, limit: number, maxBytes: number): Promise<Tail> {
    const values = [utf8(log), from, limit, maxBytes];
    const rows = await this.#reader.read<RecordRow | NoRecordRow>(this.#pull, values);
    const found = rows.filter((row): row is RecordRow => row.position !== null);
    const records = grouped(found, ({ position }) => position).map((parts) => ({
      position: parts[0].position,
      value: joined(parts),
    }));
    return { id: rows[0]?.id, records };
  }

  async heads(logs: readonly string[]): Promise<Head[]> {
    const rows = await this.#reader.read<Omit<Head, 'name'> & { readonly name: Uint8Array }>(
      this.#heads,
      [byteaArray(logs.map(utf8))],
    );
    return rows.map(({ name, id, length }) => ({ name: textOf(name), id, length }));
  }

  async tally(name: string): Promise<Tally> {
    const [found] = await this.#reader.read<Tally>(this.#tally, [utf8(name)]);
    return found ?? { count: 0, sum: 0 };
  }

  tallies(after: string, limit: number): Promise<string[]> {
    return this.#names(this.#tallies, after, limit);
  }

  logs(after: string, limit: number): Promise<string[]> {
    return this.#names(this.#logs, after, limit);
  }

  spaces(after: string, limit: number): Promise<string[]> {
    return this.#names(this.#spaces, after, limit);
  }

  async #names(statement: Statement, after: string, limit: number): Promise<string[]> {
    const rows = await this.#reader.read<{ readonly name: Uint8Array }>(statement, [
      utf8(after),
      limit,
    ]);
    return rows.map(({ name }) => textOf(name));
  }
}
