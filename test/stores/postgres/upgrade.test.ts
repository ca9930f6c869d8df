// A PostgreSQL store that an earlier version of this program made: it is upgraded where it stands and loses nothing.

import { Client } from 'pg';
import { describe, expect, test } from 'vitest';

import type { Operation } from '../../../src/stores/store.ts';
import { applyStatement, applyValues, jobOf } from '../../../stores/postgres/operations.ts';
import { firstVersion, schemaOf } from '../../../stores/postgres/schema-1.ts';
import { bytes } from '../../compliance/store/setup.ts';
import { openNode, schemaAt, server } from '../../support/stores/postgres.ts';

const PLACE = 'upgrade';

describe.skipIf(server === undefined)('a PostgreSQL store of the first version', () => {
  test('keeps its entries, index fields, versions and logs, and goes on with them', async () => {
    const schema = schemaOf(schemaAt(PLACE));
    await makeFirst(schema, [
      { type: 'add', space: 's', key: 'a', value: bytes(1), index: { owner: 'x' } },
      { type: 'add', space: 's', key: 'b', value: bytes(2), index: { owner: 'x' } },
      { type: 'append', log: 'l', values: [bytes(1), bytes(2)] },
      { type: 'append', log: 'gone', values: [bytes(1), bytes(2), bytes(3)] },
      { type: 'drop', log: 'gone' },
    ]);
    const node = await openNode(PLACE);
    const [mark] = await server!.run(`SELECT version FROM ${schema.sql}.a2a_sdl_store`);
    expect(mark).toEqual({ version: 2 });

    const { version } = (await node.get('s', 'a'))!;
    const index = { owner: 'x' };
    expect(await node.put('s', 'a', bytes(3), { ifVersion: version, index })).toMatchObject({
      ok: true,
    });
    expect(await node.put('s', 'b', bytes(4), { index: { owner: 'y' } })).toMatchObject({
      ok: true,
    });
    const { entries } = await node.list('s', { index });
    expect(entries.map(({ key, value }) => [key, value])).toEqual([['a', bytes(3)]]);
    expect(await node.append('l', [bytes(3)], { ifLength: 2 })).toEqual({ ok: true, position: 2 });
    expect((await node.read('l', 0)).map(({ value }) => value)).toEqual(
      [1, 2, 3].map((n) => bytes(n)),
    );

    await node.purge();
    const [left] = await server!.run(`SELECT count(*)::integer FROM ${schema.sql}.record`);
    expect(left).toEqual({ count: 3 });
  });
});

/** What the first version made of an empty schema, and of these operations. */
async function makeFirst(
  schema: ReturnType<typeof schemaOf>,
  operations: readonly Operation[],
): Promise<void> {
  const client = new Client({ connectionString: server!.url });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema.sql}`);
  await client.query(`CREATE TABLE ${schema.sql}.a2a_sdl_store (version integer NOT NULL)`);
  await client.query(`INSERT INTO ${schema.sql}.a2a_sdl_store VALUES (1)`);
  await client.query(firstVersion(schema));
  await client.query({ ...applyStatement(schema), values: applyValues(1, [jobOf(operations)]) });
  await client.end();
}
