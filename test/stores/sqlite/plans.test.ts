// How SQLite walks: a list reads one index in its order, sorts nothing and looks at no other entries.

import { describe, expect, onTestFinished, test } from 'vitest';

import { checkListing } from '../../../src/stores/listing.ts';
import type { ListOptions, ListOrder } from '../../../src/stores/store.ts';
import { listQuery } from '../../../stores/sqlite/lists.ts';
import { openDatabase } from '../../../stores/sqlite/open.ts';
import { driver } from '../../support/stores/sqlite.ts';

const ORDERS: readonly ListOrder[] = ['oldest', 'newest', 'highest', 'lowest'];

describe.skipIf(driver === undefined)('SQLite walks an index', () => {
  const looks = ORDERS.flatMap((order) =>
    [undefined, 5].flatMap((since) =>
      [{}, { owner: 'o' }, { owner: 'o', state: 's' }].map((index): ListOptions => ({
        order,
        since,
        index,
      })),
    ),
  );

  test.each(looks)('for %o', async (options) => {
    const db = await openDatabase(':memory:', { attempts: 1, checkOnOpen: false, now: 1 });
    onTestFinished(() => db.close());
    const { sql, values } = listQuery('s', checkListing(options), 1);
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    const [walk, ...lookups] = rows.map(({ detail }) => detail);
    const isByRank = options.order === 'highest' || options.order === 'lowest';
    const hasField = Object.keys(options.index!).length > 0;
    const [ofAll, ofField] = isByRank
      ? ['entries_by_rank', 'COVERING INDEX entry_fields_by_rank']
      : ['entry_by_space', 'PRIMARY KEY'];
    expect(walk).toContain(hasField ? ofField : ofAll);
    for (const lookup of lookups) expect(lookup).toMatch(/^SEARCH (e|f0) USING .*PRIMARY KEY/);
  });
});
