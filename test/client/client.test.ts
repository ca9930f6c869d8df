// The asking side: what it sends, when it sends again, and what it takes for an answer.

import { describe, expect, test } from 'vitest';

import { createReceiptBook } from '../../src/audit/receipt-book.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { encodeMessage } from '../../src/envelope/encode.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Connection, Dialer, Incoming, Outbound } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import {
  NOW,
  crypto,
  entryFor,
  inboundOf,
  introduce,
  newAgent,
  newIdentity,
} from '../support/agents/agents.ts';
import { rotateIdentity } from '../../src/security/identity/identity.ts';
import type { Agent } from '../support/agents/agents.ts';

type Answering = (outbound: Outbound, attempt: number) => AsyncIterable<Incoming>;

/** A way to Bob in which the test stands. */
function through(bob: () => Agent, change?: Answering): { dialer: Dialer; sent: Outbound[] } {
  const sent: Outbound[] = [];
  const connection: Connection = {
    isOpen: true,
    async *exchange(outbound) {
      sent.push(outbound);
      yield* change === undefined ? answer(bob(), outbound) : change(outbound, sent.length);
    },
    async notify(outbound) {
      sent.push(outbound);
      for await (const _ of answer(bob(), outbound));
    },
    close: () => Promise.resolve(),
  };
  return { dialer: { schemes: ['memory:'], dial: () => Promise.resolve(connection) }, sent };
}

async function* answer({ runtime }: Agent, outbound: Outbound): AsyncGenerator<Incoming> {
  const { bytes, encoding, wantsStream } = outbound;
  for await (const reply of runtime.receive(inboundOf(bytes, encoding, { wantsStream })))
    yield reply;
}

interface Scene {
  readonly alice: Agent;
  readonly bob: Agent;
  readonly sent: Outbound[];
  readonly ping: () => Promise<unknown>;
}

async function newScene(
  change?: (bob: () => Agent) => Answering,
  bobOptions: Parameters<typeof newAgent>[0] = {},
): Promise<Scene> {
  const bob = await newAgent(bobOptions);
  const { dialer, sent } = through(
    () => bob,
    change?.(() => bob),
  );
  const alice = await newAgent({ transports: [dialer] });
  introduce(alice, bob, 'memory:bob');
  const peer = alice.runtime.connect(bob.identity.agentId);
  return { alice, bob, sent, ping: () => peer.call('sys.ping') };
}

function failing(cause: Error): AsyncIterable<Incoming> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(cause) }) };
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));
}

const rewritten = (bytes: Uint8Array, change: (envelope: JsonObject) => JsonObject): Incoming => ({
  bytes: encodeMessage(
    change(decodeMessage(bytes, 'json') as JsonObject) as unknown as Envelope,
    'json',
  ),
  encoding: 'json',
});

describe('#replay-retry a client', () => {
  test('W24 sends the same bytes again when the connection is lost, and the tool runs once', async () => {
    let runs = 0;
    const counting = defineContent({
      ct: 'count.v1',
      schema: {},
      handle: () => ({ runs: (runs += 1) }),
    });
    const bob = await newAgent({ contents: [counting] });
    const { dialer, sent } = through(
      () => bob,
      async function* (outbound, attempt) {
        const replies: Incoming[] = [];
        for await (const reply of answer(bob, outbound)) replies.push(reply);
        if (attempt < 3) throw new TransportError('lost', 'cut');
        yield* replies;
      },
    );
    const alice = await newAgent({ transports: [dialer], contents: [counting] });
    introduce(alice, bob, 'memory:bob');
    const { payload } = await alice.runtime
      .connect(bob.identity.agentId)
      .request({ ct: 'count.v1', payload: {} })
      .result();
    expect(payload).toEqual({ runs: 1 });
    expect(sent).toHaveLength(3);
    expect(sent[1]!.bytes).toEqual(sent[0]!.bytes);
    expect(sent[2]!.bytes).toEqual(sent[0]!.bytes);
  });

  test('#receipt-kept keeps one receipt of the answer that got through at last', async () => {
    const bob = await newAgent();
    const { dialer, sent } = through(
      () => bob,
      async function* (outbound, attempt) {
        const replies: Incoming[] = [];
        for await (const reply of answer(bob, outbound)) replies.push(reply);
        if (attempt < 3) throw new TransportError('lost', 'cut');
        yield* replies;
      },
    );
    const store = createMemoryStore({ now: () => NOW });
    const alice = await newAgent({ transports: [dialer], store });
    introduce(alice, bob, 'memory:bob');
    await alice.runtime.connect(bob.identity.agentId).call('sys.ping');
    expect(sent).toHaveLength(3);
    const { receipts } = await createReceiptBook({ store, crypto, now: () => NOW }).list();
    expect(receipts.map(({ id }) => id)).toEqual([sent[0]!.id]);
  });

  test('gives up after its retries, and does not retry what a retry cannot mend', async () => {
    const lost = await newScene(() => () => failing(new TransportError('lost', 'cut')));
    await expect(lost.ping()).rejects.toMatchObject({ fault: 'lost' });
    expect(lost.sent).toHaveLength(4);
    const refused = await newScene(
      () => () => failing(new TransportError('refused', 'not this protocol')),
    );
    await expect(refused.ping()).rejects.toMatchObject({ fault: 'refused' });
    expect(refused.sent).toHaveLength(1);
  });
});

describe('#cap-x introductions', () => {
  const bundleIn = ({ bytes }: Outbound): unknown =>
    ((decodeMessage(bytes, 'json') as JsonObject)['cap'] as { a2a_sdl: JsonObject }).a2a_sdl[
      'bundle'
    ];

  test('the key bundle goes along until the peer has shown that it knows it', async () => {
    const { ping, sent } = await newScene();
    await ping();
    await ping();
    expect(sent.map((one) => bundleIn(one) !== undefined)).toEqual([true, false]);
  });

  test('it goes along again when the peer has forgotten it', async () => {
    const agents: Agent[] = [];
    const { dialer, sent } = through(() => agents.at(-1)!);
    const first = await newAgent();
    agents.push(first);
    const alice = await newAgent({ transports: [dialer] });
    introduce(alice, first, 'memory:bob');
    const peer = alice.runtime.connect(first.identity.agentId);
    await peer.call('sys.ping');
    const again = await newAgent({ identity: first.identity });
    again.book.add(entryFor(alice.identity));
    agents.push({ ...again, identity: first.identity });
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
    expect(sent.map((one) => bundleIn(one) !== undefined)).toEqual([true, false, true]);
  });
});

describe('#key-bundle a peer whose keys have changed', () => {
  test('is asked again with the new ones, which its refusal brought', async () => {
    let identity = await newIdentity();
    const bob = await newAgent({ identity: () => identity });
    const { dialer, sent } = through(() => bob);
    const alice = await newAgent({ transports: [dialer] });
    introduce(alice, { ...bob, identity }, 'memory:bob');
    const peer = alice.runtime.connect(identity.agentId);
    await peer.call('sys.ping');
    identity = await rotateIdentity(identity, { crypto, nowMs: NOW, overlapMs: 0 });
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
    expect(sent).toHaveLength(3);
  });
});

describe('#x-req #re what a client takes for an answer', () => {
  const tampered: [string, (reply: JsonObject) => JsonObject, string][] = [
    [
      'changed on its way',
      (reply) => ({ ...reply, ts: '2026-11-16T00:28:30Z' }),
      'SIGNATURE_INVALID',
    ],
    ['to another request', (reply) => ({ ...reply, re: 'another' }), 'ADDRESS_WRONG'],
    ['that says not to what', (reply) => without(reply, 're'), 'SIGNATURE_INVALID'],
    ['without a signature', (reply) => without(reply, 'sec'), 'MODE_REFUSED'],
    [
      'from another agent',
      (reply) => ({
        ...reply,
        from: { ...(reply['from'] as JsonObject), agent_id: 'did:key:z6MkOther' },
      }),
      'ADDRESS_WRONG',
    ],
  ];

  test.each(tampered)('W4 none that is %s', async (_name, change, code) => {
    const scene = await newScene(
      (bob) =>
        async function* (outbound) {
          for await (const { bytes } of answer(bob(), outbound)) yield rewritten(bytes, change);
        },
    );
    await expect(scene.ping()).rejects.toMatchObject({ code });
  });

  test('W4 none that answered an earlier request', async () => {
    const kept: Incoming[] = [];
    const scene = await newScene(
      (bob) =>
        async function* (outbound) {
          if (kept.length > 0) yield kept[0]!;
          for await (const reply of answer(bob(), outbound)) {
            kept.push(reply);
            yield reply;
          }
        },
    );
    await scene.ping();
    await expect(scene.ping()).rejects.toMatchObject({ code: 'ADDRESS_WRONG' });
  });
});

describe('whom a client can ask', () => {
  test('a peer by its address, if the book has it there', async () => {
    const { alice, bob } = await newScene();
    const peer = alice.runtime.connect('memory:bob');
    expect(peer.agentId).toBe(bob.identity.agentId);
    expect(() => alice.runtime.connect('memory:carol')).toThrow('no peer is known at memory:carol');
    expect(() => alice.runtime.connect('did:key:z6MkNobody')).toThrow(
      'no peer "did:key:z6MkNobody"',
    );
    expect(alice.runtime.connect('memory:carol', { agentId: 'did:key:x' }).agentId).toBe(
      'did:key:x',
    );
  });

  test('nobody without an endpoint, and nobody that is revoked', async () => {
    const { alice, bob, ping } = await newScene();
    alice.book.add(entryFor(bob.identity, { endpoints: ['memory:bob'], revoked: true }));
    await expect(ping()).rejects.toMatchObject({ code: 'SENDER_REFUSED' });
    alice.book.add(entryFor(bob.identity));
    expect(() => alice.runtime.connect(bob.identity.agentId)).toThrow('has no endpoint');
  });

  test('one whose encryption key is not known only with a signature alone', async () => {
    const { alice, bob } = await newScene();
    alice.book.add(entryFor(bob.identity, { endpoints: ['memory:bob'], encryptionKeys: [] }));
    const peer = alice.runtime.connect(bob.identity.agentId);
    await expect(peer.call('sys.ping')).rejects.toMatchObject({ code: 'MODE_REFUSED' });
    expect(await peer.call('sys.ping', {}, { mode: 'sig' })).toMatchObject({ pong: true });
    // Its first answer brought its bundle, so now there is a key.
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
  });
});

describe('#ct-unknown a content type that the peer does not know', () => {
  const reportOf = (ct: string): ReturnType<typeof defineContent> =>
    defineContent({ ct, schema: { type: 'object' }, handle: () => ({ ct }) });

  test('is sent as the older version that it does, as strongly as before', async () => {
    const bob = await newAgent({ contents: [reportOf('report.v1')] });
    const { dialer, sent } = through(() => bob);
    const alice = await newAgent({
      transports: [dialer],
      contents: [reportOf('report.v1'), reportOf('report.v2')],
    });
    introduce(alice, bob, 'memory:bob');
    const received = await alice.runtime
      .connect(bob.identity.agentId)
      .request({ ct: 'report.v2', payload: {} })
      .result();
    expect(received.payload).toEqual({ ct: 'report.v1' });
    const modes = sent.map(
      ({ bytes }) => (decodeMessage(bytes, 'json') as { sec: JsonObject }).sec['mode'],
    );
    expect(modes).toEqual(['enc+sig', 'enc+sig']);
  });

  test('W19 is not sent again for a hint that nobody signed', async () => {
    const scene = await newScene(
      (bob) =>
        async function* (outbound) {
          for await (const { bytes } of answer(bob(), outbound)) {
            yield rewritten(bytes, (reply) => ({
              ...without(reply, 'sec'),
              ct: 'error.v1',
              payload: {
                code: 'UNSUPPORTED_CT',
                message: 'x',
                details: { supported_ct: ['toolcall.v0'] },
                retryable: true,
              },
            }));
          }
        },
    );
    await expect(scene.ping()).rejects.toMatchObject({ code: 'MODE_REFUSED' });
    expect(scene.sent).toHaveLength(1);
  });
});
