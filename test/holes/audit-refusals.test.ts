// Holes that were found in the audit log: each test is what went wrong, by its number.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { AuditEntry } from '../../src/audit/index.ts';
import { logNames, verifyReceipt } from '../../src/audit/index.ts';
import { decodeEntry, readEntry } from '../../src/audit/entry.ts';
import type { AuditLog } from '../../src/audit/log.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import type { Peer } from '../../src/security/peers/peer.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { CELLS } from '../support/a2a/cells.ts';
import { Clock, NOW, crypto, entryFor, newIdentity } from '../support/agents/agents.ts';
import type { MakeWire } from '../support/agents/transport-pairs.ts';
import { createPair, httpWire, unixWire, wsWire } from '../support/agents/transport-pairs.ts';
import type { Shape } from '../support/a2a/sealed.ts';
import {
  entryOf,
  inForm,
  newSides,
  saying,
  sealFor,
  sealedAgentFor,
} from '../support/sealed-face/user.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import type { Draft, Scene } from '../support/wire/forge.ts';
import {
  changed,
  drop,
  forge,
  judge,
  newNonce,
  newReceiver,
  newScene,
  openedBy,
  put,
  resigned,
} from '../support/wire/forge.ts';

/** Why is nobody's business. */
const TOLD = 'SECURITY_UNSUPPORTED';
const NO_TASKS: Partial<Peer> = { contentTypes: ['negotiation.v1'] };

/** What the log holds on a message. */
async function entriesOn(log: AuditLog, id: string): Promise<AuditEntry[]> {
  return ((await log.prove(id))?.entries ?? []).map(({ entry }) => readEntry(entry, ''));
}

async function allEntries(store: Store, node: string): Promise<AuditEntry[]> {
  const records = await store.read(logNames(node, crypto.sha256).entries, 0);
  return records.map(({ value }) => decodeEntry(value));
}

const signingKeyOf = ({ agentId, keys }: LocalIdentity) => {
  const { kid, key } = keys.find(({ use }) => use === 'sig')!;
  return { node: agentId, publicKeys: new Map([[kid, key.publicKey]]) };
};

interface AuditedScene extends Scene {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: AuditLog;
  readonly entries: () => Promise<AuditEntry[]>;
}

async function auditedScene(options: Parameters<typeof newScene>[0] = {}): Promise<AuditedScene> {
  const clock = new Clock();
  const store = createMemoryStore({ now: clock.now });
  const scene = await newScene({ store, now: clock.now, ...options });
  const log = (await scene.bob.runtime.audit())!;
  const entries = (): Promise<AuditEntry[]> => allEntries(store, scene.bob.identity.agentId);
  return { ...scene, store, clock, log, entries };
}

describe('A15 what a proven sender is refused is in the audit log #audit-refusals', () => {
  test.each<[string, MakeWire]>([
    ['HTTP', httpWire],
    ['WebSocket', wsWire],
    ['a Unix socket', unixWire],
  ])('A15 over %s, with a receipt, and once', async (_name, makeWire) => {
    const pair = await createPair(makeWire);
    onTestFinished(() => pair.close());
    const sender = await pair.sender(NO_TASKS);
    const line = await pair.line();
    const sent = await forge(sender, pair.server, { mode: 'enc+sig' });
    line.send(sent);
    const told = (await line.next())!;
    const reply = decodeMessage(told.bytes, told.encoding) as JsonObject;
    expect(openedBy(sender, reply)).toMatchObject({ code: TOLD });
    const receipt = await verifyReceipt(
      (reply['trace'] as JsonObject)['audit'],
      signingKeyOf(pair.server.identity),
      crypto,
    );
    expect(receipt).toMatchObject({ verdict: TOLD, seq: 1 });
    const log = (await pair.server.runtime.audit())!;
    const { id } = sent.envelope;
    expect(await entriesOn(log, id)).toMatchObject([
      { kind: 'request', from: sender.agentId, ct: 'task.v1', req: receipt.req },
      {
        kind: 'reply',
        re: id,
        verdict: TOLD,
        req: receipt.req,
        res: receipt.res,
        of: 0,
      },
    ]);
    // The same bytes again get the same answer, with the same receipt.
    line.send(sent);
    expect((await line.next())!.bytes).toEqual(told.bytes);
    expect(await log.verify()).toMatchObject({ ok: true, size: 2, unanswered: 0 });
  });

  test('A15 inside official A2A it is about who sealed it, and not about who carried it', async () => {
    const [cell] = CELLS;
    const side = await newSides();
    const store = createMemoryStore();
    const agent = await sealedAgentFor(side, {
      runtime: { store, peers: [entryOf(side.user, NO_TASKS)] },
    });
    const request = await sealFor(side, saying('hello'));
    const message = inForm('v1', request);
    for (let time = 0; time < 2; time += 1) {
      const { text } = await cell!.ask(agent, 'send', { message, as: 'user' });
      expect(text).toContain('SDL_ENVELOPE_REJECTED');
    }
    const [part] = request['parts'] as Shape[];
    const { id } = (part!['data'] as Shape)['a2aSdl'] as { id: string };
    const log = (await agent.runtime.audit())!;
    const verdict = TOLD;
    // Once, whoever brings it how often; nothing of ours answers it, so it is complete by itself.
    expect(await entriesOn(log, id)).toMatchObject([
      { kind: 'request', from: side.user.agentId, ct: 'a2a.message.v1', verdict },
    ]);
    expect(await log.verify()).toMatchObject({ ok: true, unanswered: 0 });
    const carriers = (await allEntries(store, side.identity.agentId)).filter(
      (entry) => entry.kind === 'operation',
    );
    expect(new Set(carriers.map(({ from }) => from)).has(side.user.agentId)).toBe(false);
  });

  interface Refused {
    readonly stage: string;
    readonly code: string;
    /** In the log and the receipt. @default that it is not accepted */
    readonly verdict?: string;
    readonly send: (scene: AuditedScene) => Promise<Awaited<ReturnType<typeof judge>>>;
  }
  const sendAs =
    (draft: Draft, ...edits: readonly JsonObject[]): Refused['send'] =>
    async ({ bob, alice }) => {
      const { envelope } = await forge(alice, bob, draft);
      return judge(bob, edits.length === 0 ? envelope : await resigned(alice, envelope, ...edits));
    };
  const REFUSED: readonly Refused[] = [
    {
      stage: 'replay',
      code: 'REPLAYED',
      verdict: 'REPLAYED',
      send: async (scene) => {
        const replay = { nonce: newNonce() };
        await sendAs({ replay })(scene);
        return sendAs({ replay, payload: { ...taskPayload, goal: 'another' } })(scene);
      },
    },
    {
      stage: 'session',
      code: 'SESSION_INVALID',
      verdict: 'SESSION_INVALID',
      send: sendAs({ session: { binding_id: 'none' } }),
    },
    {
      stage: 'decrypt',
      code: 'DECRYPT_FAILED',
      send: sendAs({ mode: 'enc+sig' }, put('/sec/enc/ciphertext', 'AAAA')),
    },
    {
      stage: 'bind',
      code: 'BINDING_INVALID',
      send: sendAs({ mode: 'enc+sig' }, drop('/sec/x/bind')),
    },
    {
      stage: 'schema',
      code: 'PAYLOAD_INVALID',
      verdict: 'PAYLOAD_INVALID',
      send: sendAs({ payload: { goal: 7 } }),
    },
    {
      stage: 'authorize',
      code: 'NOT_AUTHORIZED',
      send: async (scene) => {
        scene.bob.book.add(entryFor(scene.alice, NO_TASKS));
        return sendAs({})(scene);
      },
    },
  ];
  test.each(REFUSED)(
    'A15 at $stage, in no finer words than the error has',
    async ({ stage, code, verdict = TOLD, send }) => {
      const scene = await auditedScene();
      const { outcome, reply } = await send(scene);
      expect([outcome.stage, outcome.error?.code]).toEqual([stage, code]);
      const entries = await scene.entries();
      expect(entries.slice(-2)).toMatchObject([
        { kind: 'request', from: scene.alice.agentId },
        { kind: 'reply', verdict },
      ]);
      expect((reply!['trace'] as JsonObject)['audit']).toMatchObject({ verdict });
      expect(JSON.stringify(entries)).not.toContain(verdict === TOLD ? code : TOLD);
      expect(await scene.log.verify()).toMatchObject({ ok: true, unanswered: 0 });
    },
  );

  test('A15 at contact, where it can be sent again later', async () => {
    const scene = await auditedScene({ shared: { rateLimiter: { take: () => false } } });
    const message = await forge(scene.alice, scene.bob);
    for (const size of [2, 4]) {
      expect((await judge(scene.bob, message)).code).toBe('LIMIT_RATE');
      // It was not kept: each time is another refusal.
      expect(await scene.log.verify()).toMatchObject({ ok: true, size, unanswered: 0 });
    }
  });

  test('A15 of an event, which nothing answers, the one entry has the code', async () => {
    const scene = await auditedScene();
    scene.bob.book.add(entryFor(scene.alice, NO_TASKS));
    await sendAs({ type: 'evt' })(scene);
    const verdict = TOLD;
    expect(await scene.entries()).toMatchObject([
      { kind: 'event', from: scene.alice.agentId, verdict },
    ]);
    expect(await scene.log.verify()).toMatchObject({ ok: true, unanswered: 0 });
  });

  test('A15 what nobody has proven, or was signed at another time, is counted and not written', async () => {
    const scene = await auditedScene();
    const { bob, alice, mallory } = scene;
    const { envelope } = await forge(alice, bob);
    const old = await forge(alice, bob, { nowMs: bob.clock.nowMs - 3_600_000 });
    const unproven = [
      changed(envelope, put('/payload/goal', 'x')),
      changed(envelope, drop('/sec/sig')),
      await resigned(mallory, envelope),
      old.envelope,
    ];
    for (const message of unproven) {
      const { code, reply } = await judge(bob, message);
      expect(code).toBeDefined();
      expect((reply?.['trace'] as JsonObject | undefined)?.['audit']).toBeUndefined();
    }
    expect(await scene.entries()).toEqual([]);
    const metrics = (await bob.runtime.listenContext()).metrics();
    const counted = [...metrics.matchAll(/messages_total\{[^}]*ct="refused"[^}]*\} (\d+)/g)];
    expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(unproven.length);
  });

  test('A15 a sender gets eight a second, others have their own, and the rest is one entry', async () => {
    const scene = await auditedScene();
    const { bob, alice, mallory, clock } = scene;
    for (const sender of [alice, mallory]) bob.book.add(entryFor(sender, NO_TASKS));
    const refusals = async (sender: LocalIdentity, count: number): Promise<number> => {
      let receipts = 0;
      for (let at = 0; at < count; at += 1) {
        const { code, reply } = await judge(bob, await forge(sender, bob, { nowMs: clock.nowMs }));
        expect(code).toBe('NOT_AUTHORIZED');
        if ((reply!['trace'] as JsonObject)['audit'] !== undefined) receipts += 1;
      }
      return receipts;
    };
    expect(await refusals(alice, 30)).toBe(8);
    expect(await refusals(mallory, 3)).toBe(3);
    expect(await scene.entries()).toHaveLength(2 * (8 + 3));
    clock.nowMs += 1_000;
    expect(await refusals(alice, 1)).toBe(1);
    const counted = (await scene.entries()).filter(({ kind }) => kind === 'operation');
    expect(counted).toMatchObject([
      {
        face: 'sdl',
        operation: 'refused',
        from: alice.agentId,
        verdict: TOLD,
        count: 22,
      },
    ]);
    expect(await scene.log.verify()).toMatchObject({ ok: true, unanswered: 0 });
  });

  test('A15 what was only counted is written within a second, though nothing follows it', async () => {
    const scene = await auditedScene();
    scene.bob.book.add(entryFor(scene.alice, NO_TASKS));
    for (let at = 0; at < 11; at += 1) await sendAs({})(scene);
    const written = async () => (await scene.entries()).at(-1);
    await expect.poll(written, { timeout: 10_000 }).toMatchObject({ kind: 'operation', count: 3 });
  });

  test('A15 what was only counted is written when the agent stops, too', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const bob = await newReceiver({ store });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice, NO_TASKS));
    for (let at = 0; at < 10; at += 1) await judge(bob, await forge(alice, bob));
    await bob.runtime.close({ graceMs: 0 });
    expect((await allEntries(store, bob.identity.agentId)).at(-1)).toMatchObject({ count: 2 });
  });

  test('A15 strangers share what they have, however many keys they make', async () => {
    const scene = await auditedScene({
      policy: { open: true, strangerContentTypes: ['negotiation.v1'] },
    });
    for (let at = 0; at < 20; at += 1) {
      const stranger = await newIdentity();
      expect((await judge(scene.bob, await forge(stranger, scene.bob))).code).toBe(
        'NOT_AUTHORIZED',
      );
    }
    await scene.bob.runtime.close({ graceMs: 0 });
    const entries = await scene.entries();
    expect(entries.filter(({ kind }) => kind === 'reply')).toHaveLength(16);
    expect(entries.at(-1)).toMatchObject({ from: '~strangers', count: 4 });
  });

  test.each([
    ['the request', 0],
    ['the refusal', 1],
  ])(
    'A15 a log that fails at %s keeps nobody from being told that he is refused',
    async (_at, writes) => {
      const errors: unknown[] = [];
      const healthy = createMemoryStore({ now: () => NOW });
      let left = Infinity;
      const store = new Proxy(healthy, {
        get(target, name) {
          const member = Reflect.get(target, name, target) as unknown;
          if (typeof member !== 'function') return member;
          return (...given: unknown[]): unknown => {
            const isWrite = name === 'transact' && JSON.stringify(given[0]).includes('"audit');
            if (isWrite && (left -= 1) < 0) return Promise.reject(new Error('the disk is full'));
            return Reflect.apply(member, target, given) as unknown;
          };
        },
      });
      const { bob, alice } = await newScene({
        store,
        on: { error: (cause) => errors.push(cause) },
      });
      bob.book.add(entryFor(alice, NO_TASKS));
      await bob.runtime.audit();
      left = writes;
      const { code, reply } = await judge(bob, await forge(alice, bob));
      expect(code).toBe('NOT_AUTHORIZED');
      expect(openedBy(alice, reply)).toMatchObject({ code: TOLD });
      expect((reply!['trace'] as JsonObject)['audit']).toBeUndefined();
      expect(errors).toHaveLength(1 - writes);
      left = Infinity;
    },
  );
});
