// state.v1 that comes by itself: documents of peers, step by step, kept in the store.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import type { ContentHandler } from '../../src/content.ts';
import type { StateBook, StateBookOptions } from '../../src/handlers/state/book.ts';
import { createStateBook } from '../../src/handlers/state/book.ts';
import type { StateChange } from '../../src/handlers/state/handler.ts';
import { createStateHandler } from '../../src/handlers/state/handler.ts';
import { EMPTY_STATE_HASH, INITIAL_STATE, makeState } from '../../src/state/document.ts';
import type { EntryStore } from '../../src/stores/store.ts';
import { openStore } from '../compliance/store/setup.ts';
import { parse } from '../support/wire/bytes.ts';
import { alice } from '../support/wire/envelopes.ts';
import { payloadOf, refusalOf, requestContext } from '../support/agents/handler-context.ts';
import { makePeer } from '../support/trust/peers.ts';
import { storeRows } from '../support/trust/replay.ts';

const context = requestContext();
const put = (path: string, value: unknown): JsonObject =>
  ({ op: 'add', path, value }) as unknown as JsonObject;
const first = { base: EMPTY_STATE_HASH, patch: [put('/a', 1)] };

function handlerOn(
  store: EntryStore,
  options: Partial<StateBookOptions> = {},
): ContentHandler & { readonly book: StateBook; readonly changes: StateChange[] } {
  const changes: StateChange[] = [];
  const book = createStateBook({ store, ...options });
  const handler = createStateHandler({ book, onChange: (change) => void changes.push(change) });
  return { ...handler, book, changes };
}

describe.each(storeRows)('#state-base state.v1 on the store $label', (subject) => {
  test('is applied for good and answered with the hash to start from', async () => {
    const { store, again } = await openStore(subject);
    const { handle, book, changes } = handlerOn(store);
    const { base, patch } = await payloadOf(handle(first, context));
    expect(patch).toEqual([]);
    expect(changes).toMatchObject([{ name: '', document: { value: { a: 1 }, hash: base } }]);
    const next = await payloadOf(handle({ base: base!, patch: [put('/b', 2)] }, context));
    expect(await book.get(alice.agent_id, '')).toEqual({
      value: { a: 1, b: 2 },
      hash: next['base'],
    });
    if (!subject.isShared) return;
    const reread = await createStateBook({ store: await again() }).get(alice.agent_id, '');
    expect(reread.hash).toBe(next['base']);
  });

  test('with another base is refused and told the right one (W55)', async () => {
    const { store } = await openStore(subject);
    const { handle, book } = handlerOn(store);
    const { base } = await payloadOf(handle(first, context));
    const refusal = await refusalOf(() => handle(first, context));
    expect(refusal.code).toBe('STATE_BASE');
    expect(refusal.details).toEqual({ expected: base });
    expect((await book.get(alice.agent_id, '')).hash).toBe(base);
  });

  test('of two messages with one base exactly one is applied', async () => {
    const { store } = await openStore(subject);
    const { handle, book } = handlerOn(store);
    const rivals = [1, 2, 3, 4].map(async (value) => {
      const payload = { base: EMPTY_STATE_HASH, patch: [put('/winner', value)] };
      try {
        await payloadOf(handle(payload, context));
        return value;
      } catch {
        return undefined;
      }
    });
    const winners = (await Promise.all(rivals)).filter((value) => value !== undefined);
    expect(winners).toHaveLength(1);
    expect((await book.get(alice.agent_id, '')).value).toEqual({ winner: winners[0] });
  });

  test('stops at the number of documents that an agent may have', async () => {
    const { store, clock } = await openStore(subject);
    const now = (): number => clock.now;
    const { handle } = handlerOn(store, { maxPerAgent: 2, retentionMs: 1_000, now });
    for (const doc of ['one', 'two']) await payloadOf(handle({ ...first, doc }, context));
    const third = { ...first, doc: 'three' };
    expect((await refusalOf(() => handle(third, context))).code).toBe('LIMIT_RATE');
    const other = requestContext({ peer: makePeer('did:key:carol') });
    expect(await payloadOf(handle(third, other))).toMatchObject({ doc: 'three' });
    clock.now += 1_000;
    expect(await payloadOf(handle(third, context))).toMatchObject({ doc: 'three' });
  });
});

const memory = storeRows[0]!;

describe('#state #state-push a document', () => {
  test('belongs to its sender and has a name', async () => {
    const { handle, book } = handlerOn((await openStore(memory)).store);
    await payloadOf(handle(first, context));
    expect(await payloadOf(handle({ ...first, doc: 'plan' }, context))).toMatchObject({
      doc: 'plan',
    });
    expect(await book.get('did:key:carol', '')).toBe(INITIAL_STATE);
    expect(await book.get(alice.agent_id, 'plan')).toMatchObject({ value: { a: 1 } });
  });

  test.each(['', 7, 'x'.repeat(257)])('cannot be called %j', async (doc) => {
    const { handle } = handlerOn((await openStore(memory)).store);
    const refusal = await refusalOf(() => handle({ ...first, doc }, context));
    expect([refusal.code, refusal.details]).toEqual(['PAYLOAD_INVALID', { path: '/doc' }]);
  });

  test('stays as it is when a patch fails', async () => {
    const { handle, book, changes } = handlerOn((await openStore(memory)).store);
    const patch = [put('/a', 1), { op: 'remove', path: '/none' }];
    const refusal = await refusalOf(() => handle({ base: EMPTY_STATE_HASH, patch }, context));
    expect([refusal.code, refusal.details]).toEqual(['STATE_PATCH', { operation: 1 }]);
    expect(await book.get(alice.agent_id, '')).toBe(INITIAL_STATE);
    expect(changes).toEqual([]);
  });

  test('keeps every number and name, and may be as large as a document can be', async () => {
    const { handle, book } = handlerOn((await openStore(memory)).store);
    const value = parse('{"__proto__":1.0,"big":123456789012345678901}');
    const list = Array.from({ length: 100_000 }, () => 7);
    const next = { kept: value, list };
    const { base } = await payloadOf(handle({ ...makeState(INITIAL_STATE, next) }, context));
    const stored = await book.get(alice.agent_id, '');
    expect(stored.hash).toBe(base);
    expect(makeState(stored, next).patch).toEqual([]);
  });

  test('names an option that is wrong', async () => {
    const { store } = await openStore(memory);
    expect(() => createStateBook({ store, maxPerAgent: 0 })).toThrow('"maxPerAgent"');
    expect(() => createStateBook({ store, retentionMs: 0.5 })).toThrow('"retentionMs"');
  });
});
