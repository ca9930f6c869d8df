// Group A of the weaknesses, trust: registries, grants, key bundles, sessions and latches, each through the pipeline.
// Each test is the attack; without its fix it succeeds.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { formatTimestamp, parseTimestamp } from '../../src/envelope/timestamp.ts';
import { signDocument } from '../../src/security/identity/document-signature.ts';
import { issueGrant } from '../../src/security/policy/grant.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { proposalId } from '../../src/security/trust/registry-proposal.ts';
import { sessionBindingId } from '../../src/security/session.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { NOW, crypto, entryFor } from '../support/agents/agents.ts';
import type { Draft, Judged, Receiver, Scene } from '../support/wire/forge.ts';
import {
  changed,
  forge,
  judge,
  newReceiver,
  newScene,
  openedBy,
  put,
  resigned,
} from '../support/wire/forge.ts';
import {
  APPROVERS,
  EMPTY,
  approved,
  approvers,
  publicText,
  registryAfter,
  seed,
  single,
} from '../support/trust/trust.ts';

const DAY_MS = 86_400_000;

/** A receiver whose registry the approvers of the suite may change, one of them being enough. */
async function trustScene(): Promise<
  Scene & { propose: (payload: JsonObject) => Promise<JsonObject> }
> {
  const scene = await newScene({ trust: { approvers } });
  const propose = async (payload: JsonObject): Promise<JsonObject> => {
    const message = await forge(scene.mallory, scene.bob, { ct: 'trustsync.v1', payload });
    const { reply, code } = await judge(scene.bob, message);
    expect(code).toBeUndefined();
    return openedBy(scene.mallory, reply);
  };
  return { ...scene, propose };
}

/** A registry document for this receiver that follows the head. */
function registryFor(bob: Receiver, content: JsonObject, head = EMPTY): JsonObject {
  return registryAfter(head, {
    aud: bob.identity.agentId,
    exp: formatTimestamp(NOW + DAY_MS),
    ...content,
  });
}

const keysOf = (kid: string, fill: number): JsonObject => ({
  trusted_signing_keys: { [kid]: publicText(fill) },
});

describe('W7 W10 W11 W12 the registry over the wire #registry', () => {
  test('W7 a signed envelope of an approver is no registry update, even in the form of v1', async () => {
    const { bob, mallory, propose } = await trustScene();
    bob.book.add(entryFor(mallory, { switches: new Set(['v1-trustsync']) }));
    const secret = seed(APPROVERS.ann);
    const key = { publicKey: crypto.ed25519PublicKey(secret), reveal: () => secret };
    const ann = {
      agentId: 'ann',
      keys: [{ kid: 'ann', use: 'sig' as const, notAfterMs: NOW, key }],
    };
    const { envelope } = await forge(ann, bob, { form: 'python' });
    const signature = envelope.sec!.sig!.value;
    // As it was signed: v1 takes a signature over the bare document, whatever it is.
    const registry = changed(envelope, put('/sec/sig/value', ''));
    for (const document of [registry, { ...registry, ...registryFor(bob, {}) }]) {
      const answer = await propose({ op: 'propose', merge: true, registry: document, signature });
      expect(answer).toMatchObject({ status: 'rejected', code: 'ENVELOPE_INVALID' });
    }
  });

  test('W10 the signature of an addition replayed as a replacement changes nothing', async () => {
    const { bob, propose } = await trustScene();
    const first = await propose(await single(registryFor(bob, keysOf('alice-1', 1))));
    expect(first).toMatchObject({ status: 'accepted' });
    const head = first['head'] as unknown as typeof EMPTY;
    const registry = registryFor(bob, {}, head);
    const { signature } = await single(registry);
    for (const replayed of [
      { op: 'propose', merge: false, registry, signature: signature! },
      {
        op: 'propose',
        merge: false,
        registry,
        signature: signature!,
        proposal_id: proposalId(false, registry),
      },
      {
        op: 'propose',
        merge: false,
        registry,
        approvals: [{ approver: 'ann', signature: signature! }],
      },
    ]) {
      expect(await propose(replayed)).toMatchObject({ status: 'rejected', code: 'NOT_AUTHORIZED' });
    }
    expect(await propose({ op: 'discover' })).toMatchObject({
      snapshot: keysOf('alice-1', 1),
      head,
    });
  });

  test('W11 an applied proposal that is played again does not undo what followed', async () => {
    const { bob, propose } = await trustScene();
    const first = await approved(registryFor(bob, keysOf('alice-1', 1)), ['ann'], false);
    const accepted = await propose(first);
    const head = accepted['head'] as unknown as typeof EMPTY;
    const second = await propose(await single(registryFor(bob, keysOf('bob-1', 2), head)));
    expect(await propose(first)).toEqual(accepted);
    expect(await propose({ op: 'discover' })).toMatchObject({
      snapshot: { trusted_signing_keys: { 'alice-1': publicText(1), 'bob-1': publicText(2) } },
      head: second['head'],
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['an id that its content does not have', {}, { proposal_id: EMPTY.hash }],
    ['another audience', { aud: 'did:key:other' }, {}],
    ['no time left', { exp: '2026-11-16T00:28:29Z' }, {}],
    ['another predecessor', { prev_hash: EMPTY.hash }, {}],
    ['a number that was used', { seq: 1 }, {}],
  ])('W11 a proposal with %s is rejected', async (_name, edits, members) => {
    const { bob, propose } = await trustScene();
    const { head } = await propose(await single(registryFor(bob, keysOf('alice-1', 1))));
    const next = registryFor(bob, keysOf('bob-1', 2), head as unknown as typeof EMPTY);
    const answer = await propose({ ...(await single({ ...next, ...edits })), ...members });
    expect(answer).toMatchObject({ status: 'rejected' });
    expect(await propose(await single(next))).toMatchObject({ status: 'accepted' });
  });

  test('W11 a known proposal without a signature that holds tells nothing', async () => {
    const { bob, propose } = await trustScene();
    const known = await single(registryFor(bob, keysOf('alice-1', 1)));
    const { proposal_id } = await propose(known);
    const answer = await propose({ ...known, proposal_id: proposal_id!, signature: 'AA' });
    expect(answer).toMatchObject({ status: 'rejected' });
    for (const member of ['snapshot', 'head', 'registry_hash']) {
      expect(answer).not.toHaveProperty(member);
    }
  });

  test('W12 private keys in a proposal are refused, and those of the receiver stay', async () => {
    const { bob, alice, propose } = await trustScene();
    const { kid } = bob.identity.keys.find(({ use }) => use === 'enc')!;
    const stolen = { decrypt_private_keys: { [kid]: encodeBase64url(crypto.randomBytes(32)) } };
    const answer = await propose(await single(registryFor(bob, stolen)));
    expect(answer).toMatchObject({ status: 'rejected', code: 'ENVELOPE_INVALID' });
    expect((await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }))).code).toBeUndefined();
  });

  test('W12 a kid is not bound to another key, however many approve', async () => {
    const { bob, propose } = await trustScene();
    const first = await propose(await single(registryFor(bob, keysOf('alice-1', 1))));
    const head = first['head'] as unknown as typeof EMPTY;
    for (const merge of [true, false]) {
      const rebound = await approved(
        registryFor(bob, keysOf('alice-1', 2), head),
        ['ann', 'ben'],
        merge,
      );
      expect(await propose(rebound)).toMatchObject({ status: 'rejected', code: 'NOT_AUTHORIZED' });
    }
    expect(await propose({ op: 'discover' })).toMatchObject({ snapshot: keysOf('alice-1', 1) });
  });
});

describe('W13 scopes #grant', () => {
  const NAMES = ['math.add', '*'];

  async function callWith(authz: (scene: Scene) => Promise<JsonObject>): Promise<Judged> {
    const scene = await newScene();
    const { bob, mallory } = scene;
    bob.book.add(entryFor(mallory, { tools: ['sys.ping'], contentTypes: ['toolcall.v1'] }));
    const call = { tool: 'math.add', call_id: 'c', args: { values: [1] }, expect: {} };
    const payload = { ...call, authz: await authz(scene) };
    return judge(bob, await forge(mallory, bob, { ct: 'toolcall.v1', payload }));
  }

  const grantOf = async (issuer: OwnIdentity, { bob, mallory }: Scene): Promise<JsonObject> => ({
    grant: await issueGrant(
      {
        id: 'g',
        iss: issuer.agentId,
        sub: mallory.agentId,
        aud: bob.identity.agentId,
        allow: { ct: ['*'], tools: NAMES },
        maxHops: 0,
        notAfterMs: NOW + DAY_MS,
      },
      issuer.root!.reveal(),
      crypto,
    ),
  });

  test.each<[string, (scene: Scene) => Promise<JsonObject>]>([
    ['claimed scopes', () => Promise.resolve({ scopes: NAMES, delegated_by: 'did:key:root' })],
    ['a grant that the caller issued itself', (scene) => grantOf(scene.mallory, scene)],
    ['a grant of a peer that is not trusted to grant', (scene) => grantOf(scene.alice, scene)],
  ])('W13 %s give no access to a tool', async (_name, authz) => {
    const { outcome, code } = await callWith(authz);
    expect([outcome.stage, code]).toEqual(['authorize', 'NOT_AUTHORIZED']);
  });

  test('W13 a grant of the receiver does', async () => {
    const { code, reply } = await callWith((scene) => grantOf(scene.bob.identity, scene));
    expect(code).toBeUndefined();
    expect(reply).toMatchObject({ payload: { ok: true } });
  });
});

describe('W14 encryption keys #key-bundle', () => {
  test('W14 an encryption key that the root key did not vouch for is not used', async () => {
    const { bob, alice, mallory } = await newScene();
    // Whoever holds the daily signing key of Alice would have answers sealed to a key of its own.
    const signer = alice.keys.find(({ use }) => use === 'sig')!;
    const { sig: _, ...bundle } = alice.bundle.document;
    const own = mallory.bundle.document['keys'] as JsonObject[];
    const theirs = bundle['keys'] as JsonObject[];
    const keys = theirs.map((key) =>
      key['use'] === 'enc' ? own.find(({ use }) => use === 'enc')! : key,
    );
    const forged = await signDocument(
      'bundle',
      { ...bundle, seq: 2, keys },
      signer.key.reveal(),
      crypto,
    );
    const { envelope } = await forge(alice, bob);
    const message = await resigned(alice, envelope, put('/cap/a2a_sdl/bundle', forged));
    const { outcome, code } = await judge(bob, message);
    expect([outcome.stage, code]).toEqual(['policy', 'SENDER_REFUSED']);
    expect(bob.runs).toEqual([]);
    // Nothing of it was learned: answers still go to Alice alone.
    const { reply } = await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }));
    expect(openedBy(alice, reply)).toBeTypeOf('object');
    expect(() => openedBy(mallory, reply)).toThrow(/DECRYPT_FAILED/);
  });
});

describe('W18 sessions #session', () => {
  const openSession = async (
    { bob }: Scene,
    sender: OwnIdentity,
    payload: JsonObject = {},
  ): Promise<JsonObject & { binding_id?: string; expires?: string }> => {
    const open = {
      op: 'open',
      profile: {},
      nonce: encodeBase64url(crypto.randomBytes(12)),
      ...payload,
    };
    return openedBy(
      sender,
      (await judge(bob, await forge(sender, bob, { ct: 'session.v1', payload: open }))).reply,
    );
  };
  const inSession = (binding_id: string | undefined, more: Draft = {}): Draft => ({
    ...more,
    session: { binding_id: binding_id! },
  });

  test('W18 a session that is to last until 2999 ends after a day', async () => {
    const scene = await newScene();
    const { bob, alice } = scene;
    const session = await openSession(scene, alice, { expires: '2999-01-01T00:00:00Z' });
    expect(parseTimestamp(session.expires!)).toBe(NOW + DAY_MS);
    const use = inSession(session.binding_id);
    expect((await judge(bob, await forge(alice, bob, use))).code).toBeUndefined();
    bob.clock.nowMs += DAY_MS;
    expect((await judge(bob, await forge(alice, bob, use))).code).toBe('SESSION_INVALID');
    expect(bob.runs).toHaveLength(1);
  });

  test('W18 a session of another key is none', async () => {
    const scene = await newScene();
    const { bob, alice, mallory } = scene;
    const { binding_id } = await openSession(scene, alice);
    expect((await judge(bob, await forge(mallory, bob, inSession(binding_id)))).code).toBe(
      'SESSION_INVALID',
    );
    // Nor of another key of the same agent.
    const root: OwnIdentity = { ...alice, keys: [] };
    expect((await judge(bob, await forge(root, bob, inSession(binding_id)))).code).toBe(
      'SESSION_INVALID',
    );
    expect(bob.runs).toEqual([]);
  });

  test('W18 an acknowledgement opens no session', async () => {
    const scene = await newScene();
    const { bob, mallory } = scene;
    const expires = formatTimestamp(NOW + 60_000);
    const binding = {
      from_agent: mallory.agentId,
      to_agent: bob.identity.agentId,
      profile: {},
      nonce: 'nonce-nonce',
    };
    const binding_id = sessionBindingId({ ...binding, expires });
    const ack = { op: 'ack', nonce: binding.nonce, expires, accepted: true, binding_id };
    expect(await openSession(scene, mallory, ack)).toMatchObject({ accepted: false });
    expect((await judge(bob, await forge(mallory, bob, inSession(binding_id)))).code).toBe(
      'SESSION_INVALID',
    );
  });

  test("W18 nobody's sessions push out those of another", async () => {
    const scene = await newScene();
    const { bob, alice, mallory } = scene;
    const { binding_id } = await openSession(scene, alice);
    for (let count = 0; count < 100; count += 1) {
      expect(await openSession(scene, mallory)).toMatchObject({ accepted: true });
    }
    expect(await openSession(scene, mallory)).toMatchObject({ details: { reason: 'LIMIT_RATE' } });
    expect((await judge(bob, await forge(alice, bob, inSession(binding_id)))).code).toBeUndefined();
  });
});

describe('W19 downgrade #sec-reply-strength', () => {
  test('W19 a peer that has encrypted is not accepted without it, also after a restart', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const { bob, alice } = await newScene({ store });
    expect((await judge(bob, await forge(alice, bob))).code).toBeUndefined();
    expect((await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }))).code).toBeUndefined();
    expect((await judge(bob, await forge(alice, bob))).code).toBe('MODE_REFUSED');
    const restarted = await newReceiver({ store, identity: bob.identity, peers: bob.book });
    const again = { ...restarted, identity: bob.identity };
    expect((await judge(again, await forge(alice, again))).code).toBe('MODE_REFUSED');
    expect(
      (await judge(again, await forge(alice, again, { mode: 'enc+sig' }))).code,
    ).toBeUndefined();
  });

  test('W19 a peer that has signed is not accepted unsigned, even if its entry would allow it', async () => {
    const { bob, alice } = await newScene();
    bob.book.add(entryFor(alice, { switches: new Set(['unsigned-requests']), minMode: 'none' }));
    expect((await judge(bob, await forge(alice, bob, { mode: 'none' }))).code).toBeUndefined();
    expect((await judge(bob, await forge(alice, bob))).code).toBeUndefined();
    expect((await judge(bob, await forge(alice, bob, { mode: 'none' }))).code).toBe('MODE_REFUSED');
  });
});
