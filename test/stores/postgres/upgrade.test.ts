// A PostgreSQL store that an earlier version of this program made: it is upgraded where it stands and loses nothing, and a
// node of that version that still runs can do nothing more to it.

import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { copyOperations } from '../../../src/stores/operation.ts';
import type { Operation } from '../../../src/stores/store.ts';
import { jobOf, writeValues } from '../../../stores/postgres/operations.ts';
import type { Schema } from '../../../stores/postgres/schema-1.ts';
import { firstVersion, schemaOf } from '../../../stores/postgres/schema-1.ts';
import { secondVersion } from '../../../stores/postgres/schema-2.ts';
import { checkPostgresStore } from '../../../stores/postgres/health.ts';
import { bytes, range } from '../../compliance/store/setup.ts';
import { openNode, schemaAt, server, urlAt } from '../../support/stores/postgres.ts';

const VERSIONS = [firstVersion, secondVersion];
let places = 0;

interface Query {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** How versions 1 and 2 wrote: the values of today without those that came later. */
function applyOf({ sql }: Schema, operations: readonly Operation[]): Query {
  const parameters = range(11).map((at) => `$${at + 1}`);
  return {
    name: 'apply',
    text: `SELECT ${sql}.apply(${parameters.join(', ')}) AS results`,
    values: writeValues(1, [jobOf(copyOperations(operations))]).slice(0, 11),
  };
}

/** What they asked besides; one of each kind. */
function otherQueries({ sql }: Schema): Query[] {
  const name = Buffer.from('l');
  return [
    { name: 'purge', text: `SELECT removed FROM ${sql}.purge($1, $2)`, values: [1, 1] },
    { name: 'get', text: `SELECT value FROM ${sql}.entry WHERE space = $1`, values: [name] },
    {
      name: 'fields',
      text: `SELECT field FROM ${sql}.entry_field WHERE space = $1`,
      values: [name],
    },
    { name: 'heads', text: `SELECT id FROM ${sql}.log WHERE name = $1`, values: [name] },
    { name: 'pull', text: `SELECT value FROM ${sql}.record WHERE log = $1`, values: [1] },
  ];
}

/** A schema as an earlier version made it, and a connection of a node of that version. */
async function makeEarlier(version: 1 | 2): Promise<{
  place: string;
  schema: Schema;
  client: Client;
  ask: (query: Query) => Promise<unknown>;
}> {
  const place = `upgrade-${(places += 1)}`;
  const schema = schemaOf(schemaAt(place));
  const client = new Client({ connectionString: urlAt(place) });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`CREATE SCHEMA ${schema.sql}`);
  await client.query(`CREATE TABLE ${schema.sql}.a2a_sdl_store (version integer NOT NULL)`);
  await client.query(`INSERT INTO ${schema.sql}.a2a_sdl_store VALUES (${version})`);
  for (const migration of VERSIONS.slice(0, version)) await client.query(migration(schema));
  const ask = (query: Query): Promise<unknown> =>
    client.query({ ...query, values: [...query.values] });
  return { place, schema, client, ask };
}

const WRITES: readonly Operation[] = [
  { type: 'add', space: 's', key: 'a', value: bytes(1), index: { owner: 'x' } },
  { type: 'add', space: 's', key: 'b', value: bytes(2), index: { owner: 'x' } },
  { type: 'append', log: 'l', values: [bytes(1), bytes(2)] },
  { type: 'append', log: 'gone', values: [bytes(1), bytes(2), bytes(3)] },
  { type: 'drop', log: 'gone' },
];

describe.skipIf(server === undefined)('a PostgreSQL store of an earlier version', () => {
  test.each([1, 2] as const)(
    '(%i) keeps its entries, index fields, versions and logs, and goes on with them',
    async (version) => {
      const { place, schema, ask } = await makeEarlier(version);
      await ask(applyOf(schema, WRITES));
      const node = await openNode(place);
      const [mark] = await server!.run(`SELECT version FROM ${schema.sql}.a2a_sdl_store`);
      expect(mark).toEqual({ version: 3 });

      const { version: found } = (await node.get('s', 'a'))!;
      const index = { owner: 'x' };
      expect(
        await node.put('s', 'a', bytes(3), { ifVersion: found, index, rank: 4 }),
      ).toMatchObject({ ok: true });
      expect(await node.put('s', 'b', bytes(4), { index: { owner: 'y' } })).toMatchObject({
        ok: true,
      });
      const { entries } = await node.list('s', { index, order: 'highest' });
      expect(entries.map(({ key, value }) => [key, value])).toEqual([['a', bytes(3)]]);
      const added = await node.append('l', [bytes(3)], { ifLength: 2 });
      expect(added).toEqual({ ok: true, position: 2 });
      expect((await node.read('l', 0)).map(({ value }) => value)).toEqual(
        [1, 2, 3].map((n) => bytes(n)),
      );

      await node.purge();
      const [left] = await server!.run(`SELECT count(*)::integer FROM ${schema.sql}.records`);
      expect(left).toEqual({ count: 3 });
      const whole = { connection: urlAt(place), schema: schemaAt(place) };
      expect(await checkPostgresStore(whole)).toEqual([]);
    },
  );

  test('with many entries is upgraded without a look at each', async () => {
    const { place, ask, schema } = await makeEarlier(2);
    for (const batch of range(10)) {
      const adds = range(1_000).map((at) => ({
        type: 'add' as const,
        space: 's',
        key: `k${batch}-${at}`,
        value: bytes(1),
        index: { owner: `o${at % 10}`, state: 's', phase: 'p' },
      }));
      await ask(applyOf(schema, adds));
    }
    const fileOf = (table: string): Promise<unknown> =>
      server!.run(`SELECT pg_relation_filenode('${schema.sql}.${table}') AS file`);
    const before = await fileOf('entry');
    const node = await openNode(place);
    // The same file: the rows were not written again.
    expect(await fileOf('entries')).toEqual(before);
    expect(await node.count('s', { index: { owner: 'o3' } })).toBe(1_000);
    expect(await node.count('s', { since: 0 })).toBe(0);
  });

  test('refuses everything that a node of that version asks, on the connection that it has', async () => {
    const { place, schema, ask } = await makeEarlier(2);
    // Prepared before, as a node has them.
    await ask(applyOf(schema, WRITES));
    for (const query of otherQueries(schema)) await ask(query);
    const node = await openNode(place);
    const more: Operation = { type: 'put', space: 's', key: 'a', value: bytes(9) };
    for (const query of [applyOf(schema, [more]), ...otherQueries(schema)]) {
      await expect(ask(query)).rejects.toMatchObject({
        code: expect.stringMatching(/^(42P01|42883)$/),
      });
    }
    expect((await node.get('s', 'a'))?.value).toEqual(bytes(1));
  });

  test('refuses a write of that version that waited for the upgrade', async () => {
    const { place, schema, client, ask } = await makeEarlier(2);
    await ask(applyOf(schema, WRITES));
    const other = new Client({ connectionString: urlAt(place) });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`BEGIN; SELECT ${schema.sql}.lock()`);
    const upgrade = openNode(place);
    await waiting(client, 1);
    const late = ask(applyOf(schema, [{ type: 'put', space: 's', key: 'a', value: bytes(9) }]));
    const refused = expect(late).rejects.toMatchObject({
      code: expect.stringMatching(/^(42P01|42883)$/),
    });
    await waiting(other, 2);
    await other.query('COMMIT');
    await refused;
    expect((await (await upgrade).get('s', 'a'))?.value).toEqual(bytes(1));
  });
});

/** Until so many wait for the lock of a store. */
async function waiting(client: Client, count: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    if (Number(rows[0]!.count) >= count) return;
  }
}
