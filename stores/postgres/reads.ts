// Owns reading the PostgreSQL store: one statement each, so that every answer is of one moment.
// A long value comes in parts: as text it would be longer than a JavaScript string can be. Rows are put in order here,
// because the server would have to hold all of the values to do it.

import type { Entry, EntryIndex, Listing, Page, Tail } from '../../src/stores/index.ts';
import { STORE_LIMITS, writeCursor } from '../../src/stores/index.ts';
import type { Reader, Statement } from './connections.ts';
import type { Schema } from './schema-1.ts';
import { byteaArray, fieldBytes, indexOf, textOf, utf8 } from './values.ts';

const PART_BYTES = 1_048_576;
const PARTS = `generate_series(0, (size - 1) / ${PART_BYTES}) AS part`;
const PART = `substr(value, part * ${PART_BYTES} + 1, ${PART_BYTES}) AS value`;

interface Part {
  readonly part: number;
  readonly value: Uint8Array;
}

interface EntryRow extends Part {
  readonly key: Uint8Array;
  readonly version: number;
  readonly expires_at: number | null;
  readonly fields: readonly Uint8Array[];
}

interface ListedRow extends EntryRow {
  readonly sequence: number;
  /** How many there were to choose from. */
  readonly total: number;
}

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
  readonly #schema: string;
  readonly #get: Statement;
  readonly #pull: Statement;
  readonly #heads: Statement;
  readonly #logs: Statement;
  readonly #spaces: Statement;

  constructor(reader: Reader, { sql: schema }: Schema) {
    this.#reader = reader;
    this.#schema = schema;
    this.#get = {
      name: 'get',
      text: `SELECT version, expires_at, fields, part, ${PART}
        FROM ${schema}.entry CROSS JOIN LATERAL octet_length(value) AS size CROSS JOIN LATERAL ${PARTS}
        WHERE space = $1 AND key = $2 AND ${live('expires_at', '$3')}`,
    };
    this.#pull = {
      name: 'pull',
      text: `SELECT l.id, r.position, r.part, r.value FROM ${schema}.log AS l LEFT JOIN LATERAL (
          SELECT position, part, ${PART} FROM (
            SELECT position, value, octet_length(value) AS size, ${bytesBefore('position ASC')} AS before
            FROM ${schema}.record
            WHERE log = l.id AND position >= $2::bigint AND position < $2::bigint + $3::bigint
          ) AS w CROSS JOIN LATERAL ${PARTS} WHERE before <= $4::bigint
        ) AS r ON true WHERE l.name = $1`,
    };
    this.#heads = {
      name: 'heads',
      text: `SELECT name, id, length FROM ${schema}.log WHERE name = ANY ($1::bytea[])`,
    };
    this.#logs = {
      name: 'logs',
      text: `SELECT name FROM ${schema}.log WHERE name > $1 ORDER BY name LIMIT $2`,
    };
    // From one space to the next, so that it does not matter how many entries there are.
    const next = (after: string): string =>
      `(SELECT space FROM ${schema}.entry WHERE space > ${after} ORDER BY space LIMIT 1)`;
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

  async count(space: string, index: EntryIndex, atMost: number, now: number): Promise<number> {
    const fields = fieldsOf(index);
    const statement = {
      name: `count_${fields.length}`,
      text: `SELECT count(*) FROM (SELECT 1 FROM ${this.#matching(fields.length, 3)}
        AND ${live('m.expires_at', '$2')} LIMIT $3) AS found`,
    };
    const rows = await this.#reader.read<{ readonly count: number }>(statement, [
      utf8(space),
      now,
      atMost,
      ...fields,
    ]);
    return rows[0]!.count;
  }

  async list(space: string, { index, after, order, limit }: Listing, now: number): Promise<Page> {
    const fields = fieldsOf(index);
    const [compare, direction, start] =
      order === 'oldest' ? ['>', 'ASC', -1] : ['<', 'DESC', Number.MAX_SAFE_INTEGER];
    // Reads at least one more than asked for, to know whether there is a next page. The server keeps its plan only if
    // the limit stands in the statement itself; a power of two keeps the number of statements small.
    const most = 2 ** Math.ceil(Math.log2(limit + 1));
    const statement = {
      name: `list_${order}_${fields.length}_${most}`,
      text: `SELECT sequence, key, version, expires_at, fields, total, part, ${PART} FROM (
          SELECT e.*, octet_length(value) AS size, count(*) OVER () AS total, row_number() OVER (ORDER BY sequence ${direction}) AS number,
            ${bytesBefore(`sequence ${direction}`)} AS before
          FROM (SELECT m.space, m.sequence FROM ${this.#matching(fields.length, 5)}
            AND ${live('m.expires_at', '$2')} AND m.sequence ${compare} $3
            ORDER BY m.sequence ${direction} LIMIT ${most}) AS page
          JOIN ${this.#schema}.entry AS e USING (space, sequence)
        ) AS chosen CROSS JOIN LATERAL ${PARTS}
        WHERE number <= $4::bigint AND before <= $5::bigint`,
    };
    const rows = await this.#reader.read<ListedRow>(statement, [
      utf8(space),
      now,
      after ?? start,
      limit,
      STORE_LIMITS.pageBytes,
      ...fields,
    ]);
    const chosen = grouped(rows, ({ sequence }) => sequence);
    if (order === 'newest') chosen.reverse();
    const last = chosen.at(-1)?.[0];
    return {
      entries: chosen.map((parts) => entryOf(textOf(parts[0].key), parts)),
      next:
        last === undefined || last.total === chosen.length ? undefined : writeCursor(last.sequence),
    };
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

  /**
   * Finds, as `m`, what has all the fields; the space is $1. The first field is walked in order and the others are
   * looked up: as joins, the server would choose the order of the fields, without knowing which is rare.
   * @param before how many parameters there are before the fields.
   */
  #matching(fields: number, before: number): string {
    if (fields === 0) return `${this.#schema}.entry AS m WHERE m.space = $1`;
    const table = `${this.#schema}.entry_field`;
    const others = Array.from(
      { length: fields - 1 },
      (_, at) => ` AND (SELECT true FROM ${table} AS f
        WHERE f.space = $1 AND f.field = $${before + at + 2} AND f.sequence = m.sequence)`,
    );
    return `${table} AS m WHERE m.space = $1 AND m.field = $${before + 1}${others.join('')}`;
  }
}

function live(column: string, now: string): string {
  return `(${column} IS NULL OR ${column} > ${now})`;
}

/** Bytes of the values that come earlier: a page goes on until they are too many, so it is never empty. */
function bytesBefore(order: string): string {
  return `sum(octet_length(value)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - octet_length(value)`;
}

function fieldsOf(index: EntryIndex): Uint8Array[] {
  return Object.keys(index).map((name) => fieldBytes(name, index[name]!));
}

/** The parts of the same thing together, things in ascending order. */
function grouped<Row>(rows: readonly Row[], numberOf: (row: Row) => number): [Row, ...Row[]][] {
  const groups = new Map<number, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(numberOf(row));
    if (group === undefined) groups.set(numberOf(row), [row]);
    else group.push(row);
  }
  return [...groups.values()].sort(([a], [b]) => numberOf(a) - numberOf(b));
}

function joined(parts: readonly Part[]): Uint8Array {
  if (parts.length === 1) return parts[0]!.value;
  const bytes = new Uint8Array(parts.reduce((sum, { value }) => sum + value.length, 0));
  for (const { part, value } of parts) bytes.set(value, part * PART_BYTES);
  return bytes;
}

function entryOf(key: string, parts: readonly EntryRow[]): Entry {
  const { version, expires_at, fields } = parts[0]!;
  return {
    key,
    value: joined(parts),
    version,
    expiresAt: expires_at ?? undefined,
    index: indexOf(fields),
  };
}
