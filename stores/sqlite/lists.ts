// Owns counting and listing the entries in SQLite. Every list walks one index in its order; nothing is ever sorted.

import type { Counting, Entry, EntryIndex, Listing, Page } from '../../src/stores/index.ts';
import { STORE_LIMITS, writeCursor } from '../../src/stores/index.ts';
import type { Column } from './connection.ts';
import { prepareColumn } from './connection.ts';
import type { Connection, SqlValue, Statement } from './driver.ts';
import type { Row } from './row.ts';
import { entryOf } from './row.ts';
import { textOf, utf8 } from './values.ts';

export class SqliteLists {
  readonly #db: Connection;
  readonly #counts = new Map<string, Column<number>>();
  readonly #lists = new Map<string, Statement>();
  readonly #spaceAfter: Column<Uint8Array | null>;

  constructor(db: Connection) {
    this.#db = db;
    this.#spaceAfter = prepareColumn(db, 'SELECT min(space) FROM entries WHERE space > ?');
  }

  count(space: string, { index, since, atMost }: Counting, now: number): number {
    const { tables, where, values } = matching(space, index);
    const ranked = since === undefined ? '' : 'AND m.rank >= ?';
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${tables} WHERE ${where} AND ${LIVE} ${ranked} LIMIT ?)`;
    let query = this.#counts.get(sql);
    if (query === undefined) this.#counts.set(sql, (query = prepareColumn(this.#db, sql)));
    return query.first(...values, now, ...(since === undefined ? [] : [since]), atMost)!;
  }

  list(space: string, listing: Listing, now: number): Page {
    const { order, limit } = listing;
    const { sql, values } = listQuery(space, listing, now);
    const entries: Entry[] = [];
    let bytes = 0;
    let last: Row | undefined;
    let query = this.#lists.get(sql);
    if (query === undefined) this.#lists.set(sql, (query = this.#db.prepare(sql)));
    for (const row of query.iterate(...values) as Iterable<Row>) {
      if (last && (entries.length === limit || bytes > STORE_LIMITS.pageBytes)) {
        const { sequence, rank } = last;
        return { entries, next: writeCursor(order, { rank: rank ?? 0, sequence }) };
      }
      entries.push(entryOf(textOf(row.key), row));
      bytes += row.value.length;
      last = row;
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
}

const LIVE = '(m.expires_at IS NULL OR m.expires_at > ?)';

interface Query {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function listQuery(space: string, listing: Listing, now: number): Query {
  const { index, order, start, since, limit } = listing;
  const { tables, where, values } = matching(space, index);
  const { conditions, by, bounds } = PLACES[order](start, since);
  return {
    sql: `SELECT m.sequence, e.key, e.version, e.expires_at, e.rank, e.fields, e.value
      FROM ${tables} CROSS JOIN entries AS e ON e.sequence = m.sequence
      WHERE ${where} AND ${LIVE} AND ${conditions} ORDER BY ${by} LIMIT ?`,
    // One more than asked for, to know whether there is a next page.
    values: [...values, now, ...bounds, limit + 1],
  };
}

interface Places {
  readonly conditions: string;
  readonly by: string;
  readonly bounds: readonly number[];
}

type PlacesFrom = (start: Listing['start'], since: number | undefined) => Places;

const PLACES: Readonly<Record<Listing['order'], PlacesFrom>> = {
  oldest: created('>', 'ASC'),
  newest: created('<', 'DESC'),
  highest: ({ rank, sequence }, since = 0) => ({
    conditions: '(m.rank, m.sequence) < (?, ?) AND m.rank >= ?',
    by: 'm.rank DESC, m.sequence DESC',
    bounds: [rank, sequence, since],
  }),
  lowest: ({ rank, sequence }) => ({
    conditions: 'm.rank IS NOT NULL AND (m.rank, m.sequence) > (?, ?)',
    by: 'm.rank ASC, m.sequence ASC',
    bounds: [rank, sequence],
  }),
};

/** The `+` keeps the rank out of the choice of an index: the order comes from that of creation. */
function created(compare: '<' | '>', direction: 'ASC' | 'DESC'): PlacesFrom {
  return ({ sequence }, since) => ({
    conditions: `m.sequence ${compare} ?${since === undefined ? '' : ' AND +m.rank >= ?'}`,
    by: `m.sequence ${direction}`,
    bounds: since === undefined ? [sequence] : [sequence, since],
  });
}

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
    return { tables: 'entries AS m', where: 'm.space = ?', values: [utf8(space)] };
  }
  const joins = others.map((_, at) => {
    const field = `f${at}`;
    return ` CROSS JOIN entry_fields AS ${field} ON ${field}.space = m.space AND ${field}.name = ? AND ${field}.value = ? AND ${field}.sequence = m.sequence`;
  });
  return {
    tables: `entry_fields AS m${joins.join('')}`,
    where: 'm.space = ? AND m.name = ? AND m.value = ?',
    values: [
      ...others.flatMap((name) => [name, utf8(index[name]!)]),
      utf8(space),
      first,
      utf8(index[first]!),
    ],
  };
}
