// How PostgreSQL walks: a list reads one page of one index in its order, with the plan that the server keeps for any values.

import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { checkListing } from '../../../src/stores/listing.ts';
import type { ListOrder } from '../../../src/stores/store.ts';
import { listQuery } from '../../../stores/postgres/lists.ts';
import { bytes, range } from '../../compliance/store/setup.ts';
import { openNode, schemaAt, server, urlAt } from '../../support/stores/postgres.ts';

const PLACE = 'plans';
const ORDERS: readonly ListOrder[] = ['oldest', 'newest', 'highest', 'lowest'];

/** What the innermost LIMIT, which chooses the page, stands on. */
function chooserIn(plan: readonly string[]): string {
  const limit = plan.findLastIndex((line) => /->\s+Limit/.test(line));
  return plan[limit + 1]!;
}

describe.skipIf(server === undefined)('PostgreSQL walks an index', () => {
  test('for every order, with and without a field and a lowest rank', async () => {
    const store = await openNode(PLACE);
    const schema = schemaAt(PLACE);
    for (const batch of range(4)) {
      await store.transact(
        range(1_000).map((at) => ({
          type: 'add',
          space: 's',
          key: `${batch}-${at}`,
          value: bytes(1),
          rank: (at * 7_919) % 1_000,
          index: { owner: `o${at % 10}`, state: `s${at % 3}` },
        })),
      );
    }
    const client = new Client({ connectionString: urlAt(PLACE) });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`ANALYZE ${schema}.entries; ANALYZE ${schema}.entry_fields`);
    await client.query('SET plan_cache_mode = force_generic_plan');
    for (const index of [{}, { owner: 'o1' }, { owner: 'o1', state: 's1' }]) {
      const table = Object.keys(index).length === 0 ? 'entr(ies|y)' : 'entry_fields?';
      for (const order of ORDERS) {
        const isByRank = order === 'highest' || order === 'lowest';
        const listing = checkListing({ index, order, ...(isByRank && { since: 5 }) });
        const { statement, values } = listQuery(`"${schema}"`, 's', listing, 1);
        const { rows } = await client.query({
          text: `EXPLAIN ${statement.text}`,
          values: [...values],
        });
        const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']!);
        const walked = isByRank ? `${table}_by_rank` : `${table}_(pkey|by_sequence)`;
        expect(chooserIn(plan), plan.join('\n')).toMatch(
          new RegExp(`Index (Only )?Scan (Backward )?using ${walked} on `),
        );
      }
    }
  });
});
