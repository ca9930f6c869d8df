// Rules of logs: positions, reading, watching without loss or repetition, dropping.

import { expect, test } from 'vitest';

import type { LogRecord } from '../../../src/stores/store.ts';
import { STORE_LIMITS } from '../../../src/stores/store.ts';
import {
  CONFUSABLE_NAMES,
  bytes,
  expectClosed,
  numberOf,
  numbered,
  openStore,
  range,
  take,
} from './setup.ts';
import type { StoreUnderTest } from './setup.ts';

const numbersOf = (records: readonly LogRecord[]): number[] =>
  records.map(({ value }) => numberOf(value));

export function logRules(subject: StoreUnderTest): void {
  test('positions start at 0 and have no gap', async () => {
    const { store } = await openStore(subject);
    expect(await store.append('l', [bytes(1), bytes(2)])).toEqual({ ok: true, position: 0 });
    expect(await store.append('l', [bytes(3)])).toEqual({ ok: true, position: 2 });
    expect(await store.append('l', [])).toEqual({ ok: true, position: 3 });
    expect(await store.length('l')).toBe(3);
    expect(await store.read('l', 0)).toEqual([
      { position: 0, value: bytes(1) },
      { position: 1, value: bytes(2) },
      { position: 2, value: bytes(3) },
    ]);
  });

  test('concurrent appends get positions of their own', async () => {
    const { store } = await openStore(subject);
    const done = await Promise.all(
      range(50).map((at) => store.append('l', [numbered(at), numbered(at + 1_000)])),
    );
    const log = await store.read('l', 0);
    expect(log.map(({ position }) => position)).toEqual(range(100));
    for (const [at, { position }] of done.entries()) {
      expect(numbersOf(log.slice(position, position + 2))).toEqual([at, at + 1_000]);
    }
  });

  test('an append with a length succeeds only at that length', async () => {
    const { store } = await openStore(subject);
    expect((await store.append('l', [bytes(1)], { ifLength: 0 })).ok).toBe(true);
    expect(await store.append('l', [bytes(2)], { ifLength: 0 })).toEqual({
      ok: false,
      position: 1,
    });
    expect(await store.length('l')).toBe(1);
  });

  test('reading starts anywhere, is limited, and ends at the end', async () => {
    const { store } = await openStore(subject);
    await store.append('l', range(250).map(numbered));
    expect(numbersOf(await store.read('l', 10, 3))).toEqual([10, 11, 12]);
    expect(await store.read('l', 0)).toHaveLength(100);
    expect(numbersOf(await store.read('l', 249, 10))).toEqual([249]);
    expect(await store.read('l', 250)).toEqual([]);
    expect(await store.read('l', 9_999)).toEqual([]);
    expect(await store.read('none', 0)).toEqual([]);
    expect(await store.length('none')).toBe(0);
  });

  test('reading large values stops early but not before the first', async () => {
    const { store } = await openStore(subject);
    const large = new Uint8Array(STORE_LIMITS.pageBytes + 1);
    await store.append('l', [large]);
    await store.append('l', [large]);
    expect((await store.read('l', 0)).map(({ position }) => position)).toEqual([0]);
    expect((await store.read('l', 1)).map(({ position }) => position)).toEqual([1]);
    const seen = await take(store.watch('l', 0), 2);
    expect(seen.map(({ position }) => position)).toEqual([0, 1]);
  });

  test('a watch reads the log and then follows it', async () => {
    const { store } = await openStore(subject);
    await store.append('l', [numbered(0), numbered(1)]);
    const seen = take(store.watch('l', 1), 3);
    await store.append('l', [numbered(2)]);
    await store.append('l', [numbered(3)]);
    expect(await seen).toEqual([1, 2, 3].map((at) => ({ position: at, value: numbered(at) })));
  });

  test('a watch may start before the log, and before its position is reached', async () => {
    const { store } = await openStore(subject);
    const seen = take(store.watch('l', 2), 1);
    for (const at of range(3)) await store.append('l', [numbered(at)]);
    expect(numbersOf(await seen)).toEqual([2]);
  });

  test('many watches from many positions lose and repeat nothing under concurrent appends', async () => {
    const { store } = await openStore(subject);
    const total = 400;
    const watches = range(20).map((at) => take(store.watch('l', at * 15), total - at * 15));
    await Promise.all(
      range(8).map(async (writer) => {
        for (const turn of range(10)) {
          const first = writer * 50 + turn * 5;
          await store.append(
            'l',
            range(5).map((at) => numbered(first + at)),
          );
        }
      }),
    );
    const log = (await Promise.all(range(4).map((at) => store.read('l', at * 100)))).flat();
    expect(log).toHaveLength(total);
    for (const [at, seen] of (await Promise.all(watches)).entries()) {
      expect(seen).toEqual(log.slice(at * 15));
    }
  });

  test('a slow reader gets everything from the log', async () => {
    const { store } = await openStore(subject);
    const reader = store.watch('l', 0)[Symbol.asyncIterator]();
    const seen: number[] = [];
    for (const turn of range(20)) {
      await store.append(
        'l',
        range(50).map((at) => numbered(turn * 50 + at)),
      );
      const { value } = await reader.next();
      seen.push(numberOf((value as LogRecord).value));
    }
    while (seen.length < 1_000) {
      seen.push(numberOf(((await reader.next()).value as LogRecord).value));
    }
    await reader.return!();
    expect(seen).toEqual(range(1_000));
  });

  test('a watch cut anywhere and resumed after what it saw yields exactly the log', async () => {
    const { store } = await openStore(subject);
    const seen: number[] = [];
    for (const turn of range(30)) {
      await store.append(
        'l',
        range(7).map((at) => numbered(turn * 7 + at)),
      );
      const cut = 1 + ((turn * 5) % 9);
      const left = (turn + 1) * 7 - seen.length;
      seen.push(...numbersOf(await take(store.watch('l', seen.length), Math.min(cut, left))));
    }
    seen.push(...numbersOf(await take(store.watch('l', seen.length), 210 - seen.length)));
    expect(seen).toEqual(range(210));
  });

  test('abort ends a watch without an error: while it waits, between records, and before it starts', async () => {
    const { store } = await openStore(subject);
    await store.append('l', range(3).map(numbered));
    const control = new AbortController();
    const { signal } = control;
    const waiting = take(store.watch('l', 3, { signal }), 1);
    const between: number[] = [];
    const reading = (async () => {
      for await (const { position } of store.watch('l', 0, { signal })) {
        between.push(position);
        if (position === 1) control.abort();
      }
    })();
    expect(await waiting).toEqual([]);
    await reading;
    expect(between).toEqual([0, 1]);
    expect(await take(store.watch('l', 0, { signal }), 1)).toEqual([]);
  });

  test('leaving a watch that waits does not wait for the next append', async () => {
    const { store } = await openStore(subject);
    const watch = store.watch('l', 0)[Symbol.asyncIterator]();
    const next = watch.next();
    expect(await watch.return!()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('each iteration of a watch is a watch of its own', async () => {
    const { store } = await openStore(subject);
    await store.append('l', range(3).map(numbered));
    const watch = store.watch('l', 1);
    expect(numbersOf(await take(watch, 2))).toEqual([1, 2]);
    expect(numbersOf(await take(watch, 2))).toEqual([1, 2]);
  });

  test('dropping a log removes it, ends its watches, and the name starts again at 0', async () => {
    const { store } = await openStore(subject);
    await store.append('l', range(3).map(numbered));
    await store.append('stays', [numbered(7)]);
    const watch = store.watch('l', 2)[Symbol.asyncIterator]();
    expect((await watch.next()).done).toBe(false);
    const next = watch.next();
    expect(await store.transact([{ type: 'drop', log: 'l' }])).toEqual({ ok: true, results: [3] });
    expect((await next).done).toBe(true);
    expect(await store.read('l', 0)).toEqual([]);
    expect(await store.append('l', [numbered(9)], { ifLength: 0 })).toEqual({
      ok: true,
      position: 0,
    });
    await store.purge();
    expect(numbersOf(await store.read('l', 0))).toEqual([9]);
    expect(numbersOf(await store.read('stays', 0))).toEqual([7]);
    expect(await store.transact([{ type: 'drop', log: 'none' }])).toEqual({
      ok: true,
      results: [0],
    });
  });

  test.each([
    ['"log"', (): unknown => ['', 0]],
    ['"from"', (): unknown => ['l', -1]],
    ['"from"', (): unknown => ['l', 0.5]],
    ['"limit"', (): unknown => ['l', 0, 0]],
    ['"limit"', (): unknown => ['l', 0, 1_001]],
  ])('reading with a wrong %s is refused by name', async (name, args) => {
    const { store } = await openStore(subject);
    const [log, from, limit] = args() as [string, number, number?];
    await expect(store.read(log, from, limit)).rejects.toThrow(name);
  });

  test.each(CONFUSABLE_NAMES)('names %s stay what they are', async (_, one, other) => {
    const { store } = await openStore(subject);
    expect((await store.append(one, [bytes(3)])).position).toBe(0);
    expect((await store.append(other, [bytes(4)])).position).toBe(0);
    expect(await store.read(one, 0)).toEqual([{ position: 0, value: bytes(3) }]);
  });

  test.each([
    ['of no bytes', 0],
    ['of 1 MiB', 1_048_576],
  ])('a record %s comes back as it went in', async (_, length) => {
    const { store } = await openStore(subject);
    const value = Uint8Array.from({ length }, (__, at) => (at * 7) & 0xff);
    await store.append('l', [value]);
    const [record] = await store.read('l', 0);
    expect(Object.getPrototypeOf(record!.value)).toBe(Uint8Array.prototype);
    expect(record!.value.length).toBe(length);
    expect(record!.value.every((byte, at) => byte === value[at])).toBe(true);
  });

  test('changing what was appended or read changes nothing', async () => {
    const { store } = await openStore(subject);
    const record = bytes(4);
    const values = [record];
    const writing = store.append('l', values);
    record.fill(0);
    values.push(record);
    await writing;
    (await store.read('l', 0))[0]!.value.fill(0);
    expect(await store.read('l', 0)).toEqual([{ position: 0, value: bytes(4) }]);
  });

  test('every call after close fails and says so, lists and transactions too', async () => {
    const { store } = await openStore(subject);
    await store.close();
    await expectClosed([
      store.list('s'),
      store.append('l', [bytes()]),
      store.read('l', 0),
      store.length('l'),
      take(store.watch('l', 0), 1),
      store.transact([]),
    ]);
  });

  test('close ends a watch that waits, with the error', async () => {
    const { store } = await openStore(subject);
    const waiting = take(store.watch('l', 0), 1);
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ fault: 'closed' }),
      store.length('l').then(() => store.close()),
    ]);
  });
}
