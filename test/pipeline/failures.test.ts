// What becomes of messages when something on our own side fails, takes too long, or is closed.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { RemoteError } from '../../src/client/remote-error.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { SdlError } from '../../src/errors.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import {
  NOW,
  crypto,
  entryFor,
  inboundOf,
  introduce,
  newAgent,
  newIdentity,
  repliesOf,
} from '../support/agents/agents.ts';
import { utf8 } from '../support/wire/bytes.ts';
import type { Receiver } from '../support/wire/forge.ts';
import {
  answersOf,
  asking,
  changed,
  forge,
  judge,
  newReceiver,
  newScene,
  put,
} from '../support/wire/forge.ts';

/** A store that can be made to fail. */
function fragileStore(): { store: Store; state: { isBroken: boolean } } {
  const state = { isBroken: false };
  const store = new Proxy(createMemoryStore({ now: () => NOW }), {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        state.isBroken
          ? Promise.reject(new Error('disk full'))
          : (Reflect.apply(member, target, args) as unknown);
    },
  });
  return { store, state };
}

async function inFlightOf({ runtime }: Receiver): Promise<string | undefined> {
  return /in_flight (\d+)/.exec((await runtime.listenContext()).metrics())?.[1];
}

describe('#replay-retry a request whose reply could not be made or kept', () => {
  test('is answered as such, and so is every retry; it does not run again', async () => {
    const { store, state } = fragileStore();
    let runs = 0;
    const breaking = defineContent({
      ct: 'x.v1',
      schema: {},
      handle: () => {
        runs += 1;
        state.isBroken = true;
        return {};
      },
    });
    const bob = await newReceiver({ store, contents: [breaking] });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    const { bytes } = await forge(alice, bob, { ct: 'x.v1' });
    const [first] = await repliesOf(bob.runtime, inboundOf(bytes));
    expect(decodeMessage(first!.bytes, 'json')).toMatchObject({ ct: 'error.v1' });
    state.isBroken = false;
    const again = await judge(bob, bytes);
    expect(again.code).toBe('DEADLINE');
    expect([runs, await inFlightOf(bob)]).toEqual([1, '0']);
  });

  test('also when it is the handler’s own error that cannot be written', async () => {
    const odd = defineContent({
      ct: 'x.v1',
      schema: {},
      handle: () => {
        throw new SdlError('LIMIT_RATE', 'x', { details: { wait: Number.NaN } });
      },
    });
    const bob = await newReceiver({ contents: [odd] });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    const { bytes } = await forge(alice, bob, { ct: 'x.v1' });
    expect(await repliesOf(bob.runtime, inboundOf(bytes))).toHaveLength(1);
    expect((await judge(bob, bytes)).code).toBe('DEADLINE');
  });

  test('a refusal that nobody can sign is told to the operator', async () => {
    const { keys } = await newIdentity();
    const ended = keys.map(({ kid, use, key }) => ({ kid, use, key, notAfterMs: NOW - 1 }));
    const errors: unknown[] = [];
    const bob = await newReceiver({
      identity: { agentId: 'did:key:label', keys: ended },
      on: { error: (cause) => errors.push(cause) },
    });
    expect(await repliesOf(bob.runtime, inboundOf(utf8('{}')))).toEqual([]);
    expect(bob.outcomes).toHaveLength(1);
    await bob.runtime.close();
    expect(String(errors)).toContain('rotate its keys');
  });
});

describe('#x-req errors that somebody in between had made', () => {
  const withheld = async (
    breakIt: (request: JsonObject) => JsonObject,
  ): Promise<[number, RemoteError]> => {
    let isAttacking = false;
    const { bob, ask } = await asking(async (outbound, pair) => {
      const replies = await answersOf(pair.bob, outbound);
      if (!isAttacking) return replies;
      isAttacking = false;
      // The real one ran. What is handed on is what a broken copy of it gets.
      const copy = breakIt(decodeMessage(outbound.bytes, 'json') as JsonObject);
      return answersOf(pair.bob, { bytes: writeJson(copy), encoding: 'json' });
    });
    await ask();
    const before = bob.outcomes.filter(({ error }) => error === undefined).length;
    isAttacking = true;
    const failure = (await ask()) as RemoteError;
    return [bob.outcomes.filter(({ error }) => error === undefined).length - before, failure];
  };

  test('W19 do not make a request run twice', async () => {
    const [runs, failure] = await withheld((request) =>
      changed(request, put('/sec/sig/value', 'A'.repeat(86))),
    );
    expect(runs).toBe(1);
    expect(failure).toMatchObject({ code: 'REPLAYED', wireCode: 'BAD_REQUEST' });
  });

  test('W4 are not proven', async () => {
    const [runs, failure] = await withheld((request) => changed(request, put('/ct', 'nope.v1')));
    expect(runs).toBe(1);
    expect(failure).toMatchObject({ isSigned: true, isProven: false });
  });
});

describe('#errors-opaque what an error tells to whom nothing is proven', () => {
  test('W47 not whether the sender is known here', async () => {
    const { bob, alice } = await newScene();
    await judge(bob, await forge(alice, bob));
    const probe = async (sender: typeof alice): Promise<unknown> => {
      const { envelope } = await forge(sender, bob, { members: { cap: {} } });
      const broken = changed(envelope, put('/sec/sig/value', 'A'.repeat(86)));
      const { reply } = await judge(bob, broken);
      const sec = reply!['sec'] as { sig: JsonObject };
      return [reply!['payload'], sec.sig['canon']];
    };
    expect(await probe(alice)).toEqual(await probe(await newIdentity()));
  });

  test('W45 unsigned messages in a peer’s name do not use up its room', async () => {
    const bob = await newReceiver({ admission: { burst: 5, ratePerSecond: 0.001 } });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice, { switches: new Set(['unsigned-requests']) }));
    for (let count = 0; count < 5; count += 1) {
      const spoofed = await forge(alice, bob, { mode: 'none' });
      await judge(bob, spoofed, { peer: { transport: 'test', address: '203.0.113.66' } });
    }
    expect((await judge(bob, await forge(alice, bob))).code).toBeUndefined();
  });
});

describe('#admit what is not admitted', () => {
  test('is not read when it is large, and is signed for once a second', async () => {
    let signatures = 0;
    const counting: typeof crypto = {
      ...crypto,
      sign: (message, key) => {
        signatures += 1;
        return crypto.sign(message, key);
      },
    };
    const bob = await newReceiver({
      crypto: counting,
      admission: { burst: 1, ratePerSecond: 0.001 },
    });
    const large = utf8(JSON.stringify({ id: 'x', type: 'req', payload: 'x'.repeat(70_000) }));
    await repliesOf(bob.runtime, inboundOf(large));
    signatures = 0;
    for (let count = 0; count < 20; count += 1) {
      const [reply] = await repliesOf(bob.runtime, inboundOf(large));
      expect(decodeMessage(reply!.bytes, 'json')).not.toHaveProperty('re');
    }
    expect(signatures).toBe(1);
  });
});

describe('#exchange handlers that do not end', () => {
  test('one that never waits ends with its time', async () => {
    const bob = await newReceiver({
      timeouts: { handlerMs: 50 },
      contents: [
        {
          ct: 'x.v1',
          schema: {},
          async *handle() {
            for (;;) yield { ct: 'x.v1', payload: {} };
          },
        },
      ],
    });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    expect((await judge(bob, await forge(alice, bob, { ct: 'x.v1' }))).code).toBe('DEADLINE');
  });

  test('one whose reader does not read ends with its time', async () => {
    const bob = await newReceiver({
      timeouts: { handlerMs: 50 },
      contents: [
        {
          ct: 'x.v1',
          schema: {},
          async *handle() {
            for (let count = 0; count < 5; count += 1) {
              yield { ct: 'x.v1', payload: {}, isEvent: true };
            }
            yield { ct: 'x.v1', payload: {} };
          },
        },
      ],
    });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    const { bytes } = await forge(alice, bob, { ct: 'x.v1' });
    const inbound = inboundOf(bytes, 'json', { wantsStream: true });
    const replies = bob.runtime.receive(inbound)[Symbol.asyncIterator]();
    await replies.next();
    await expect.poll(() => inFlightOf(bob)).toBe('0');
    await replies.return?.();
  });

  test('an answer that is too large fails alone', async () => {
    const hub = createMemoryHub();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isWaiting = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const contents = [
      defineContent({ ct: 'big.v1', schema: {}, handle: () => 'x'.repeat(1_100_000) }),
      defineContent({
        ct: 'slow.v1',
        schema: {},
        handle: async () => {
          isWaiting();
          await gate;
          return {};
        },
      }),
    ];
    const bob = await newAgent({ contents });
    const alice = await newAgent({ contents, transports: [hub.transport('alice')] });
    await bob.runtime.listen(hub.transport('bob'));
    introduce(alice, bob, 'memory:bob');
    const peer = alice.runtime.connect(bob.identity.agentId);
    const slow = peer.request({ ct: 'slow.v1', payload: {} }).result();
    await waits;
    await expect(peer.request({ ct: 'big.v1', payload: {} }).result()).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    release();
    expect((await slow).payload).toEqual({});
    await alice.runtime.close({ graceMs: 0 });
    await bob.runtime.close({ graceMs: 0 });
  });
});

describe('the life of a runtime', () => {
  test('nothing listens and nothing is sent once it is closed, or closes', async () => {
    const hub = createMemoryHub();
    const bob = await newAgent();
    const alice = await newAgent({ transports: [hub.transport('alice')] });
    await bob.runtime.listen(hub.transport('bob'));
    introduce(alice, bob, 'memory:bob');
    await alice.runtime.listenContext();
    const late = alice.runtime.listen(hub.transport('late'));
    await alice.runtime.close();
    await expect(late).rejects.toMatchObject({ code: 'DRAINING' });
    await expect(alice.runtime.listen(hub.transport('later'))).rejects.toMatchObject({
      code: 'DRAINING',
    });
    const peer = alice.runtime.connect(bob.identity.agentId);
    await expect(peer.call('sys.ping')).rejects.toMatchObject({ code: 'DRAINING' });
    await bob.runtime.close();
  });

  test('a start that failed is tried again', async () => {
    const { store, state } = fragileStore();
    state.isBroken = true;
    const agent = await newAgent({ store });
    await expect(agent.runtime.listenContext()).rejects.toThrow('disk full');
    state.isBroken = false;
    await agent.runtime.listenContext();
    await agent.runtime.close();
  });
});
