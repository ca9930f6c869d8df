// Group E of the weaknesses: operations, through the pipeline.
// Each test is the attack or the accident; without its fix it succeeds.

import { describe, expect, test } from 'vitest';

import { createIdentity, rotateIdentity } from '../../src/security/identity/identity.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import { issueGrant } from '../../src/security/policy/grant.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import type { Peer } from '../../src/security/peers/peer.ts';
import { EMPTY_STATE_HASH } from '../../src/state/document.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { Book, NOW, crypto, entryFor, newIdentity } from '../support/agents/agents.ts';
import type { Judged, Receiver, Scene } from '../support/wire/forge.ts';
import {
  answersOf,
  asking,
  changed,
  drop,
  forge,
  judge,
  newReceiver,
  newScene,
  openedBy,
  put,
} from '../support/wire/forge.ts';
import {
  EMPTY,
  approved,
  approvers,
  publicText,
  registryAfter,
  single,
} from '../support/trust/trust.ts';

const DAY_MS = 86_400_000;
const ping = { tool: 'sys.ping', call_id: 'c', args: {}, expect: {} };

describe('W51 what is added after signing #sec-order', () => {
  async function sessionOf({ bob }: Scene, sender: OwnIdentity): Promise<JsonObject> {
    const payload = { op: 'open', profile: {}, nonce: 'nonce-nonce' };
    const { reply } = await judge(bob, await forge(sender, bob, { ct: 'session.v1', payload }));
    return { binding_id: openedBy(sender, reply)['binding_id']! };
  }

  test('W51 a session that is put into a signed message, or taken out of it, breaks the signature', async () => {
    const scene = await newScene();
    const { bob, alice } = scene;
    const session = await sessionOf(scene, alice);
    const bare = (await forge(alice, bob)).envelope;
    expect((await judge(bob, changed(bare, put('/sec/session', session)))).code).toBe(
      'SIGNATURE_INVALID',
    );
    const bound = (await forge(alice, bob, { session })).envelope;
    expect((await judge(bob, changed(bound, drop('/sec/session')))).code).toBe('SIGNATURE_INVALID');
    expect((await judge(bob, bound)).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });

  test.each([
    put('/re', 'x'),
    put('/sec/x', { more: 1 }),
    put('/sec/replay/exp', '2026-11-16T01:00:00Z'),
  ])('W51 so does %j', async (operation) => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob, { type: 'evt', mode: 'sig' });
    expect((await judge(bob, changed(envelope, operation))).code).toBe('SIGNATURE_INVALID');
    expect(bob.runs).toEqual([]);
  });

  test('W51 our own client signs the session that it names', async () => {
    const { alice, bob, ask } = await asking((outbound, pair) => answersOf(pair.bob, outbound));
    await ask();
    const peer = alice.runtime.connect(bob.identity.agentId);
    const payload = { op: 'open', profile: {}, nonce: 'nonce-nonce' };
    const opened = await peer.request({ ct: 'session.v1', payload }).result();
    const { binding_id } = opened.payload as JsonObject;
    await peer.call('sys.ping', {}, { session: { binding_id: binding_id! } });
    expect(bob.outcomes.at(-1)!.error).toBeUndefined();
    // It is looked at: another one is refused.
    const other = peer.call(
      'sys.ping',
      {},
      { session: { binding_id: `sha256:${'0'.repeat(64)}` } },
    );
    await expect(other).rejects.toMatchObject({ code: 'SESSION_INVALID' });
  });
});

describe('W52 one snapshot for a message #policy-snapshot', () => {
  /** A store that lets a test act while a message is between two checks: at the first look for its nonce. */
  function meddling(): { store: Store; onReplay: { act: () => void } } {
    const inner = createMemoryStore({ now: () => NOW });
    const onReplay = { act: () => undefined as void };
    const store: Store = new Proxy(inner, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (name === 'get' && args[0] === 'replay') onReplay.act();
          return Reflect.apply(member, target, args) as unknown;
        };
      },
    });
    return { store, onReplay };
  }

  test('W52 keys that are replaced while a message is under way do not judge half of it', async () => {
    const { store, onReplay } = meddling();
    let own: LocalIdentity = await createIdentity({ crypto, nowMs: NOW - 60_000 });
    const next = await rotateIdentity(own, { crypto, nowMs: NOW, overlapMs: 0 });
    const bob = { ...(await newReceiver({ store, identity: () => own })), identity: own };
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    onReplay.act = () => {
      own = next;
    };
    const first = await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }));
    expect(first.code).toBeUndefined();
    expect(own).toBe(next);
    // Signed by the key that was in force when it began.
    const { kid } = first.reply!['sec'] as JsonObject;
    expect(bob.identity.keys.map((key) => key.kid)).toContain(kid);
    expect((await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }))).code).toBe(
      'DECRYPT_FAILED',
    );
  });

  test('W52 trust that is withdrawn while a message is under way counts from the next message on', async () => {
    const { store, onReplay } = meddling();
    const { bob, alice, mallory: issuer } = await newScene({ store });
    bob.book.add(entryFor(alice, { tools: [] }));
    bob.book.add(entryFor(issuer, { mayGrant: true }));
    const grant = await issueGrant(
      {
        id: 'g',
        iss: issuer.agentId,
        sub: alice.agentId,
        aud: bob.identity.agentId,
        allow: { ct: ['*'], tools: ['sys.ping'] },
        maxHops: 0,
        notAfterMs: NOW + DAY_MS,
      },
      issuer.root.reveal(),
      crypto,
    );
    const call = { ct: 'toolcall.v1', payload: { ...ping, authz: { grant } } };
    onReplay.act = () => {
      bob.book.add(entryFor(issuer, { mayGrant: false }));
      bob.book.add(entryFor(alice, { revoked: true }));
    };
    expect((await judge(bob, await forge(alice, bob, call))).code).toBeUndefined();
    expect((await judge(bob, await forge(alice, bob, call))).code).toBe('SENDER_REFUSED');
    bob.book.add(entryFor(alice, { tools: [] }));
    onReplay.act = () => undefined;
    expect((await judge(bob, await forge(alice, bob, call))).code).toBe('NOT_AUTHORIZED');
  });

  test('W52 the clock that moves while a message is under way does not either', async () => {
    const { store, onReplay } = meddling();
    const { bob, alice } = await newScene({ store });
    const [key] = entryFor(alice).encryptionKeys;
    bob.book.add(entryFor(alice, { encryptionKeys: [{ ...key!, notAfter: NOW + 1_000 }] }));
    const sender: OwnIdentity = { agentId: alice.agentId, root: alice.root, keys: [] };
    onReplay.act = () => {
      bob.clock.nowMs = NOW + 2_000;
    };
    const { reply } = await judge(bob, await forge(sender, bob, { mode: 'enc+sig' }));
    // The key had not ended when the request came, so that there is one to seal the answer to.
    expect(reply).toMatchObject({ sec: { mode: 'enc+sig' } });
    expect((await judge(bob, await forge(sender, bob, { mode: 'enc+sig' }))).code).toBe(
      'MODE_REFUSED',
    );
  });
});

describe('W53 the hash of a registry #registry', () => {
  test('W53 equal registries have equal hashes, whenever, by whom and in how many steps they were made', async () => {
    const keys = { trusted_signing_keys: { 'alice-1': publicText(1) }, revoked_kids: ['old'] };
    const [one, other] = [
      await newScene({ trust: { approvers } }),
      await newScene({ trust: { approvers } }),
    ];
    const atOnce = await propose(one, { ...keys }, EMPTY);
    other.bob.clock.nowMs += DAY_MS / 2;
    const { head } = (await propose(other, { revoked_kids: ['old'] }, EMPTY)) as {
      head?: typeof EMPTY;
    };
    const inSteps = await propose(other, keys, head!);
    expect([atOnce['status'], inSteps['status']]).toEqual(['accepted', 'accepted']);
    expect(inSteps['registry_hash']).toBe(atOnce['registry_hash']);
    expect(inSteps['head']).not.toEqual(atOnce['head']);
  });

  async function propose(
    { bob, alice }: Scene,
    content: JsonObject,
    head: typeof EMPTY,
  ): Promise<JsonObject> {
    const exp = formatTimestamp(bob.clock.nowMs + DAY_MS);
    const registry = registryAfter(head, { ...content, aud: bob.identity.agentId, exp });
    const payload = head.seq === 0 ? await single(registry) : await approved(registry, ['ben']);
    const { reply } = await judge(bob, await forge(alice, bob, { ct: 'trustsync.v1', payload }));
    return openedBy(alice, reply);
  }
});

describe('W54 client certificates #client-certificates', () => {
  const ALICES = 'a1'.repeat(32);
  const BOBS = 'b0'.repeat(32);

  class BookWithCertificates extends Book {
    override snapshot(): ReturnType<Book['snapshot']> & {
      findByCertificate: (print: string) => Peer | undefined;
    } {
      const page = this.list();
      return {
        ...super.snapshot(),
        findByCertificate: (print) =>
          page.find(({ certificates }) => certificates?.includes(print)),
      };
    }
  }

  async function over(
    certificate: string | undefined,
    entry: Partial<Peer>,
  ): Promise<{ judged: Judged; bob: Receiver }> {
    const book = new BookWithCertificates();
    const bob = await newReceiver({ peers: book });
    const [alice, carol] = [await newIdentity(), await newIdentity()];
    book.add(entryFor(alice, entry));
    book.add(entryFor(carol, { certificates: [BOBS] }));
    const peer = { transport: 'test', address: 'a', ...(certificate && { certificate }) };
    return { judged: await judge(bob, await forge(alice, bob), { peer }), bob };
  }

  test.each([
    ['no certificate where its entry lists one', undefined, { certificates: [ALICES] }],
    ['a certificate of nobody', 'c0'.repeat(32), { certificates: [ALICES] }],
    ['a certificate of another agent', BOBS, { certificates: [ALICES] }],
    ['a certificate of another agent where its own entry lists none', BOBS, {}],
  ])(
    'W54 a good signature over a connection with %s is refused',
    async (_name, certificate, entry) => {
      const { judged, bob } = await over(certificate, entry);
      expect([judged.outcome.stage, judged.code]).toEqual(['policy', 'SENDER_REFUSED']);
      expect(bob.runs).toEqual([]);
    },
  );

  test('W54 one over its own certificate is not', async () => {
    expect((await over(ALICES, { certificates: [ALICES] })).judged.code).toBeUndefined();
  });
});

describe('W55 state #state #state-base', () => {
  test('W55 a patch for another state, or one that fails halfway, changes nothing', async () => {
    const { bob, alice } = await newScene();
    const send = async (base: string, ...patch: JsonObject[]): Promise<JsonObject> => {
      const payload = { base, patch };
      return openedBy(
        alice,
        (await judge(bob, await forge(alice, bob, { ct: 'state.v1', payload }))).reply,
      );
    };
    const first = await send(EMPTY_STATE_HASH, put('/a', 1));
    const base = first['base'] as string;
    expect(base).not.toBe(EMPTY_STATE_HASH);
    // It was applied, so the empty document is no longer there to start from.
    expect(await send(EMPTY_STATE_HASH, put('/a', 2))).toMatchObject({
      details: { reason: 'STATE_BASE', expected: base },
    });
    expect(await send(base, put('/b', 2), drop('/nothing'))).toMatchObject({
      details: { reason: 'STATE_PATCH', operation: 1 },
    });
    expect(await send(base)).toMatchObject({ base });
  });
});
