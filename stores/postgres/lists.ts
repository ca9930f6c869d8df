// Owns counting and listing the entries in PostgreSQL: one statement each, so that every answer is of one moment.
// Every list walks one index in its order; of all that is there, only a page is ever sorted.

import type { Counting, Entry, EntryIndex, Listing, Page } from '../../src/stores/index.ts';
import { STORE_LIMITS, writeCursor } from '../../src/stores/index.ts';
import type { Reader, Statement } from './connections.ts';
import type { Part } from './parts.ts';
import { PART, PARTS, bytesBefore, grouped, joined, live } from './parts.ts';
import type { Schema } from './schema-1.ts';
import { fieldBytes, indexOf, textOf, utf8 } from './values.ts';

export interface EntryRow extends Part {
  readonly key: Uint8Array;
  readonly version: number;
  readonly expires_at: number | null;
  readonly rank: number | null;
  readonly fields: readonly Uint8Array[];
}

interface ListedRow extends EntryRow {
  readonly sequence: number;
  /** Its place in the page. */
  readonly number: number;
  /** How many there were to choose from. */
  readonly total: number;
}

interface Places {
  readonly by: string;
  /** @param at the number of the first of the bounds among the parameters. */
  readonly conditions: (at: number) => string;
  readonly bounds: readonly number[];
}

type PlacesFrom = (listing: Pick<Listing, 'start' | 'since'>) => Places;

const PLACES: Readonly<Record<Listing['order'], PlacesFrom>> = {
  oldest: created('>', 'ASC'),
  newest: created('<', 'DESC'),
  highest: ({ start: { rank, sequence }, since = 0 }) => ({
    by: 'rank DESC, sequence DESC',
    conditions: (at) => `(m.rank, m.sequence) < ($${at}, $${at + 1}) AND m.rank >= $${at + 2}`,
    bounds: [rank, sequence, since],
  }),
  lowest: ({ start: { rank, sequence } }) => ({
    by: 'rank ASC, sequence ASC',
    conditions: (at) => `m.rank IS NOT NULL AND (m.rank, m.sequence) > ($${at}, $${at + 1})`,
    bounds: [rank, sequence],
  }),
};

function created(compare: '<' | '>', direction: 'ASC' | 'DESC'): PlacesFrom {
  return ({ start: { sequence }, since }) => ({
    by: `sequence ${direction}`,
    conditions: (at) =>
      `m.sequence ${compare} $${at}${since === undefined ? '' : ` AND m.rank >= $${at + 1}`}`,
    bounds: since === undefined ? [sequence] : [sequence, since],
  });
}

export class PostgresLists {
  readonly #reader: Reader;
  readonly #schema: string;

  constructor(reader: Reader, { sql: schema }: Schema) {
    this.#reader = reader;
    this.#schema = schema;
  }

  async count(space: string, { index, since, atMost }: Counting, now: number): Promise<number> {
    const fields = fieldsOf(index);
    const isRanked = since !== undefined;
    const statement = {
      name: `count_${fields.length}${isRanked ? '_since' : ''}`,
      text: `SELECT count(*) FROM (SELECT 1 FROM ${matching(this.#schema, fields.length, 3)}
        AND ${live('m.expires_at', '$2')}${isRanked ? ` AND m.rank >= $${4 + fields.length}` : ''}
        LIMIT $3) AS found`,
    };
    const rows = await this.#reader.read<{ readonly count: number }>(statement, [
      utf8(space),
      now,
      atMost,
      ...fields,
      ...(isRanked ? [since] : []),
    ]);
    return rows[0]!.count;
  }

  async list(space: string, listing: Listing, now: number): Promise<Page> {
    const { statement, values } = listQuery(this.#schema, space, listing, now);
    const chosen = grouped(
      await this.#reader.read<ListedRow>(statement, values),
      ({ number }) => number,
    );
    const last = chosen.at(-1)?.[0];
    return {
      entries: chosen.map((parts) => entryOf(textOf(parts[0].key), parts)),
      next:
        last === undefined || last.total === chosen.length
          ? undefined
          : writeCursor(listing.order, { rank: last.rank ?? 0, sequence: last.sequence }),
    };
  }
}

export function listQuery(
  schema: string,
  space: string,
  listing: Listing,
  now: number,
): { readonly statement: Statement; readonly values: readonly unknown[] } {
  const { index, since, limit, order } = listing;
  const fields = fieldsOf(index);
  const { by, conditions, bounds } = PLACES[order](listing);
  // Reads at least one more than asked for, to know whether there is a next page. The server keeps its plan only if
  // the limit stands in the statement itself; a power of two keeps the number of statements small.
  const most = 2 ** Math.ceil(Math.log2(limit + 1));
  const statement = {
    name: `list_${order}${since === undefined ? '' : '_since'}_${fields.length}_${most}`,
    text: `SELECT number, sequence, rank, key, version, expires_at, fields, total, part, ${PART} FROM (
        SELECT e.*, octet_length(value) AS size, count(*) OVER () AS total, row_number() OVER (ORDER BY ${by}) AS number,
          ${bytesBefore(by)} AS before
        FROM (SELECT m.space, m.sequence FROM ${matching(schema, fields.length, 4)}
          AND ${live('m.expires_at', '$2')} AND ${conditions(5 + fields.length)}
          ORDER BY ${by} LIMIT ${most}) AS page
        JOIN ${schema}.entries AS e USING (space, sequence)
      ) AS chosen CROSS JOIN LATERAL ${PARTS}
      WHERE number <= $3::bigint AND before <= $4::bigint`,
  };
  const values = [utf8(space), now, limit, STORE_LIMITS.pageBytes, ...fields, ...bounds];
  return { statement, values };
}

export function entryOf(key: string, parts: readonly EntryRow[]): Entry {
  const { version, expires_at, rank, fields } = parts[0]!;
  return {
    key,
    value: joined(parts),
    version,
    expiresAt: expires_at ?? undefined,
    index: indexOf(fields),
    rank: rank ?? undefined,
  };
}

/**
 * Finds, as `m`, what has all the fields; the space is $1. The first field is walked in order and the others are
 * looked up: as joins, the server would choose the order of the fields, without knowing which is rare.
 * @param before how many parameters there are before the fields.
 */
function matching(schema: string, fields: number, before: number): string {
  if (fields === 0) return `${schema}.entries AS m WHERE m.space = $1`;
  const table = `${schema}.entry_fields`;
  const others = Array.from(
    { length: fields - 1 },
    (_, at) => ` AND (SELECT true FROM ${table} AS f
      WHERE f.space = $1 AND f.field = $${before + at + 2} AND f.sequence = m.sequence)`,
  );
  return `${table} AS m WHERE m.space = $1 AND m.field = $${before + 1}${others.join('')}`;
}

function fieldsOf(index: EntryIndex): Uint8Array[] {
  return Object.keys(index).map((name) => fieldBytes(name, index[name]!));
}
