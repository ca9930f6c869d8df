// Which key may speak for whom: the peer book first, then what a did:key proves of itself, else nobody.

import { beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { SdlError } from '../../src/errors.ts';
import { didKeyFromPublicKey } from '../../src/security/identity/did-key.ts';
import type { KeyBundle } from '../../src/security/identity/key-bundle-shape.ts';
import { signKeyBundle } from '../../src/security/identity/key-bundle.ts';
import type { PeerKey } from '../../src/security/peers/peer.ts';
import { createPolicy } from '../../src/security/policy/policy.ts';
import type {
  ResolveSenderOptions,
  ResolvedSender,
} from '../../src/security/peers/resolve-sender.ts';
import { resolveSender } from '../../src/security/peers/resolve-sender.ts';
import type { SecurityProfile } from '../../src/security/policy/switches.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import type { MessageParts } from '../support/trust/peers.ts';
import { directoryOf, makePeer, messageFrom } from '../support/trust/peers.ts';

const crypto = chooseProvider('noble');
const NOW = Date.UTC(2026, 0, 10);
const DAY_MS = 86_400_000;
const LABEL = 'did:key:alice';
const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill); // TEST ONLY
const key = (fill: number): Uint8Array => crypto.ed25519PublicKey(seed(fill));

const ROOT = key(1);
const AGENT = didKeyFromPublicKey(ROOT);
const ROOT_KID = thumbprint('ed25519', ROOT);
const aliceKey: PeerKey = { kid: 'alice-1', key: key(21) };
const labelled = makePeer(LABEL, { signingKeys: [aliceKey], switches: ['label-id'] });

type BundleParts = Partial<Parameters<typeof signKeyBundle>[0]>;
const ENC_KEY = crypto.x25519PublicKey(seed(9));
function makeBundle(seq: number, sig = key(2), parts: BundleParts = {}): Promise<KeyBundle> {
  const notAfterMs = NOW + DAY_MS;
  const keys = [
    { use: 'sig' as const, publicKey: sig, notAfterMs, kid: 'op' },
    { use: 'enc' as const, publicKey: ENC_KEY, notAfterMs, kid: 'op-enc' },
  ];
  const content = { seq, notBeforeMs: NOW - DAY_MS, notAfterMs: NOW + 9 * DAY_MS, keys, ...parts };
  return signKeyBundle(content, seed(1), crypto);
}

type Options = Partial<ResolveSenderOptions> & { readonly profile?: SecurityProfile };
function resolve(
  parts: MessageParts,
  { profile = 'hardened', ...options }: Options = {},
): Promise<ResolvedSender> {
  const { allows } = createPolicy({ agentIds: ['me'], profile });
  const peers = directoryOf(labelled);
  const defaults = { peers, nowMs: NOW, open: false, allows, crypto };
  return resolveSender(messageFrom(parts), { ...defaults, ...options });
}

async function refusal(parts: MessageParts, options?: Options): Promise<SdlError> {
  try {
    await resolve(parts, options);
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown;
    throw thrown;
  }
  throw new Error('the sender was accepted');
}

async function expectRefused(
  parts: MessageParts,
  reason: string,
  options?: Options,
): Promise<void> {
  const error = await refusal(parts, options);
  expect([error.code, error.reason]).toEqual(['SENDER_REFUSED', reason]);
  expect(error.details).toEqual({});
}

const UNBOUND = 'no key of this id is bound to the sender';
const UNKNOWN = 'the sender is not known here';

describe('#sec-kid-bound an agent with an entry', () => {
  test('speaks with the key that is bound to it', async () => {
    const { peer, key: found, isStranger } = await resolve({ from: LABEL, kid: 'alice-1' });
    expect(peer).toBe(labelled);
    expect(found).toBe(aliceKey);
    expect(isStranger).toBe(false);
  });

  test('W3 does not speak with a key that is bound to another agent', async () => {
    const mallory = makePeer('mallory', {
      signingKeys: [{ kid: 'mallory-1', key: key(22) }],
      switches: ['label-id'],
    });
    const peers = directoryOf(labelled, mallory);
    expect((await resolve({ from: 'mallory', kid: 'mallory-1' }, { peers })).peer).toBe(mallory);
    await expectRefused({ from: LABEL, kid: 'mallory-1' }, UNBOUND, { peers });
  });

  test('W17 has its own key under a kid that another agent uses too', async () => {
    const carol = makePeer('carol', {
      signingKeys: [{ kid: 'alice-1', key: key(23) }],
      switches: ['label-id'],
    });
    const peers = directoryOf(labelled, carol);
    expect((await resolve({ from: LABEL, kid: 'alice-1' }, { peers })).key?.key).toEqual(key(21));
    expect((await resolve({ from: 'carol', kid: 'alice-1' }, { peers })).key?.key).toEqual(key(23));
  });

  test('is refused when it is revoked, also where strangers are welcome', async () => {
    for (const agentId of [LABEL, AGENT]) {
      const peers = directoryOf({ ...labelled, agentId, revoked: true });
      const parts = { from: agentId, kid: agentId === LABEL ? 'alice-1' : ROOT_KID };
      await expectRefused(parts, 'the sender is revoked', { peers, open: true });
    }
  });

  test.each<[string, { notBefore?: number; notAfter?: number }, boolean]>([
    ['not begun', { notBefore: NOW + 1 }, false],
    ['just begun', { notBefore: NOW }, true],
    ['just not ended', { notAfter: NOW }, true],
    ['ended', { notAfter: NOW - 1 }, false],
    ['of no time at all', { notAfter: Number.NaN }, false],
    ['from no time at all', { notBefore: Number.NaN }, false],
  ])('is refused when its entry or its key is not valid now: %s', async (_name, times, isIn) => {
    const parts = { from: LABEL, kid: 'alice-1' };
    const entry = directoryOf({ ...labelled, ...times });
    const keyed = directoryOf({ ...labelled, signingKeys: [{ ...aliceKey, ...times }] });
    if (isIn) {
      expect((await resolve(parts, { peers: entry })).key).toBe(aliceKey);
      expect((await resolve(parts, { peers: keyed })).key?.kid).toBe('alice-1');
    } else {
      await expectRefused(parts, 'the entry of the sender is not valid now', { peers: entry });
      await expectRefused(parts, 'the key of the sender is not valid now', { peers: keyed });
    }
  });

  test('W3 needs the switch for a label as its id', async () => {
    const peers = directoryOf({ ...labelled, switches: new Set() });
    const parts = { from: LABEL, kid: 'alice-1' };
    const reason = 'the sender has a label for an id, and its entry does not allow that';
    await expectRefused(parts, reason, { peers });
    expect((await resolve(parts, { peers, profile: 'compat' })).key).toBe(aliceKey);
  });

  test('W3 a label without an entry is nobody, also where strangers are welcome', async () => {
    await expectRefused({ from: 'did:key:bob', kid: 'alice-1' }, UNKNOWN, {
      open: true,
      profile: 'compat',
    });
  });

  test('a label cannot bring keys of its own along', async () => {
    const { document } = await makeBundle(1);
    await expectRefused({ from: LABEL, kid: 'op', bundle: document }, UNBOUND);
  });
});

describe('#sec-kid-bound a did:key agent', () => {
  let bundle: KeyBundle;
  let sent: JsonObject;
  beforeAll(async () => {
    bundle = await makeBundle(4);
    sent = bundle.document;
  });
  const open = { open: true };

  test('is refused as a stranger, unless strangers are welcome', async () => {
    await expectRefused({ from: AGENT, kid: ROOT_KID }, UNKNOWN);
    const stranger = await resolve({ from: AGENT, kid: ROOT_KID }, open);
    expect(stranger.isStranger).toBe(true);
    expect(stranger.key?.key).toEqual(ROOT);
    expect(stranger.peer).toMatchObject({ agentId: AGENT, revoked: false, mayGrant: false });
    expect(stranger.peer.switches.size).toBe(0);
  });

  test('speaks with its root key only under its thumbprint', async () => {
    await expectRefused({ from: AGENT, kid: 'root' }, UNBOUND, open);
  });

  test('speaks with the keys that its root key listed', async () => {
    const found = await resolve({ from: AGENT, kid: 'op', bundle: sent }, open);
    expect(found.key?.key).toEqual(key(2));
    expect(found.newBundle).toEqual(bundle);
    expect(found.peer.encryptionKeys.map(({ key: bytes }) => bytes)).toEqual([ENC_KEY]);
    await expectRefused({ from: AGENT, kid: 'op' }, UNBOUND, open);
    await expectRefused({ from: AGENT, kid: 'op-enc', bundle: sent }, UNBOUND, open);
  });

  test('no listed key can take the place of the root', async () => {
    const keys = [{ use: 'sig' as const, publicKey: key(3), notAfterMs: NOW, kid: ROOT_KID }];
    const { document } = await makeBundle(5, key(2), { keys });
    const found = await resolve({ from: AGENT, kid: ROOT_KID, bundle: document }, open);
    expect(found.key?.key).toEqual(ROOT);
  });

  test('a listed key ends by its own end', async () => {
    const later = { ...open, nowMs: NOW + DAY_MS + 1 };
    await expectRefused({ from: AGENT, kid: 'op', bundle: sent }, UNBOUND, later);
    const before = { ...open, nowMs: NOW + DAY_MS };
    expect((await resolve({ from: AGENT, kid: 'op', bundle: sent }, before)).key?.kid).toBe('op');
  });

  test('with an entry, speaks with the keys of both; the bundle brings the newest key to encrypt to', async () => {
    const oldEnc = { kid: 'old-enc', key: crypto.x25519PublicKey(seed(8)) };
    const entry = makePeer(AGENT, { signingKeys: [aliceKey], encryptionKeys: [oldEnc] });
    const peers = directoryOf(entry);
    const found = await resolve({ from: AGENT, kid: 'op', bundle: sent }, { peers });
    expect(found.isStranger).toBe(false);
    expect(found.peer.encryptionKeys.map(({ kid }) => kid)).toEqual(['op-enc', 'old-enc']);
    expect((await resolve({ from: AGENT, kid: 'alice-1' }, { peers })).key).toBe(aliceKey);
    expect((await resolve({ from: AGENT, kid: ROOT_KID }, { peers })).key?.key).toEqual(ROOT);
  });

  test('W12 W17 cannot bind a kid of its entry to another key', async () => {
    const pinned = { kid: 'op', key: key(31) };
    const pinnedEnc = { kid: 'op-enc', key: crypto.x25519PublicKey(seed(32)) };
    const peers = directoryOf(
      makePeer(AGENT, { signingKeys: [pinned], encryptionKeys: [pinnedEnc] }),
    );
    const { peer, key: found } = await resolve({ from: AGENT, kid: 'op', bundle: sent }, { peers });
    expect(found).toBe(pinned);
    expect(peer.encryptionKeys).toEqual([pinnedEnc]);
  });

  test('cannot bring back a key that its entry has ended, under whatever kid', async () => {
    for (const kid of ['op', 'other']) {
      const ended = { kid, key: key(2), notAfter: NOW - 1 };
      const peers = directoryOf(makePeer(AGENT, { signingKeys: [ended] }));
      const error = await refusal({ from: AGENT, kid: 'op', bundle: sent }, { peers });
      expect(error.code).toBe('SENDER_REFUSED');
    }
    const valid = directoryOf(makePeer(AGENT, { signingKeys: [{ kid: 'other', key: key(2) }] }));
    const found = await resolve({ from: AGENT, kid: 'op', bundle: sent }, { peers: valid });
    expect(found.key?.key).toEqual(key(2));
  });

  test.each<[string, (bundle: JsonObject) => JsonObject]>([
    ['changed after it was signed', (document) => ({ ...document, seq: 9 })],
    ['of the wrong shape', (document) => ({ ...document, extra: true })],
    ['with a signature that is none', (document) => ({ ...document, sig: 'AA' })],
    ['without a number', (document) => ({ ...document, seq: '9' })],
  ])('is refused with a bundle %s, and the wire learns no reason', async (_name, change) => {
    const parts = { from: AGENT, kid: ROOT_KID, bundle: change(sent) };
    await expectRefused(parts, 'the key bundle in the message does not hold', open);
    const knownBundle = (): Promise<KeyBundle> => makeBundle(3);
    await expectRefused(parts, 'the key bundle in the message does not hold', {
      ...open,
      knownBundle,
    });
  });

  test('W3 is refused with the bundle of another agent', async () => {
    const other = didKeyFromPublicKey(key(5));
    const parts = { from: other, kid: 'op', bundle: sent };
    const error = await refusal(parts, open);
    expect(error.code).toBe('SENDER_REFUSED');
    expect((error.cause as SdlError).reason).toBe('the key bundle is of another agent');
  });

  test('is refused with a bundle that is not valid now, within the skew', async () => {
    const early = { ...open, nowMs: NOW - DAY_MS - 1_000 };
    const parts = { from: AGENT, kid: ROOT_KID, bundle: sent };
    expect((await resolve(parts, early)).newBundle?.seq).toBe(4);
    expect((await refusal(parts, { ...early, skewMs: 999 })).code).toBe('SENDER_REFUSED');
  });
});

describe('#key-bundle a bundle that is known already', () => {
  const knowing = (known: KeyBundle): Options => ({
    open: true,
    knownBundle: (agentId) => Promise.resolve(agentId === AGENT ? known : undefined),
  });

  test('counts when the message brings none', async () => {
    const known = await makeBundle(4);
    const found = await resolve({ from: AGENT, kid: 'op' }, knowing(known));
    expect(found.key?.key).toEqual(key(2));
    expect(found.peer.encryptionKeys).toHaveLength(1);
    expect(found.newBundle).toBeUndefined();
  });

  test.each([3, 4])('is not replaced by one with seq %i, whose keys do not count', async (seq) => {
    const known = await makeBundle(4);
    const { document } = await makeBundle(seq, key(7), {
      keys: [{ use: 'sig', publicKey: key(7), notAfterMs: NOW + DAY_MS, kid: 'older' }],
    });
    await expectRefused({ from: AGENT, kid: 'older', bundle: document }, UNBOUND, knowing(known));
    // A message under way, signed with a key that still counts, is not lost for the old bundle that it carries.
    const found = await resolve({ from: AGENT, kid: 'op', bundle: document }, knowing(known));
    expect(found.key?.key).toEqual(key(2));
    expect(found.newBundle).toBeUndefined();
  });

  test('is replaced by a newer one, and its keys end', async () => {
    const known = await makeBundle(4);
    const newer = await makeBundle(5, key(7), {
      keys: [{ use: 'sig', publicKey: key(7), notAfterMs: NOW + DAY_MS, kid: 'new' }],
    });
    const parts = { from: AGENT, bundle: newer.document };
    const found = await resolve({ ...parts, kid: 'new' }, knowing(known));
    expect(found.newBundle).toEqual(newer);
    await expectRefused({ ...parts, kid: 'op' }, UNBOUND, knowing(known));
  });

  test('is not asked for, and no signature is verified, for a stranger that is not welcome', async () => {
    const { document } = await makeBundle(4);
    const touched: string[] = [];
    await expectRefused({ from: AGENT, kid: 'op', bundle: document }, UNKNOWN, {
      knownBundle: (agentId) => {
        touched.push(agentId);
        return Promise.resolve(undefined);
      },
      crypto: {
        ...crypto,
        verify: () => {
          touched.push('verify');
          return Promise.resolve(false);
        },
      },
    });
    expect(touched).toEqual([]);
  });
});

describe('#checks (policy) an unsigned message', () => {
  const unsigned = (['none', 'enc'] as const).flatMap((mode) =>
    ([false, true] as const).map((isReply) => ({ mode, isReply })),
  );

  test.each(unsigned)('in mode $mode needs its switch (reply: $isReply)', async (row) => {
    const { mode, isReply } = row;
    const parts = { from: LABEL, mode };
    expect((await refusal(parts, { isReply })).code).toBe('MODE_REFUSED');
    const [needed, other] = isReply
      ? (['unsigned-replies', 'unsigned-requests'] as const)
      : (['unsigned-requests', 'unsigned-replies'] as const);
    const wrong = directoryOf({ ...labelled, switches: new Set(['label-id', other]) });
    expect((await refusal(parts, { isReply, peers: wrong })).code).toBe('MODE_REFUSED');
    const entry = { ...labelled, switches: new Set(['label-id', needed] as const) };
    const found = await resolve(parts, { isReply, peers: directoryOf(entry) });
    expect(found).toEqual({
      peer: entry,
      key: undefined,
      isStranger: false,
      newBundle: undefined,
    });
  });

  test('of nobody known is refused, also where strangers are welcome and may be unsigned', async () => {
    for (const from of [AGENT, 'did:key:bob']) {
      const reason = 'an unsigned message of nobody that is known here';
      await expectRefused({ from, mode: 'none' }, reason, { open: true, profile: 'compat' });
    }
  });

  test('of a label without its switch, or of a revoked peer, is refused', async () => {
    const entry = makePeer(LABEL, { switches: ['unsigned-requests'] });
    const noLabel = directoryOf(entry);
    expect((await refusal({ from: LABEL, mode: 'none' }, { peers: noLabel })).code).toBe(
      'SENDER_REFUSED',
    );
    const revoked = directoryOf({ ...entry, revoked: true });
    const options = { peers: revoked, profile: 'compat' as const };
    await expectRefused({ from: LABEL, mode: 'none' }, 'the sender is revoked', options);
  });

  test('W3 of a did:key agent needs the switch in its own entry: the profile does not open it', async () => {
    const parts = { from: AGENT, mode: 'none' as const };
    const closed = { peers: directoryOf(makePeer(AGENT)), profile: 'compat' as const };
    expect((await refusal(parts, closed)).code).toBe('MODE_REFUSED');
    const opened = makePeer(AGENT, { switches: ['unsigned-requests'] });
    expect((await resolve(parts, { peers: directoryOf(opened) })).peer).toBe(opened);
  });
});
