// Trust that has ended has ended everywhere: for strangers, in the middle of a grant, and for what a key vouches for.

import { describe, expect, test } from 'vitest';

import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import { attenuateGrant, issueGrant } from '../../src/security/policy/grant.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import type { Peer } from '../../src/security/peers/peer.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { NOW, crypto, entryFor, newIdentity } from '../support/agents/agents.ts';
import type { Draft, Receiver } from '../support/wire/forge.ts';
import { forge, judge, newReceiver } from '../support/wire/forge.ts';
import { EMPTY, approvers, registryAfter, single } from '../support/trust/trust.ts';

const DAY_MS = 86_400_000;
const HELLO = { need: {}, have: {}, ask: [], supported_ct: [] };

const operationalKid = (identity: LocalIdentity): string => signingKeyOf(identity, NOW).kid;
const rootKid = ({ root }: LocalIdentity): string => thumbprint('ed25519', root.publicKey);

async function newTrustReceiver(open = false): Promise<Receiver> {
  return newReceiver({ trust: { approvers }, policy: { open } });
}

/** One of the approvers, which are known here, brings the registry to say this. */
async function applyRegistry(bob: Receiver, content: JsonObject): Promise<void> {
  const admin = await newIdentity();
  bob.book.add(entryFor(admin));
  const registry = registryAfter(EMPTY, {
    aud: bob.identity.agentId,
    exp: formatTimestamp(NOW + DAY_MS),
    ...content,
  });
  const payload = await single(registry);
  const { reply } = await judge(bob, await forge(admin, bob, { ct: 'trustsync.v1', payload }));
  expect(reply).toMatchObject({ payload: { status: 'accepted' } });
}

async function codeOfHello(
  sender: LocalIdentity,
  bob: Receiver,
  draft: Draft = {},
): Promise<string | undefined> {
  const message = await forge(sender, bob, { ct: 'negotiation.v1', payload: HELLO, ...draft });
  return (await judge(bob, message)).code;
}

type Signer = (identity: LocalIdentity) => { reveal(): Uint8Array };
const byRoot: Signer = ({ root }) => root;
const byOperationalKey: Signer = (identity) => signingKeyOf(identity, NOW).key;

/** What becomes of a call that only a grant of `issuer`, handed on by `between`, allows. */
async function codeOfGranted(
  bob: Receiver,
  issuer: LocalIdentity,
  { between, signer = byRoot }: { between?: LocalIdentity; signer?: Signer } = {},
): Promise<string | undefined> {
  const holder = await newIdentity();
  bob.book.add(entryFor(holder, { tools: ['sys.ping'] }));
  let grant = await issueGrant(
    {
      id: 'g',
      iss: issuer.agentId,
      sub: (between ?? holder).agentId,
      aud: bob.identity.agentId,
      allow: { ct: ['*'], tools: ['*'] },
      maxHops: 1,
      notAfterMs: NOW + DAY_MS,
    },
    signer(issuer).reveal(),
    crypto,
  );
  if (between !== undefined) {
    const narrower = { id: 'h', sub: holder.agentId };
    grant = await attenuateGrant(grant, narrower, signer(between).reveal(), crypto);
  }
  const call = { tool: 'math.add', call_id: 'c', args: { values: [1] }, expect: {} };
  const payload = { ...call, authz: { grant } };
  return (await judge(bob, await forge(holder, bob, { ct: 'toolcall.v1', payload }))).code;
}

describe('#registry a kid that it ends', () => {
  test.each<[string, (kid: string, agentId: string) => JsonObject]>([
    ['is revoked', (kid) => ({ revoked_kids: [kid] })],
    ['has ended', (kid) => ({ kid_not_after: { [kid]: formatTimestamp(NOW - DAY_MS) } })],
    ['is not among those allowed', (_, id) => ({ allowed_kids_by_agent: { [id]: ['other'] } })],
    ['is not the one required', (_, id) => ({ required_kid_by_agent: { [id]: 'other' } })],
  ])('speaks for no stranger either: it %s', async (_how, content) => {
    const bob = await newTrustReceiver(true);
    const stranger = await newIdentity();
    expect(await codeOfHello(stranger, bob)).toBeUndefined();
    await applyRegistry(bob, content(operationalKid(stranger), stranger.agentId));
    expect(await codeOfHello(stranger, bob)).toBe('SENDER_REFUSED');
    expect(await codeOfHello(await newIdentity(), bob)).toBeUndefined();
  });

  test('hands no grant on in the middle of a chain', async () => {
    const bob = await newTrustReceiver();
    const between = await newIdentity();
    expect(await codeOfGranted(bob, bob.identity, { between })).toBeUndefined();
    await applyRegistry(bob, { revoked_kids: [rootKid(between)] });
    expect(await codeOfGranted(bob, bob.identity, { between })).toBe('NOT_AUTHORIZED');
  });
});

describe('#registry #key-bundle a root key that it ends', () => {
  test.each<[string, (kid: string) => JsonObject]>([
    ['is revoked', (kid) => ({ revoked_kids: [kid] })],
    ['has ended', (kid) => ({ kid_not_after: { [kid]: formatTimestamp(NOW - DAY_MS) } })],
  ])('signs no bundle that is accepted: it %s', async (_how, content) => {
    const bob = await newTrustReceiver();
    const victim = await newIdentity();
    bob.book.add(entryFor(victim));
    await applyRegistry(bob, content(rootKid(victim)));
    expect(await codeOfHello(victim, bob)).toBe('SENDER_REFUSED');
  });

  test('takes the bundle with it that is known already', async () => {
    const bob = await newTrustReceiver();
    const victim = await newIdentity();
    bob.book.add(entryFor(victim, { mayGrant: true }));
    const withoutBundle = { members: { cap: {} } };
    expect(await codeOfHello(victim, bob)).toBeUndefined();
    expect(await codeOfHello(victim, bob, withoutBundle)).toBeUndefined();
    expect(await codeOfGranted(bob, victim, { signer: byOperationalKey })).toBeUndefined();
    await applyRegistry(bob, { revoked_kids: [rootKid(victim)] });
    expect(await codeOfHello(victim, bob, withoutBundle)).toBe('SENDER_REFUSED');
    expect(await codeOfGranted(bob, victim, { signer: byOperationalKey })).toBe('NOT_AUTHORIZED');
  });

  test('leaves the keys that the entry of the peer lists', async () => {
    const bob = await newTrustReceiver();
    const victim = await newIdentity();
    const { kid, key } = signingKeyOf(victim, NOW);
    bob.book.add(entryFor(victim, { signingKeys: [{ kid, key: key.publicKey }] }));
    await applyRegistry(bob, { revoked_kids: [rootKid(victim)] });
    expect(await codeOfHello(victim, bob)).toBeUndefined();
  });

  test('is another than one that may only not sign messages', async () => {
    const bob = await newTrustReceiver();
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    const allowed = { [alice.agentId]: [operationalKid(alice)] };
    await applyRegistry(bob, { allowed_kids_by_agent: allowed });
    expect(await codeOfHello(alice, bob)).toBeUndefined();
  });
});

describe('#grant an issuer', () => {
  const ENDED: [string, Partial<Peer>][] = [
    ['has ended', { notAfter: NOW - DAY_MS }],
    ['has not begun', { notBefore: NOW + DAY_MS }],
    ['is revoked', { revoked: true }],
  ];

  test.each(ENDED)('grants nothing when its entry %s', async (_how, parts) => {
    const bob = await newReceiver();
    const alice = await newIdentity();
    bob.book.add(entryFor(alice, { mayGrant: true }));
    expect(await codeOfGranted(bob, alice)).toBeUndefined();
    bob.book.add(entryFor(alice, { mayGrant: true, ...parts }));
    expect(await codeOfGranted(bob, alice)).toBe('NOT_AUTHORIZED');
  });

  test.each(ENDED)('hands nothing on when its entry %s', async (_how, parts) => {
    const bob = await newReceiver();
    const between = await newIdentity();
    bob.book.add(entryFor(between));
    expect(await codeOfGranted(bob, bob.identity, { between })).toBeUndefined();
    bob.book.add(entryFor(between, parts));
    expect(await codeOfGranted(bob, bob.identity, { between })).toBe('NOT_AUTHORIZED');
  });
});
