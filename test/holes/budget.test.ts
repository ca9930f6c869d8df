// Holes that were found in what callers share: each test is what went wrong, by its number.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { ShareClass } from '../../src/budget/index.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { ArtifactSender } from '../../src/handlers/artifact/assembler.ts';
import { ArtifactAssembler } from '../../src/handlers/artifact/assembler.ts';
import type { ArtifactItem } from '../../src/handlers/artifact/read.ts';
import { readItems } from '../../src/handlers/artifact/read.ts';
import { createStateBook } from '../../src/handlers/state/book.ts';
import { AgentQuota } from '../../src/security/replay/agent-quota.ts';
import type { StateDocument, StatePayload } from '../../src/state/document.ts';
import { INITIAL_STATE } from '../../src/state/document.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { createMessageKit } from '../../src/message/index.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import type { Incoming } from '../../src/transport.ts';
import { http } from '../../transports/http/index.ts';
import { ws } from '../../transports/ws/index.ts';
import { Clock, entryFor, inboundOf, newIdentity, repliesOf } from '../support/agents/agents.ts';
import type { MakeWire, Pair } from '../support/agents/transport-pairs.ts';
import { createPair, httpWire, unixWire, wsWire } from '../support/agents/transport-pairs.ts';
import { Gate } from '../support/agents/time.ts';
import { originOf } from '../../src/handlers/task/origin.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import { directoryOf } from '../support/trust/peers.ts';
import type { Receiver } from '../support/wire/forge.ts';
import { codeOf } from '../support/wire/bytes.ts';
import { forge, judge, newReceiver, newScene } from '../support/wire/forge.ts';

const COPIES = 300;
/** Copies for which the agent of today had no room: then all of it was taken. */
const REFUSED = COPIES - 256;

const holdCall = (key: string): JsonObject => ({
  call_id: key,
  tool: 'test.hold',
  args: { key },
  expect: {},
});

/** All come from this machine: the bounds of connections must not decide. */
const WIRES: readonly (readonly [string, MakeWire])[] = [
  [
    'http',
    () => ({ ...httpWire(), transports: () => [http({ maxConnectionsPerAddress: 1_000 })] }),
  ],
  [
    'ws',
    () => ({
      ...wsWire(),
      transports: () => [http(), ws({ maxInFlight: 1_000 })],
    }),
  ],
  ['ipc', unixWire],
];

async function pairOn(wire: MakeWire): Promise<Pair> {
  const pair = await createPair(wire);
  onTestFinished(() => pair.close());
  return pair;
}

function toolCall(sender: LocalIdentity, pair: Pair, key: string): Promise<Incoming> {
  return forge(sender, pair.server, { ct: 'toolcall.v1', payload: holdCall(key) });
}

describe('A5 copies of one message do not lock its sender out #replay-joiners', () => {
  test.each(WIRES)('A5 over %s', async (_name, wire) => {
    const pair = await pairOn(wire);
    const { held, outcomes } = pair.server;
    const alice = await pair.sender();
    const captured = await toolCall(alice, pair, 'first');
    const own = await pair.line();
    own.send(captured);
    await held.entered('first');
    const elsewhere = await pair.line();
    for (let count = 0; count < COPIES; count += 1) elsewhere.send(captured);
    await vi.waitFor(() => expect(outcomes.length).toBeGreaterThanOrEqual(REFUSED), 20_000);
    const next = await pair.line();
    held.release('next');
    next.send(await toolCall(alice, pair, 'next'));
    await next.next();
    expect(outcomes.filter(({ isRetry }) => !isRetry).map(({ error }) => error)).toEqual([
      undefined,
    ]);
    expect(held.runs).toEqual(['first', 'next']);
    held.release('first');
    expect(await own.next()).toBeDefined();
  });

  test('A5 the newest copies get the answer, older ones are to come again', async () => {
    const pair = await pairOn(unixWire);
    const { held, outcomes } = pair.server;
    const alice = await pair.sender();
    const captured = await toolCall(alice, pair, 'one');
    const line = await pair.line();
    line.send(captured);
    await held.entered('one');
    for (let count = 0; count < 10; count += 1) line.send(captured);
    await vi.waitFor(() => expect(outcomes).toHaveLength(6));
    expect(outcomes.map(({ error }) => [error?.code, error?.row.retryable])).toEqual(
      Array.from({ length: 6 }, () => ['LIMIT_RATE', true]),
    );
    held.release('one');
    await vi.waitFor(() => expect(outcomes).toHaveLength(11));
    expect(outcomes.slice(6).map(({ error }) => error)).toEqual(Array(5).fill(undefined));
  });

  test('A5 in sealed A2A', async () => {
    const { bob, alice } = await newScene();
    const kit = createMessageKit({
      identity: alice,
      now: bob.clock.now,
      store: createMemoryStore({ now: bob.clock.now }),
    });
    const peers = directoryOf(entryFor(bob.identity));
    const context = await bob.runtime.listenContext();
    const seal = async (): Promise<Uint8Array> =>
      (
        await kit.sealRequest(
          {
            agentId: bob.identity.agentId,
            content: { ct: 'task.v1', payload: taskPayload },
            mode: 'sig',
            lifetimeMs: 60_000,
          },
          peers,
        )
      ).bytes;
    const open = (bytes: Uint8Array, address: string): Promise<unknown> => {
      const peer = { transport: 'http', address };
      const ticket = context.admit('a2a', peer);
      const contentTypes = new Set(['task.v1']);
      const opened = context.open({ bytes, peer, ticket, contentTypes, right: 'task.v1' });
      return opened.then(
        ({ use }) => use.kind,
        ({ code }: { code: string }) => code,
      );
    };
    const captured = await seal();
    expect(await open(captured, '192.0.2.1')).toBe('new');
    const ends: unknown[] = [];
    for (let count = 0; count < COPIES; count += 1) {
      void open(captured, `192.0.2.${2 + (count % 100)}`).then((end) => ends.push(end));
    }
    await vi.waitFor(() => expect(ends.length).toBeGreaterThanOrEqual(REFUSED));
    expect(await open(await seal(), '192.0.2.1')).toBe('new');
    expect(new Set(ends)).toEqual(new Set(['LIMIT_RATE']));
  });
});

const ADMISSION = { maxInFlight: 16, maxInFlightPerPeer: 8 };
const CROWD = 40;

describe('A7 nobody takes every place #budget', () => {
  /** Tasks that are begun and wait until the test ends. */
  async function crowded(): Promise<{
    readonly bob: Receiver;
    readonly operator: LocalIdentity;
    readonly begun: Set<string>;
    readonly send: (sender: LocalIdentity, address: string) => Promise<string>;
  }> {
    const end = new Gate();
    const begun = new Set<string>();
    const operator = await newIdentity();
    const bob = await newReceiver({
      admission: ADMISSION,
      policy: { open: true, strangerContentTypes: ['task.v1', 'negotiation.v1'] },
      trust: { taskAdmins: [operator.agentId] },
      tasks: { maxConcurrent: 16, maxConcurrentPerOwner: 2, onClose: 'cancel' },
      onTask: async (task) => {
        begun.add(originOf(task).payload!['goal'] as string);
        await end.opened;
      },
    });
    onTestFinished(() => end.open());
    bob.book.add(entryFor(operator));
    return {
      bob,
      operator,
      begun,
      send: async (sender, address) => {
        const payload = { ...taskPayload, goal: sender.agentId };
        const { bytes, encoding } = await forge(sender, bob, { payload });
        const peer = { transport: 'http', address };
        const replies = await repliesOf(bob.runtime, inboundOf(bytes, encoding, { peer }));
        return replies.length === 0 ? 'nothing' : 'answered';
      },
    };
  }

  const within = 1_000;

  test('A7 throw-away keys leave room for known peers and the operator', async () => {
    const { bob, operator, begun, send } = await crowded();
    const known = await newIdentity();
    bob.book.add(entryFor(known));
    let answered = 0;
    for (let count = 0; count < CROWD; count += 1) {
      const stranger = await newIdentity();
      void send(stranger, `198.51.100.${count % 10}`).then(() => (answered += 1));
    }
    // For half of the places that wait there were strangers enough.
    await vi.waitFor(() => expect(answered).toBe(CROWD - ADMISSION.maxInFlight / 2), 10_000);
    for (const sender of [known, operator]) {
      const startedMs = performance.now();
      void send(sender, '192.0.2.9');
      await vi.waitFor(() => expect(begun).toContain(sender.agentId), within);
      expect(performance.now() - startedMs).toBeLessThan(within);
    }
  });

  test('A7 four known peers leave room for a fifth and the operator', async () => {
    const { bob, operator, begun, send } = await crowded();
    const [fifth, ...four] = await Promise.all(Array.from({ length: 5 }, newIdentity));
    for (const peer of [fifth!, ...four]) bob.book.add(entryFor(peer));
    for (const [at, peer] of four.entries()) {
      for (let count = 0; count < 8; count += 1) void send(peer, `198.51.100.${at}`);
      await vi.waitFor(() => expect(begun).toContain(peer.agentId));
    }
    for (const sender of [fifth!, operator]) {
      const startedMs = performance.now();
      void send(sender, '192.0.2.9');
      await vi.waitFor(() => expect(begun).toContain(sender.agentId), within);
      expect(performance.now() - startedMs).toBeLessThan(within);
    }
  });
});

const MIB = 1_048_576;

describe('A12 nobody takes the chunk room of all #budget', () => {
  const itemOf = (name: string, index: number, size: number): ArtifactItem =>
    readItems([
      {
        name,
        mime_type: 'application/octet-stream',
        data: encodeBase64url(new Uint8Array(size)),
        chunk: { index },
      },
    ])[0]!;
  const fill = (assembler: ArtifactAssembler, sender: ArtifactSender): string | undefined =>
    codeOf(() => {
      for (let at = 0; at < 400; at += 1) {
        assembler.add(sender, itemOf(`item-${Math.floor(at / 50)}`, at % 50, MIB));
      }
    });

  test('A12 one sender leaves room for others, strangers together for known peers', () => {
    const assembler = new ArtifactAssembler();
    const known = (id: string): ArtifactSender => ({ id, share: 'known' });
    expect(fill(assembler, known('greedy'))).toBe('LIMIT_RATE');
    expect(assembler.waitingBytes).toBeLessThanOrEqual(96 * MIB);
    for (let count = 0; count < 8; count += 1) {
      fill(assembler, { id: `stranger-${count}`, share: 'stranger' });
    }
    expect(assembler.waitingBytes).toBeLessThanOrEqual((96 + 128) * MIB);
    expect(codeOf(() => assembler.add(known('other'), itemOf('a', 0, MIB)))).toBeUndefined();
    fill(assembler, known('third'));
    const operator: ArtifactSender = { id: 'operator', share: 'operator' };
    expect(codeOf(() => assembler.add(operator, itemOf('a', 0, MIB)))).toBeUndefined();
  });
});

describe('A14 the disk is not for strangers #budget', () => {
  const openly = { open: true, strangerContentTypes: ['state.v1', 'negotiation.v1'] };
  const patchOf = (): JsonObject => ({
    ct: 'state.v1',
    base: INITIAL_STATE.hash,
    patch: [{ op: 'add', path: '/a', value: 1 }],
  });
  const stateFrom = async (bob: Receiver, sender: LocalIdentity): Promise<string | undefined> => {
    const { base, patch } = patchOf();
    const message = await forge(sender, bob, {
      ct: 'state.v1',
      payload: { base: base!, patch: patch! },
    });
    return (await judge(bob, message)).code;
  };

  test('A14 little free disk refuses strangers first, then known peers, the operator last', async () => {
    let free = 2_000 * MIB;
    const operator = await newIdentity();
    const known = await newIdentity();
    const refusedAt = async (bytes: number): Promise<(string | undefined)[]> => {
      free = bytes;
      const bob = await newReceiver({
        freeDisk: async () => free,
        policy: openly,
        trust: { taskAdmins: [operator.agentId] },
      });
      bob.book.add(entryFor(operator));
      bob.book.add(entryFor(known));
      const codes = [];
      for (const sender of [await newIdentity(), known, operator]) {
        codes.push(await stateFrom(bob, sender));
      }
      return codes;
    };
    expect(await refusedAt(2_000 * MIB)).toEqual([undefined, undefined, undefined]);
    expect(await refusedAt(500 * MIB)).toEqual(['UNAVAILABLE', undefined, undefined]);
    expect(await refusedAt(100 * MIB)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', undefined]);
    expect(await refusedAt(10 * MIB)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
  });

  test('A14 strangers together write only so much a day, known peers go on', async () => {
    const known = await newIdentity();
    const bob = await newReceiver({ policy: openly, admission: { strangersPerDay: 3 } });
    bob.book.add(entryFor(known));
    const codes = [];
    for (let count = 0; count < 5; count += 1) {
      codes.push(await stateFrom(bob, await newIdentity()));
    }
    expect(codes).toEqual([undefined, undefined, undefined, 'LIMIT_RATE', 'LIMIT_RATE']);
    expect(await stateFrom(bob, known)).toBeUndefined();
    const log = (await bob.runtime.audit())!;
    // Three of strangers and one of the peer, each a request and a reply.
    expect((await log.head()).size).toBeLessThanOrEqual(8);
  });

  test('A14 documents of strangers stay for a day, those of known peers for a month', async () => {
    const clock = new Clock();
    const store = createMemoryStore({ now: clock.now });
    const book = createStateBook({ store, now: clock.now });
    const apply = (id: string, share: ShareClass): Promise<StateDocument> =>
      book.apply({ id, share }, '', patchOf() as unknown as StatePayload);
    await apply('stranger', 'stranger');
    await apply('known', 'known');
    clock.nowMs += 2 * 86_400_000;
    expect(await book.get('stranger', '')).toEqual(INITIAL_STATE);
    expect(await book.get('known', '')).not.toEqual(INITIAL_STATE);
  });

  test('A14 strangers together have half of the entries, and leave the rest to known peers', async () => {
    const store = createMemoryStore();
    const quota = new AgentQuota(store, 'space', { perAgent: 100, all: 16 });
    const write = async (id: string, share: ShareClass): Promise<boolean> =>
      (await quota.write(id, share, (index) =>
        store.put('space', `${id}-${Math.random()}`, new Uint8Array(1), { index }),
      )) !== undefined;
    const many = async (count: number, id: string, share: ShareClass): Promise<number> => {
      const done = await Promise.all(Array.from({ length: count }, () => write(id, share)));
      return done.filter(Boolean).length;
    };
    expect(await many(20, 'stranger', 'stranger')).toBe(8);
    expect(await many(20, 'known', 'known')).toBe(6);
    expect(await many(20, 'operator', 'operator')).toBe(2);
  });
});

test('#budget what is used and refused is told in the metrics', async () => {
  const known = await newIdentity();
  const bob = await newReceiver({
    admission: { strangersPerDay: 1 },
    policy: { open: true, strangerContentTypes: ['task.v1'] },
  });
  bob.book.add(entryFor(known));
  for (const sender of [known, await newIdentity(), await newIdentity()]) {
    await judge(bob, await forge(sender, bob));
  }
  const { budget, metrics } = await bob.runtime.listenContext();
  await budget.readings();
  const text = metrics();
  expect(text).toContain('a2a_sdl_budget_refused_total{resource="daily",class="stranger"} 1\n');
  expect(text).toContain('a2a_sdl_budget_bound{resource="messages"} 1024\n');
  expect(text).toContain('a2a_sdl_budget_used{resource="messages",class="known"} 0\n');
  expect(text).toContain('a2a_sdl_budget_used{resource="tasks",class="all"} 2\n');
  expect(text).toContain('a2a_sdl_budget_used{resource="tasks",class="stranger"} 1\n');
});
