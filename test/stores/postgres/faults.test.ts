// What goes wrong with a PostgreSQL server: what is said when a store cannot be opened, what is left of a broken call, what goes on.

import { randomUUID } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import type { LogRecord, Store } from '../../../src/stores/store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { loadDriver } from '../../../stores/postgres/driver.ts';
import type { PostgresStoreOptions } from '../../../stores/postgres/index.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { bytes, numberOf, numbered, range, take } from '../../compliance/store/setup.ts';
import {
  backendsAt,
  holdInserts,
  killBackends,
  openNode,
  schemaAt,
  server,
  until,
} from '../../support/stores/postgres.ts';

const HOUR_MS = 3_600_000;

async function errorOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
}

async function faultOf(outcome: Promise<unknown>): Promise<string> {
  const error = await errorOf(outcome);
  return error instanceof StoreError ? `${error.fault}: ${error.message}` : String(error);
}

describe('opening a PostgreSQL store', () => {
  test('without the driver says what to install', async () => {
    const error = await errorOf(loadDriver(() => Promise.reject(new Error('Cannot find package'))));
    expect(error).toMatchObject({ fault: 'unavailable', cause: expect.any(Error) });
    expect(String(error)).toContain('npm install pg');
  });

  test.each<[string, Partial<PostgresStoreOptions>]>([
    ['connection', { connection: 'mysql://host/db' }],
    ['schema', { schema: 'Robert"; DROP TABLE entry' }],
    ['schema', { schema: 'pg_store' }],
    ['schema', { schema: 'x'.repeat(49) }],
    ['readConnections', { readConnections: 0 }],
    ['pollIntervalMs', { pollIntervalMs: 0 }],
    ['busyTimeoutMs', { busyTimeoutMs: 0 }],
    ['callTimeoutMs', { callTimeoutMs: 1.5 }],
  ])('with a wrong "%s" is refused by name', async (name, options) => {
    const opening = openPostgresStore({ connection: 'postgres://host/db', ...options });
    await expect(opening).rejects.toThrow(`"${name}"`);
  });

  test('where there is no server fails, and does not tell the password', async () => {
    const error = (await errorOf(
      openPostgresStore({
        connection: 'postgres://user:s3cret@127.0.0.1:1/db',
        busyTimeoutMs: 50,
      }),
    )) as StoreError;
    expect(error).toMatchObject({ fault: 'failed', cause: { code: 'ECONNREFUSED' } });
    expect(`${error.message} ${JSON.stringify(error.cause)}`).not.toContain('s3cret');
  });
});

describe.skipIf(server === undefined)('a PostgreSQL database', () => {
  let places = 0;
  const newPlace = (): string => `faults-${(places += 1)}`;

  test('that holds the tables of another program is refused and left alone', async () => {
    const place = newPlace();
    const schema = schemaAt(place);
    await server!.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.entry (id integer)`);
    expect(await faultOf(openNode(place))).toMatch(/^foreign: .*choose another schema/);
    const rows = await server!.run('SELECT FROM pg_tables WHERE schemaname = $1', [schema]);
    expect(rows).toHaveLength(1);
  });

  test('that a later version wrote is refused and left alone', async () => {
    const place = newPlace();
    const schema = schemaAt(place);
    await (await openNode(place)).put('s', 'k', bytes(1));
    await server!.run(`UPDATE ${schema}.a2a_sdl_store SET version = 99`);
    expect(await faultOf(openNode(place))).toMatch(/^newer: .*upgrade this program/);
    expect(await server!.run(`SELECT version FROM ${schema}.a2a_sdl_store`)).toEqual([
      { version: 99 },
    ]);
  });

  test.each([
    ['does not say which', ''],
    ['says that it has none', 'INSERT INTO $schema.a2a_sdl_store VALUES (NULL)'],
    ['says one that never was', 'INSERT INTO $schema.a2a_sdl_store VALUES (-3)'],
    ['says two', 'INSERT INTO $schema.a2a_sdl_store VALUES (1), (2)'],
  ])('that should have a version and %s is damaged and left alone', async (_, sql) => {
    const place = newPlace();
    const schema = schemaAt(place);
    await server!.run(
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.a2a_sdl_store (version integer)`,
    );
    if (sql !== '') await server!.run(sql.replace('$schema', schema));
    expect(await faultOf(openNode(place))).toMatch(
      /^corrupt: .*a2a_sdl_store.*restore a copy of it, or drop the schema/,
    );
    const rows = await server!.run('SELECT FROM pg_tables WHERE schemaname = $1', [schema]);
    expect(rows).toHaveLength(1);
  });

  test('whose schema was made for a role that may not make schemas is used', async () => {
    const place = newPlace();
    const schema = schemaAt(place);
    await server!.run(`CREATE SCHEMA ${schema}`);
    expect((await (await openNode(place)).put('s', 'k', bytes(1))).ok).toBe(true);
  });

  test('that does not exist is reported', async () => {
    const connection = server!.url.replace(/\/[a-z_]+(\?|$)/, '/no_such_database$1');
    expect(await faultOf(openPostgresStore({ connection }))).toMatch(/^failed: .*create it first/);
  });

  test('that another transaction holds is busy, and works again after that', async () => {
    const place = newPlace();
    const patient = await openNode(place);
    const hasty = await openNode(place, { busyTimeoutMs: 20 });
    const hold = await holdInserts(place, 'entries', 'key', 'slow');
    const slow = patient.add('s', 'slow', { value: bytes() });
    await until(hold.isHeld);
    const calls = [hasty.put('s', 'k', bytes()), hasty.append('l', [bytes()]), hasty.purge()];
    for (const fault of await Promise.all(calls.map(faultOf))) expect(fault).toMatch(/^busy: /);
    await hold.letGo();
    expect(await slow).toBe(true);
    expect((await hasty.put('s', 'k', bytes())).ok).toBe(true);
  });

  test('with other defaults is durable, isolated and read the same way', async () => {
    const place = newPlace();
    const schema = schemaAt(place);
    const defaults = ['synchronous_commit=off', 'default_transaction_isolation=serializable'];
    const settings = [...defaults, 'bytea_output=escape'].map((each) => `-c ${each}`).join(' ');
    const nodes = await Promise.all(
      range(2).map(() => openNode(place, {}, `&options=${encodeURIComponent(settings)}`)),
    );
    await server!.run(`
      CREATE TABLE ${schema}.seen AS SELECT ''::text AS durable, ''::text AS isolation LIMIT 0;
      CREATE FUNCTION ${schema}.look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO ${schema}.seen VALUES
          (current_setting('synchronous_commit'), current_setting('transaction_isolation'));
        RETURN NEW; END $$;
      CREATE TRIGGER look BEFORE INSERT ON ${schema}.entries FOR EACH ROW EXECUTE FUNCTION ${schema}.look()`);
    const made = await Promise.all(
      range(64).map((at) => nodes[at % 2]!.add('s', 'k', { value: numbered(at) })),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect((await nodes[0]!.get('s', 'k'))?.value).toEqual(numbered(made.indexOf(true)));
    expect(await server!.run(`SELECT DISTINCT * FROM ${schema}.seen`)).toEqual([
      { durable: 'on', isolation: 'read committed' },
    ]);
  });

  test.each([
    ['a serialization failure', '40001', 4],
    ['a deadlock', '40P01', 1],
  ])('that reports %s is asked again', async (_, state, times) => {
    const place = newPlace();
    const store = await openNode(place);
    await failInserts(place, state, times);
    const done = await store.transact([
      { type: 'append', log: 'l', values: [bytes(1)] },
      { type: 'add', space: 's', key: 'k', value: bytes(1) },
    ]);
    expect(done.ok).toBe(true);
    expect(await store.length('l')).toBe(1);
  });

  test('that reports conflicts without end is busy, and nothing is left', async () => {
    const place = newPlace();
    const store = await openNode(place);
    await failInserts(place, '40001', 5);
    const writing = store.transact([
      { type: 'append', log: 'l', values: [bytes(1)] },
      { type: 'add', space: 's', key: 'k', value: bytes(1) },
    ]);
    expect(await faultOf(writing)).toMatch(/^busy: .*40001/);
    expect(await store.length('l')).toBe(0);
    expect(await store.add('s', 'k', { value: bytes(1) })).toBe(true);
  });

  test('takes values longer than one answer, and transactions longer than one message', async () => {
    const store = await openNode(newPlace());
    const long = Uint8Array.from({ length: 2_500_000 }, (_, at) => (at * 31) & 0xff);
    await store.put('s', 'long', long);
    expect(Buffer.compare((await store.get('s', 'long'))!.value, long)).toBe(0);
    expect(Buffer.compare((await store.list('s')).entries[0]!.value, long)).toBe(0);

    const half = new Uint8Array(40_000_000).fill(7);
    const rest = { type: 'append', log: 'l', values: [long], ifLength: 2 } as const;
    const all = [{ type: 'append', log: 'l', values: [half, half] } as const, rest];
    const fails = { type: 'check', space: 's', key: 'long', ifVersion: 0 } as const;
    expect(await store.transact([...all, fails])).toMatchObject({ ok: false, failed: 2 });
    expect(await store.length('l')).toBe(0);
    expect(await store.transact(all)).toEqual({ ok: true, results: [0, 2] });
    const [record] = await store.read('l', 2);
    expect(Buffer.compare(record!.value, long)).toBe(0);
  });

  /** Fails the first inserts of entries; counted by a sequence, which no rollback turns back. */
  async function failInserts(place: string, state: string, times: number): Promise<void> {
    const schema = schemaAt(place);
    await server!.run(`
      CREATE SEQUENCE ${schema}.attempts;
      CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('${schema}.attempts') <= ${times} THEN RAISE EXCEPTION USING ERRCODE = '${state}'; END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON ${schema}.entries FOR EACH ROW EXECUTE FUNCTION ${schema}.fail()`);
  }
});

describe.skipIf(server === undefined)('a connection to PostgreSQL that is lost', () => {
  let places = 0;
  const newPlace = (): string => `lost-${(places += 1)}`;

  test('between the operations of a transaction leaves nothing of it, and the next call works', async () => {
    const place = newPlace();
    const store = await openNode(place);
    const hold = await holdInserts(place, 'records', 'value', 'slow');
    const transaction = [
      { type: 'put', space: 's', key: 'k', value: bytes(1), index: { of: 'a' } },
      { type: 'append', log: 'l', values: [bytes(1), new TextEncoder().encode('slow')] },
      { type: 'put', space: 's', key: 'k2', value: bytes(2) },
    ] as const;
    const writing = faultOf(store.transact(transaction));
    await until(hold.isHeld);
    await killBackends(place, `wait_event_type = 'Lock'`);
    expect(await writing).toMatch(/^failed: .*connection was lost/);
    expect(await store.count('s')).toBe(0);
    expect(await store.count('s', { index: { of: 'a' } })).toBe(0);
    expect(await store.length('l')).toBe(0);
    await hold.letGo();
    expect((await store.transact(transaction)).ok).toBe(true);
    expect(await store.length('l')).toBe(2);
  });

  test('while calls are written together fails all of them, and none is made again by itself', async () => {
    const place = newPlace();
    const store = await openNode(place);
    const hold = await holdInserts(place, 'records', 'value', 'slow');
    const slow = new TextEncoder().encode('slow');
    const calls = range(3).map((at) => faultOf(store.append(`l${at}`, [slow])));
    await until(hold.isHeld);
    await killBackends(place, `wait_event_type = 'Lock'`);
    await hold.letGo();
    for (const fault of await Promise.all(calls)) {
      expect(fault).toMatch(/^failed: .*connection was lost/);
    }
    for (const at of range(3)) expect(await store.length(`l${at}`)).toBe(0);
  });

  test('again and again loses nothing that was acknowledged, writes nothing twice, and watchers see it all', async () => {
    const place = newPlace();
    const writers = [await openNode(place), await openNode(place)];
    const watcher = await openNode(place);
    const acknowledged = new Map<number, number>();
    const seen = followAll(watcher, 'l');
    let failures = 0;
    await Promise.all(
      writers.map(async (store, writer) => {
        for (const at of range(120)) {
          const number = writer * 1_000 + at;
          try {
            acknowledged.set(number, (await store.append('l', [numbered(number)])).position);
          } catch (thrown) {
            expect(thrown).toMatchObject({ fault: 'failed' });
            failures += 1;
          }
          if (writer === 0 && at % 20 === 10) await killBackends(place);
        }
      }),
    );
    await writers[0]!.append('l', [numbered(-1)]);
    const log = [...(await watcher.read('l', 0, 1_000))].map(({ value }) => numberOf(value));
    expect(new Set(log).size).toBe(log.length);
    for (const [number, position] of acknowledged) expect(log[position]).toBe(number);
    expect(acknowledged.size + failures).toBe(240);
    expect((await seen).map(({ position }) => position)).toEqual(range(log.length));
    expect((await seen).map(({ value }) => numberOf(value))).toEqual(log);
  });

  test('while it listens is replaced, and what was missed meanwhile is looked up', async () => {
    const place = newPlace();
    const writer = await openNode(place);
    const watcher = await openNode(place, { pollIntervalMs: HOUR_MS });
    const listeners = `query LIKE 'LISTEN%' AND state = 'idle'`;
    const seen = take(watcher.watch('l', 0), 3);
    await until(async () => (await backendsAt(place, listeners)).length === 1);
    await writer.append('l', [numbered(0)]);
    await killBackends(place, listeners);
    await until(async () => (await backendsAt(place, listeners)).length === 0);
    await writer.append('l', [numbered(1)]);
    await until(async () => (await backendsAt(place, listeners)).length === 1);
    await writer.append('l', [numbered(2)]);
    expect((await seen).map(({ value }) => numberOf(value))).toEqual([0, 1, 2]);
  });

  test.skipIf(server?.restart === undefined)(
    'because the server hangs fails after its time, and the next call works',
    async () => {
      const place = newPlace();
      const store = await openNode(place, { callTimeoutMs: 100 });
      await store.put('s', 'k', bytes(1));
      const [backend] = await backendsAt(place);
      process.kill(backend!, 'SIGSTOP');
      const writing = faultOf(store.put('s', 'k', bytes(2)));
      expect(await writing).toMatch(/^failed: .*connection was lost/);
      expect((await store.get('s', 'k'))?.value).toEqual(bytes(1));
      process.kill(backend!, 'SIGCONT');
      await until(async () => !(await backendsAt(place)).includes(backend!));
      expect((await store.put('s', 'k', bytes(3))).ok).toBe(true);
    },
  );

  test.skipIf(server?.restart === undefined).each([
    ['restarted', false],
    ['killed and recovered', true],
  ])('because the server is %s comes back, with all that was acknowledged', async (_, isCrash) => {
    const place = newPlace();
    const store = await openNode(place);
    const watcher = await openNode(place);
    const seen = take(watcher.watch('l', 0), 60);
    const key = randomUUID();
    for (const at of range(30)) await store.append('l', [numbered(at)]);
    const { version } = await store.put('s', key, bytes(1));
    await server!.restart!(isCrash);
    await until(async () => (await faultOf(store.length('l'))) === 'no error');
    for (const at of range(30)) await store.append('l', [numbered(30 + at)]);
    expect((await store.get('s', key))?.version).toBe(version);
    expect((await store.put('s', key, bytes(2), { ifVersion: version })).version).toBeGreaterThan(
      version,
    );
    expect((await seen).map(({ value }) => numberOf(value))).toEqual(range(60));
  });

  test('from a store whose schema is gone fails every call, and closing still works', async () => {
    const place = newPlace();
    const store = await openNode(place);
    const schema = schemaAt(place);
    await store.put('s', 'k', bytes(1));
    await server!.run(`DROP SCHEMA ${schema} CASCADE`);
    const calls = [store.put('s', 'k', bytes(1)), store.get('s', 'k'), store.purge()];
    for (const fault of await Promise.all(calls.map(faultOf))) {
      expect(fault).toMatch(/^failed: .*PostgreSQL refused the operation/);
    }
    await store.close();
  });

  /** Follows a log to the record -1, as a program does: a watch that fails is begun again after what was seen. */
  async function followAll(store: Store, log: string): Promise<LogRecord[]> {
    const seen: LogRecord[] = [];
    for (;;) {
      try {
        for await (const record of store.watch(log, seen.length)) {
          seen.push(record);
          if (numberOf(record.value) === -1) return seen;
        }
      } catch (thrown) {
        expect(thrown).toMatchObject({ fault: 'failed' });
      }
    }
  }
});
