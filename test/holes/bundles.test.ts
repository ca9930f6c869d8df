// Holes that were found in what key bundles cost: each test is what went wrong, by its number.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { decodeUtf8 } from '../../src/codec/utf8.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import { BundleVerdicts } from '../../src/security/identity/bundle-verdicts.ts';
import type { KeyBundle } from '../../src/security/identity/key-bundle-shape.ts';
import { signKeyBundle } from '../../src/security/identity/key-bundle.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { resolveSender } from '../../src/security/peers/resolve-sender.ts';
import { range } from '../compliance/store/setup.ts';
import { NOW, crypto, newIdentity } from '../support/agents/agents.ts';
import { directoryOf } from '../support/trust/peers.ts';
import type { Receiver } from '../support/wire/forge.ts';
import { changed, forge, judge, newReceiver, put } from '../support/wire/forge.ts';

const DAY_MS = 86_400_000;

/** A receiver that is open, and counts the signatures of bundles that it looks at. */
async function counting(): Promise<{
  readonly receiver: Receiver;
  readonly bundles: () => number;
}> {
  let bundles = 0;
  const counted: CryptoProvider = {
    ...crypto,
    verify: (signature, input, publicKey) => {
      if (decodeUtf8(input.slice(0, 15)) === 'a2a-sdl/bundle/') bundles += 1;
      return crypto.verify(signature, input, publicKey);
    },
  };
  const receiver = await newReceiver({ policy: { open: true }, crypto: counted });
  // At its start it looks at its own.
  await receiver.runtime.audit();
  bundles = 0;
  return { receiver, bundles: () => bundles };
}

/** A stranger with as many keys as a bundle holds. */
async function crowded(seq = 1): Promise<LocalIdentity> {
  const identity = await newIdentity();
  const notAfterMs = NOW + DAY_MS;
  const { kid, key } = identity.keys.find(({ use }) => use === 'sig')!;
  const others = range(15).map(() => crypto.ed25519PublicKey(crypto.randomBytes(32)));
  const keys = [
    { use: 'sig' as const, publicKey: key.publicKey, notAfterMs, kid },
    ...others.map((publicKey) => ({ use: 'sig' as const, publicKey, notAfterMs })),
  ];
  const content = { seq, notBeforeMs: NOW - 1_000, notAfterMs, keys };
  return { ...identity, bundle: await signKeyBundle(content, identity.root.reveal(), crypto) };
}

/** What became of ten new messages that carry the bundle as it stands after the change. */
async function verdicts(
  receiver: Receiver,
  sender: LocalIdentity,
  ...edits: JsonObject[]
): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = [];
  for (const _ of range(10)) {
    const { envelope } = await forge(sender, receiver);
    codes.push((await judge(receiver, changed(envelope, ...edits))).code);
  }
  return codes;
}

describe('L1 a bundle in every message #bundle-cost', () => {
  test('L1 is verified once, though no message with it was ever proven', async () => {
    const { receiver, bundles } = await counting();
    const wrong = put('/sec/sig/value', 'A'.repeat(86));
    const codes = await verdicts(receiver, await crowded(), wrong);
    expect(codes).toEqual(range(10).map(() => 'SIGNATURE_INVALID'));
    expect(bundles()).toBe(1);
    await verdicts(receiver, await crowded(), wrong);
    expect(bundles()).toBe(2);
  });

  test('L1 that does not hold is refused each time, and verified once', async () => {
    const { receiver, bundles } = await counting();
    const sender = await crowded();
    const forged = put('/cap/a2a_sdl/bundle/seq', 9);
    expect(await verdicts(receiver, sender, forged)).toEqual(range(10).map(() => 'SENDER_REFUSED'));
    expect(bundles()).toBe(1);
    // What was found of it says nothing of the honest one.
    expect((await judge(receiver, await forge(sender, receiver))).code).toBeUndefined();
    expect(bundles()).toBe(2);
  });

  test('L1 that was remembered still ends', async () => {
    const receiver = await newReceiver({ policy: { open: true } });
    const sender = await crowded();
    const wrong = put('/sec/sig/value', 'A'.repeat(86));
    expect((await verdicts(receiver, sender, wrong))[9]).toBe('SIGNATURE_INVALID');
    receiver.clock.nowMs = NOW + 2 * DAY_MS;
    expect((await verdicts(receiver, sender))[0]).toBe('SENDER_REFUSED');
  });

  test('L1 that is new tells its keys to who counts costs, one that is known tells none', async () => {
    const told: number[] = [];
    const verdictsOf = new BundleVerdicts(crypto);
    const receiver = await newReceiver();
    const resolve = async (sender: LocalIdentity): Promise<KeyBundle | undefined> => {
      const { envelope } = await forge(sender, receiver);
      const resolved = await resolveSender(envelope, {
        peers: directoryOf(),
        nowMs: NOW,
        open: true,
        allows: () => false,
        crypto,
        verdicts: verdictsOf,
        onNewBundle: (keys) => told.push(keys),
      });
      return resolved.newBundle;
    };
    const [one, other] = [await crowded(), await newIdentity()];
    expect((await resolve(one))?.keys).toHaveLength(16);
    expect((await resolve(one))?.keys).toHaveLength(16);
    await resolve(other);
    expect(told).toEqual([16, 2]);
  });
});
