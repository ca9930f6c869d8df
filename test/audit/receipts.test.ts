// The receipts that a requester keeps: of every answer, durable with it, and none that does not hold.

import { describe, expect, test } from 'vitest';

import { rotateIdentity } from '../../src/security/identity/identity.ts';
import { createReceiptBook, readEvidence, verifyEvidence } from '../../src/audit/index.ts';
import type { KeptReceipt } from '../../src/audit/index.ts';
import type { ReceiptEvent } from '../../src/client/keep-receipt.ts';
import { RemoteError } from '../../src/client/remote-error.ts';
import { decodeUtf8 } from '../../src/codec/utf8.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import type { RuntimeOptions } from '../../src/runtime/options.ts';
import { formerSigningKeys } from '../../src/security/identity/bundle-history.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { StoreError } from '../../src/stores/store.ts';
import { NOW, crypto, newIdentity } from '../support/agents/agents.ts';
import type { Agent } from '../support/agents/agents.ts';
import { agentsThatKnowEachOther } from '../support/agents/delegating-agents.ts';

type Options = Partial<RuntimeOptions>;

interface Scene {
  readonly alice: Agent;
  readonly bob: Agent;
  readonly store: Store;
  /** What Alice was told of receipts. */
  readonly events: ReceiptEvent[];
  readonly kept: () => Promise<readonly KeptReceipt[]>;
}

/** Alice asks Bob. She only asks, so that she keeps no log. */
async function newScene(aliceOptions: Options = {}, bobOptions: Options = {}): Promise<Scene> {
  const store = aliceOptions.store ?? createMemoryStore({ now: () => NOW });
  const events: ReceiptEvent[] = [];
  const on = { receipt: (event: ReceiptEvent): void => void events.push(event) };
  const { alice, bob } = await agentsThatKnowEachOther(() => ({
    alice: { store, audit: false, on, ...aliceOptions },
    bob: bobOptions,
  }));
  const kept = async (): Promise<readonly KeptReceipt[]> =>
    (await createReceiptBook({ store, crypto, now: () => NOW }).list()).receipts;
  return { alice, bob, store, events, kept };
}

const ping = ({ alice, bob }: Scene, options = {}): Promise<unknown> =>
  alice.runtime.connect(bob.identity.agentId).call('sys.ping', {}, options);

/** Signs as the provider does, but no receipt: what it gives for one is no signature. */
const careless: CryptoProvider = {
  ...crypto,
  sign: (input, secretKey) =>
    decodeUtf8(input.slice(0, 16)) === 'a2a-sdl/receipt/'
      ? new Uint8Array(64)
      : crypto.sign(input, secretKey),
};

describe('#receipt-kept of an answer', () => {
  test.each([
    ['encrypted', {}],
    ['signed', { mode: 'sig' }],
    ['in CBOR', { encoding: 'cbor' }],
  ])('that is %s the receipt is kept, and proves it by itself', async (_name, options) => {
    const scene = await newScene();
    await ping(scene, options);
    const [kept, ...others] = await scene.kept();
    expect(others).toEqual([]);
    const peer = scene.bob.identity.agentId;
    expect(kept).toMatchObject({ ct: 'toolcall.v1', receipt: { node: peer, verdict: 'ok' } });
    expect(scene.events).toEqual([{ id: kept!.id, peer }]);
    const verified = await verifyEvidence(readEvidence(kept!.evidence)!, crypto);
    expect(verified).toMatchObject({ kind: 'receipt', receipt: kept!.receipt });
    // What the other side has kept of it says the same.
    const proof = await (await scene.bob.runtime.audit())!.prove(kept!.id);
    const { req, res, verdict } = kept!.receipt;
    expect(proof!.entries[1]!.entry).toMatchObject({ kind: 'reply', req, res, verdict });
  });

  test('that is a refusal it is kept as well, with the code', async () => {
    const failing = defineContent({
      ct: 'fail.v1',
      schema: {},
      handle: () => {
        throw new Error('no');
      },
    });
    const scene = await newScene({ contents: [failing] }, { contents: [failing] });
    const peer = scene.alice.runtime.connect(scene.bob.identity.agentId);
    const asked = peer.request({ ct: 'fail.v1', payload: {} }).result();
    await expect(asked).rejects.toThrow(RemoteError);
    expect(await scene.kept()).toMatchObject([{ receipt: { verdict: 'INTERNAL' } }]);
  });

  test('there is one, whatever events came before it', async () => {
    const scene = await newScene();
    const updates: string[] = [];
    const task = scene.alice.runtime.connect(scene.bob.identity.agentId).task('say it');
    for await (const { status } of task) updates.push(status);
    expect(updates.length).toBeGreaterThan(1);
    expect(await scene.kept()).toHaveLength(1);
    expect(scene.events).toHaveLength(1);
  });

  test('to a request that nobody signed it is for the very bytes', async () => {
    const scene = await newScene({}, { policy: { minMode: 'none' } });
    const { alice, bob } = scene;
    const entry = bob.book.get(alice.identity.agentId)!;
    bob.book.add({ ...entry, switches: new Set(['unsigned-requests']) });
    await ping(scene, { mode: 'none' });
    expect(scene.events).toMatchObject([{ peer: bob.identity.agentId }]);
    expect(scene.events[0]).not.toHaveProperty('refusal');
    expect(await scene.kept()).toHaveLength(1);
  });

  test('that a part of a task got, the agent in the middle keeps it', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const { alice, bob, carol } = await agentsThatKnowEachOther((idOf) => ({
      alice: {},
      bob: {
        store,
        onTask: async (_task, ctx) => {
          await ctx.delegate(idOf('carol'), 'a part of it').result();
          return undefined;
        },
      },
      carol: {},
    }));
    await alice.runtime.connect(bob.identity.agentId).task('all of it').result();
    const book = createReceiptBook({ store, crypto, now: () => NOW });
    const { receipts } = await book.list({ peer: carol.identity.agentId });
    expect(receipts).toMatchObject([{ ct: 'task.v1', receipt: { verdict: 'ok' } }]);
    expect((await book.list()).receipts).toHaveLength(1);
  });

  test('under keys that changed while it was made it is signed by those of the answer', async () => {
    let identity = await newIdentity();
    const rotating = defineContent({
      ct: 'rotate.v1',
      schema: {},
      handle: async () => {
        identity = await rotateIdentity(identity, { crypto, nowMs: NOW, overlapMs: 0 });
        return {};
      },
    });
    const { kept, events, alice } = await newScene(
      { contents: [rotating] },
      { contents: [rotating], identity: () => identity },
    );
    const { agentId } = identity;
    alice.book.add({ ...alice.book.list()[0]!, agentId, endpoints: ['memory:bob'] });
    const content = { ct: 'rotate.v1', payload: {} };
    await alice.runtime.connect(agentId).request(content, { mode: 'sig' }).result();
    expect(events).toEqual([{ id: expect.any(String) as string, peer: agentId }]);
    const [receipt] = await kept();
    expect(identity.bundle.keys.map(({ kid }) => kid)).not.toContain(receipt!.kid);
    await verifyEvidence(readEvidence(receipt!.evidence)!, crypto);
  });
});

describe('#receipt-kept by whom it was signed', () => {
  test('is remembered by the one who signed, however often its keys change', async () => {
    let identity = await newIdentity();
    const store = createMemoryStore({ now: () => NOW });
    const scene = await newScene({}, { store, identity: () => identity });
    const { agentId } = identity;
    scene.alice.book.add({
      ...scene.alice.book.list()[0]!,
      agentId,
      encryptionKeys: [],
      endpoints: ['memory:bob'],
    });
    const peer = scene.alice.runtime.connect(agentId);
    for (let count = 0; count < 3; count += 1) {
      await peer.call('sys.ping', {}, { mode: 'sig' });
      identity = await rotateIdentity(identity, { crypto, nowMs: NOW, overlapMs: 0 });
    }
    const kids = new Set((await scene.kept()).map(({ kid }) => kid));
    expect(kids.size).toBe(3);
    const former = await formerSigningKeys(store, agentId, crypto);
    expect([...former.keys()]).toEqual(expect.arrayContaining([...kids]));
  });
});

describe('#receipt-kept when it is durable', () => {
  /** The store, with something to wait for before a receipt is written. */
  function holding(store: Store, before: () => Promise<void>): Store {
    return new Proxy(store, {
      get(target, name) {
        const method = Reflect.get(target, name, target) as (...args: unknown[]) => unknown;
        if (name !== 'add') return method.bind(target);
        return async (space: string, ...rest: unknown[]) => {
          if (space === 'receipt') await before();
          return Reflect.apply(method, target, [space, ...rest]);
        };
      },
    });
  }

  test('the answer is handed over, and not before', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isAsked!: () => void;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const store = holding(createMemoryStore({ now: () => NOW }), () => {
      isAsked();
      return released;
    });
    const scene = await newScene({ store });
    let isAnswered = false;
    const answered = ping(scene).then(() => (isAnswered = true));
    await asked;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    release();
    await answered;
    expect(await scene.kept()).toHaveLength(1);
  });

  test('a store that cannot keep it fails the exchange', async () => {
    const store = holding(createMemoryStore({ now: () => NOW }), () =>
      Promise.reject(new StoreError('failed', 'the disk is full')),
    );
    await expect(ping(await newScene({ store }))).rejects.toMatchObject({ fault: 'failed' });
  });
});

describe('#receipt-kept what is not kept', () => {
  test('one that does not hold; its operator is told, and the answer counts', async () => {
    const scene = await newScene({}, { crypto: careless });
    expect(await ping(scene)).toMatchObject({ pong: true });
    expect(await scene.kept()).toEqual([]);
    expect(scene.events).toMatchObject([
      { peer: scene.bob.identity.agentId, refusal: { code: 'SIGNATURE_INVALID' } },
    ]);
    const { metrics } = await scene.alice.runtime.listenContext();
    expect(metrics()).toContain('a2a_sdl_receipts_total{verdict="refused"} 1\n');
  });

  test('a setting that makes no sense is refused at once', async () => {
    await expect(newScene({ receipts: { keepMs: 0 } })).rejects.toThrow('"keepMs"');
  });

  test.each([
    ['where it is turned off', { receipts: false } as const, {}],
    ['where there is no store to look into', { store: undefined }, {}],
    ['where the answer brings none', {}, { audit: false }],
  ])('nothing %s', async (_name, aliceOptions, bobOptions) => {
    const scene = await newScene(aliceOptions as Options, bobOptions);
    expect(await ping(scene)).toMatchObject({ pong: true });
    expect(await scene.kept()).toEqual([]);
    expect(scene.events).toEqual([]);
  });
});
