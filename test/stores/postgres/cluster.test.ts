// Several nodes on one PostgreSQL database: they agree, nobody skips what another one is still writing, watchers miss nothing.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Operation, Store } from '../../../src/stores/store.ts';
import {
  bytes,
  keysByPage,
  numberOf,
  numbered,
  range,
  take,
} from '../../compliance/store/setup.ts';
import { rankedKeys, talliesOf, tallyOperation } from '../../support/stores/model.ts';
import {
  backendsAt,
  holdInserts,
  openNode,
  schemaAt,
  server,
  until,
} from '../../support/stores/postgres.ts';

const PATIENT = { busyTimeoutMs: 60_000 };
const HOUR_MS = 3_600_000;

describe.skipIf(server === undefined)('nodes on one PostgreSQL database', () => {
  let places = 0;
  const newPlace = (): string => `cluster-${(places += 1)}`;
  const openNodes = (place: string, count: number): Promise<Store[]> =>
    Promise.all(range(count).map(() => openNode(place, PATIENT)));

  test('can all start at once in a database that has no store yet', async () => {
    const place = newPlace();
    const nodes = await openNodes(place, 6);
    const made = await Promise.all(nodes.map((node) => node.add('s', 'k', { value: bytes() })));
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  test('of other schemas share nothing', async () => {
    const [one, other] = [await openNode(newPlace()), await openNode(newPlace())];
    await one.put('s', 'k', bytes(1));
    await one.append('l', [bytes(1)]);
    expect(await other.get('s', 'k')).toBeUndefined();
    expect(await other.length('l')).toBe(0);
    expect(await other.add('s', 'k', { value: bytes(2) })).toBe(true);
  });

  test('a creation that is not yet committed holds back later ones, so that no page skips it', async () => {
    const place = newPlace();
    const [first, second] = (await openNodes(place, 2)) as [Store, Store];
    await first.put('s', 'before', bytes());
    const hold = await holdInserts(place, 'entries', 'key', 'slow');
    const slow = first.add('s', 'slow', { value: bytes(1) });
    await until(hold.isHeld);
    const fast = second.add('s', 'fast', { value: bytes(2) });
    await until(async () => (await backendsAt(place, `wait_event_type = 'Lock'`)).length === 2);
    // Both have been asked for and neither is there: whoever reads on from here gets both, in order.
    expect((await second.list('s')).entries.map(({ key }) => key)).toEqual(['before']);
    await hold.letGo();
    expect(await Promise.all([slow, fast])).toEqual([true, true]);
    expect(await keysByPage(second, 's', { limit: 1 })).toEqual(['before', 'slow', 'fast']);
  });

  test('an append that is not yet committed holds back later ones, so that no reader skips it', async () => {
    const place = newPlace();
    const [first, second] = (await openNodes(place, 2)) as [Store, Store];
    const seen = take(second.watch('l', 0), 3);
    const hold = await holdInserts(place, 'records', 'value', 'slow');
    const slow = first.append('l', [bytes(1), new TextEncoder().encode('slow')]);
    await until(hold.isHeld);
    const fast = second.append('l', [bytes(3)]);
    await until(async () => (await backendsAt(place, `wait_event_type = 'Lock'`)).length === 2);
    expect(await second.length('l')).toBe(0);
    await hold.letGo();
    expect([await slow, await fast].map(({ position }) => position)).toEqual([0, 2]);
    expect((await seen).map(({ position }) => position)).toEqual([0, 1, 2]);
    expect((await seen)[2]!.value).toEqual(bytes(3));
  });

  test('a reader that goes on from its last cursor meets every entry of four writers exactly once', async () => {
    const place = newPlace();
    const nodes = await openNodes(place, 5);
    const reader = nodes.pop()!;
    let isWriting = true;
    const writing = Promise.all(
      nodes.map(async (node, writer) => {
        for (const at of range(60)) await node.put('s', `${writer}-${at}`, numbered(at));
      }),
    ).finally(() => (isWriting = false));
    const seen: string[] = [];
    let after: string | undefined;
    for (let isLast = false; !isLast;) {
      isLast = !isWriting;
      const { entries, next } = await reader.list('s', { limit: 3, after });
      // Only a full page that is not the last has a cursor; a shorter one is asked for again.
      if (next === undefined && !isLast) continue;
      seen.push(...entries.map(({ key }) => key));
      after = next;
      isLast = next === undefined;
    }
    await writing;
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(await keysByPage(reader, 's', { limit: 1_000 }));
    expect(seen).toHaveLength(240);
  });

  test('a notification alone wakes the watchers of another node', async () => {
    const place = newPlace();
    const writer = await openNode(place);
    const watcher = await openNode(place, { pollIntervalMs: HOUR_MS });
    const seen = take(watcher.watch('l', 0), 300);
    const listens = `query LIKE 'LISTEN%' AND state = 'idle'`;
    await until(async () => (await backendsAt(place, listens)).length === 1);
    for (const at of range(100)) {
      await writer.append('l', [numbered(at * 3), numbered(at * 3 + 1)]);
      await writer.append('l', [numbered(at * 3 + 2)]);
    }
    expect((await seen).map(({ value }) => numberOf(value))).toEqual(range(300));
  });

  test('a notification that never comes loses nothing', async () => {
    const place = newPlace();
    const schema = schemaAt(place);
    const watcher = await openNode(place);
    await watcher.append('l', [bytes(0)]);
    const watch = watcher.watch('l', 0)[Symbol.asyncIterator]();
    await watch.next();
    const next = watch.next();
    await server!.run(`
      INSERT INTO ${schema}.records SELECT id, 1, '\\x07' FROM ${schema}.logs;
      UPDATE ${schema}.logs SET length = 2`);
    expect(await next).toEqual({ done: false, value: { position: 1, value: bytes(7) } });
    await watch.return!();
  });

  test('each node judges expiry by its own clock', async () => {
    const place = newPlace();
    const slow = await openNode(place, { now: () => 1_000 });
    const fast = await openNode(place, { now: () => 1_010 });
    await slow.add('s', 'k', { value: bytes(1), expiresAt: 1_005 });
    expect(await slow.get('s', 'k')).toBeDefined();
    expect(await fast.get('s', 'k')).toBeUndefined();
    expect(await slow.add('s', 'k', { value: bytes(2) })).toBe(false);
    expect(await fast.add('s', 'k', { value: bytes(3) })).toBe(true);
    expect((await slow.get('s', 'k'))?.value).toEqual(bytes(3));
  });

  describe('any sequence of transactions on either of two nodes', () => {
    const name = { space: fc.constantFrom('s', 't'), key: fc.constantFrom('a', 'b') };
    const log = fc.constantFrom('l', 'm');
    /** Stands for the version that is there: every store has its own. */
    const CURRENT = 1;
    const ifVersion = fc.option(fc.constantFrom(0, CURRENT, 1e9), { nil: undefined });
    const operation: fc.Arbitrary<Operation> = fc.oneof(
      fc.record({
        type: fc.constantFrom('add' as const, 'put' as const),
        ...name,
        value: fc.nat(99).map(numbered),
        ifVersion,
        expiresAt: fc.option(fc.nat(30), { nil: undefined }),
        index: fc.constantFrom({}, { f: '1' }, { f: '1', g: '2' }),
        rank: fc.option(fc.nat(3), { nil: undefined }),
      }),
      fc.record({ type: fc.constant('delete' as const), ...name, ifVersion }),
      fc.record({
        type: fc.constant('check' as const),
        ...name,
        ifVersion: fc.constantFrom(0, CURRENT),
      }),
      fc.record({
        type: fc.constant('append' as const),
        log,
        values: fc.array(fc.nat(9).map(numbered), { maxLength: 3 }),
        ifLength: fc.option(fc.nat(3), { nil: undefined }),
      }),
      fc.record({ type: fc.constant('drop' as const), log }),
      tallyOperation,
    );
    const step = fc.record({
      node: fc.nat(1),
      operations: fc.array(operation, { minLength: 1, maxLength: 4 }),
      passes: fc.nat(3),
    });

    /** With names of their own for every run, because one schema serves them all, and with versions of the store. */
    const adapted = (store: Store, run: string, operations: readonly Operation[]) =>
      Promise.all(
        operations.map(async (each): Promise<Operation> => {
          if ('log' in each) return { ...each, log: `${run}${each.log}` };
          if (each.type === 'tally') return { ...each, name: `${run}${each.name}` };
          const space = `${run}${each.space}`;
          if (each.type === 'add' || each.ifVersion !== CURRENT) return { ...each, space };
          const { version = 1e9 } = (await store.get(space, each.key)) ?? {};
          return { ...each, space, ifVersion: version };
        }),
      );

    async function viewOf(store: Store, run: string): Promise<unknown> {
      const pages = await Promise.all(['s', 't'].map((space) => store.list(`${run}${space}`)));
      return {
        entries: pages.map(({ entries }) => entries.map((entry) => ({ ...entry, version: 0 }))),
        ranked: await rankedKeys(store, `${run}s`),
        tallies: await talliesOf(store, [`${run}x`, `${run}y`]),
        counts: await Promise.all(
          [{}, { f: '1' }, { g: '2', f: '1' }].map((index) => store.count(`${run}s`, { index })),
        ),
        logs: await Promise.all(['l', 'm'].map((each) => store.read(`${run}${each}`, 0))),
      };
    }

    test('gives the same as in the memory store', async () => {
      let now = 0;
      let runs = 0;
      const options = { now: () => now };
      const place = newPlace();
      const nodes = [await openNode(place, options), await openNode(place, options)];
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
          now = 0;
          const run = `${(runs += 1)}-`;
          const memory = createMemoryStore(options);
          for (const { node, operations, passes } of steps) {
            now += passes;
            const [expected, actual] = await Promise.all(
              [memory, nodes[node]!].map(async (store) =>
                store.transact(await adapted(store, run, operations)),
              ),
            );
            expect(actual!.ok).toBe(expected!.ok);
            if (!expected!.ok) expect(actual).toMatchObject({ failed: expected!.failed });
          }
          expect(await viewOf(nodes[0]!, run)).toEqual(await viewOf(memory, run));
          expect(await viewOf(nodes[1]!, run)).toEqual(await viewOf(memory, run));
          await memory.close();
        }),
        { numRuns: 60 },
      );
    });
  });
});
