// The book of kept receipts on every store that can carry it.

import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { createIdentity } from '../../src/security/identity/identity.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { createAuditLog, createReceiptBook, readEvidence } from '../../src/audit/index.ts';
import type { ReceiptBook, ReceivedAnswer } from '../../src/audit/index.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { NOW, crypto, exchange, requestHash } from '../support/trust/audit.ts';
import { openNode, server } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const DAY_MS = 86_400_000;

class Clock {
  nowMs = NOW;
  readonly now = (): number => this.nowMs;
}

/** An agent that answers, as its requester sees it. */
class Answering {
  readonly identity: LocalIdentity;

  private constructor(identity: LocalIdentity) {
    this.identity = identity;
  }

  static async start(): Promise<Answering> {
    return new Answering(await createIdentity({ crypto, nowMs: NOW - DAY_MS }));
  }

  get agentId(): string {
    return this.identity.agentId;
  }

  async answer(id: string): Promise<ReceivedAnswer> {
    const { identity } = this;
    const { kid, key } = signingKeyOf(identity, NOW);
    const log = await createAuditLog({
      store: createMemoryStore(),
      node: identity.agentId,
      crypto,
      now: () => NOW,
      signer: () => ({ kid, secretKey: key.reveal() }),
    });
    const audit = await log.receipt(await exchange(log, id));
    const trace = { root_id: 'r', span_id: 's', hops: 1, audit };
    const reply = { from: { agent_id: identity.agentId }, payload: { answer: id }, trace };
    return {
      id,
      ct: 'task.v1',
      req: requestHash(id),
      reply: reply as unknown as Envelope,
      keys: [{ kid, key: key.publicKey }],
      bundle: identity.bundle,
    };
  }
}

const folder = temporaryFolder();
let places = 0;

const STORES: [name: string, isThere: boolean, open: (now: () => number) => Promise<Store>][] = [
  ['memory', true, (now) => Promise.resolve(createMemoryStore({ now }))],
  [
    'SQLite',
    driver !== undefined,
    async (now) => {
      const store = await openSqliteStore({ path: join(folder, `${(places += 1)}.db`), now });
      onTestFinished(() => store.close());
      return store;
    },
  ],
  ['PostgreSQL', server !== undefined, (now) => openNode(`receipts-${(places += 1)}`, { now })],
];

for (const [name, isThere, open] of STORES) {
  describe.skipIf(!isThere)(`#receipt-kept a book in ${name}`, () => {
    async function newBook(
      options: { keepMs?: number; max?: number } = {},
    ): Promise<{ book: ReceiptBook; store: Store; clock: Clock }> {
      const clock = new Clock();
      const store = await open(clock.now);
      return {
        book: createReceiptBook({ ...options, store, crypto, now: clock.now }),
        store,
        clock,
      };
    }

    test('keeps a receipt once, however often and from wherever it comes', async () => {
      const { book, store } = await newBook();
      const answer = await (await Answering.start()).answer('m1');
      const again = createReceiptBook({ store, crypto, now: () => NOW + 1 });
      const kept = await Promise.all(
        Array.from({ length: 32 }, (_, at) => (at % 2 === 0 ? book : again).keep(answer)),
      );
      expect(new Set(kept)).toEqual(new Set([undefined]));
      expect((await book.list()).receipts).toHaveLength(1);
    });

    test('finds them by request, lists them by agent, the newest first', async () => {
      const { book } = await newBook();
      const [bob, carol] = [await Answering.start(), await Answering.start()];
      for (const id of ['m1', 'm2', 'm3']) await book.keep(await bob.answer(id));
      await book.keep(await carol.answer('m4'));
      const idsOf = async (options: object): Promise<string[]> =>
        (await book.list(options)).receipts.map(({ id }) => id);
      expect(await idsOf({})).toEqual(['m4', 'm3', 'm2', 'm1']);
      expect(await idsOf({ peer: bob.agentId })).toEqual(['m3', 'm2', 'm1']);
      expect(await idsOf({ peer: 'did:key:nobody' })).toEqual([]);
      const { receipts, next } = await book.list({ peer: bob.agentId, limit: 2 });
      expect(receipts.map(({ id }) => id)).toEqual(['m3', 'm2']);
      expect(await idsOf({ peer: bob.agentId, after: next })).toEqual(['m1']);
      const [found, ...others] = await book.find('m4');
      expect(others).toEqual([]);
      expect(readEvidence(found!.evidence)).toMatchObject({
        kind: 'receipt',
        node: carol.agentId,
        bundle: carol.identity.bundle.document,
      });
      expect(await book.find('m9')).toEqual([]);
    });

    test('lets them go when their time is over', async () => {
      const { book, store, clock } = await newBook({ keepMs: DAY_MS });
      await book.keep(await (await Answering.start()).answer('m1'));
      clock.nowMs += DAY_MS - 1;
      expect(await book.find('m1')).toHaveLength(1);
      clock.nowMs += 1;
      expect(await book.find('m1')).toEqual([]);
      expect(await store.purge()).toBe(1);
    });

    test('keeps them for 90 days unless it is told otherwise', async () => {
      const { book, clock } = await newBook();
      await book.keep(await (await Answering.start()).answer('m1'));
      clock.nowMs += 90 * DAY_MS - 1;
      expect(await book.find('m1')).toHaveLength(1);
      clock.nowMs += 1;
      expect(await book.find('m1')).toEqual([]);
    });
  });
}

describe('#receipt-kept how many', () => {
  test('the oldest go first, also in a process that keeps one', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const bob = await Answering.start();
    const all = createReceiptBook({ store, crypto, now: () => NOW });
    for (let count = 1; count <= 8; count += 1) await all.keep(await bob.answer(`m${count}`));
    const few = createReceiptBook({ store, crypto, now: () => NOW, max: 3 });
    await few.keep(await bob.answer('m9'));
    expect((await few.list()).receipts.map(({ id }) => id)).toEqual(['m9', 'm8', 'm7']);
  });

  test('the bound holds to within a few hundred in a process that keeps many', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const answer = await (await Answering.start()).answer('m');
    const book = createReceiptBook({ store, crypto, now: () => NOW, max: 10 });
    let most = 0;
    for (let count = 0; count < 600; count += 1) {
      await book.keep({ ...answer, id: `m${count}` });
      most = Math.max(most, await store.count('receipt'));
    }
    expect(most).toBeLessThanOrEqual(10 + 256);
    expect(await book.find('m0')).toEqual([]);
    expect(await book.find('m599')).toHaveLength(1);
  });

  test.each([{ keepMs: 0 }, { max: 0 }, { max: 1.5 }])('%o is refused', (options) => {
    const store = createMemoryStore();
    expect(() => createReceiptBook({ ...options, store, crypto })).toThrow(RangeError);
  });
});

describe('#receipt-kept what does not hold', () => {
  const audited = (answer: ReceivedAnswer, audit: JsonObject): ReceivedAnswer => ({
    ...answer,
    reply: { ...answer.reply, trace: { ...answer.reply.trace!, audit } },
  });
  const auditOf = ({ reply }: ReceivedAnswer): JsonObject => reply.trace!.audit!;
  type Change = (answer: ReceivedAnswer, other: ReceivedAnswer) => ReceivedAnswer;
  const changes: [what: string, change: Change, code: string, reason: string][] = [
    [
      'one of another node',
      (answer, other) => audited(answer, auditOf(other)),
      'SIGNATURE_INVALID',
      'another node',
    ],
    [
      'one that was changed',
      (answer) => audited(answer, { ...auditOf(answer), verdict: 'INTERNAL' }),
      'SIGNATURE_INVALID',
      'signature of the receipt',
    ],
    [
      'one by a key that does not speak for the agent',
      (answer, other) => ({ ...answer, keys: other.keys }),
      'SIGNATURE_INVALID',
      'signature of the receipt',
    ],
    [
      'one for another request',
      (answer, other) => ({ ...answer, req: other.req }),
      'BINDING_INVALID',
      'another request',
    ],
    [
      'one for another answer',
      (answer) => ({ ...answer, reply: { ...answer.reply, payload: { answer: 'other' } } }),
      'BINDING_INVALID',
      'another answer',
    ],
    [
      'one by a key that had ended',
      (answer) => ({ ...answer, bundle: { ...answer.bundle!, notAfterMs: NOW - 1 } }),
      'SENDER_REFUSED',
      'had ended',
    ],
    ['what is none', (answer) => audited(answer, {}), 'ENVELOPE_INVALID', '/req'],
  ];

  test.each(changes)('%s is not kept', async (_what, change, code, reason) => {
    const store = createMemoryStore({ now: () => NOW });
    const book = createReceiptBook({ store, crypto, now: () => NOW });
    const answer = await (await Answering.start()).answer('m1');
    const other = await (await Answering.start()).answer('m2');
    expect(await book.keep(change(answer, other))).toMatchObject({
      code,
      reason: expect.stringContaining(reason) as string,
    });
    expect(await store.count('receipt')).toBe(0);
    expect(await book.keep(answer)).toBeUndefined();
    expect(await store.count('receipt')).toBe(1);
  });

  test('of a key that only the peer book knows there is no bundle to keep', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const book = createReceiptBook({ store, crypto, now: () => NOW });
    await book.keep({ ...(await (await Answering.start()).answer('m1')), bundle: undefined });
    const [kept] = await book.find('m1');
    expect(Object.keys(kept!.evidence)).toEqual(['receipt']);
  });

  test('a damaged entry says what to do', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const book = createReceiptBook({ store, crypto, now: () => NOW });
    await store.put('receipt', 'x', new TextEncoder().encode('{}'), { index: { request: 'm1' } });
    await expect(book.find('m1')).rejects.toThrow('restore the store from a copy');
  });
});
