// Speed of each crypto provider, as ratios to the bare calls of the library under it: call by call, and what is done
// with a whole message.

import * as node from 'node:crypto';

import type { JsonObject } from '../../src/codec/value.ts';
import { createNativeProvider } from '../../src/crypto/native.ts';
import { createNobleProvider } from '../../src/crypto/noble.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import { createSodiumProvider } from '../../src/crypto/sodium.ts';
import { decryptPayload, encryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { signEnvelope, verifyEnvelope } from '../../src/security/message/sign.ts';
import { signingInput } from '../../src/security/message/signing-input.ts';
import type { Calls, Operation } from './bare-crypto.ts';
import {
  agreeKey,
  bareNoble,
  bareNode,
  bareSodium,
  info,
  installedSodium,
  none,
  nonce,
  ownKey,
  peerKey,
  publicKey,
  secretKey,
} from './bare-crypto.ts';
import { typicalEnvelope } from './envelopes.ts';
import type { Subject } from './measure.ts';
import { measure } from './measure.ts';
import { printTable } from './table.ts';

interface Pair {
  readonly provider: CryptoProvider;
  readonly bare: Calls;
}

/** Many short rounds: what else runs on the machine comes and goes more slowly. */
const EFFORT = { warmUpMs: 200, rounds: 61, roundMs: 4 };

export async function benchCrypto(): Promise<void> {
  const envelope = unsignedEnvelope();
  const message = signingInput(envelope, 'jcs');
  const pairs = pairsFor(message);
  await reportCalls(pairs, message);
  await reportMessages(pairs, envelope, message);
}

function pairsFor(message: Uint8Array): Pair[] {
  const sodium = installedSodium();
  if (sodium === undefined) console.log('\nsodium-native is not installed');
  return [
    ...(sodium ? [{ provider: createSodiumProvider(), bare: bareSodium(sodium, message) }] : []),
    // On this thread: what the thread pool adds is latency, and what it frees no loop can show.
    { provider: createNativeProvider(node, 1), bare: bareNode(message) },
    { provider: createNobleProvider(), bare: bareNoble(message) },
  ];
}

async function reportCalls(pairs: readonly Pair[], message: Uint8Array): Promise<void> {
  const names = ['sign', 'verify', 'agree', 'seal', 'hkdf'] as const;
  const rows = names.flatMap((operation) =>
    pairs.map(({ provider, bare }) => ({
      name: `${operation}, ${provider.name}`,
      ours: callsOf(provider, message)[operation],
      bare: bare[operation],
    })),
  );
  const results = await measure(
    rows.flatMap(({ name, ours, bare }) => [
      { name, run: ours },
      { name: `${name}, bare`, run: bare },
    ]),
    EFFORT,
  );
  printTable(
    `crypto providers on ${message.length} bytes`,
    ['', 'ratio to the bare call', 'µs', 'bare µs'],
    rows.map(({ name }, index) => {
      const ours = results[2 * index]!.micros;
      const bare = results[2 * index + 1]!.micros;
      return [name, (ours / bare).toFixed(2), ours.toFixed(1), bare.toFixed(1)];
    }),
  );
}

function callsOf(
  provider: CryptoProvider,
  message: Uint8Array,
): Readonly<Record<'sign' | 'verify' | 'agree' | 'seal' | 'hkdf', () => unknown>> {
  const signature = provider.sign(message, secretKey) as Uint8Array;
  return {
    sign: () => provider.sign(message, secretKey),
    verify: () => provider.verify(signature, message, publicKey),
    agree: () => provider.agree(agreeKey, peerKey),
    seal: () => provider.seal(agreeKey, nonce, message),
    hkdf: () => provider.hkdfSha256(agreeKey, none, info, 32),
  };
}

interface MessageRow extends Subject {
  readonly bare: () => unknown;
  /** It writes the bytes that are signed; what is sealed and opened comes as bytes. */
  readonly isCanonical: boolean;
}

async function reportMessages(
  pairs: readonly Pair[],
  envelope: JsonObject,
  message: Uint8Array,
): Promise<void> {
  const rows: MessageRow[] = [];
  for (const pair of pairs) rows.push(...(await messageRows(pair, envelope, message)));
  const [form, ...results] = await measure(
    [
      { name: 'canonical form', run: () => signingInput(envelope, 'jcs') },
      ...rows.flatMap(({ name, run, bare }) => [
        { name, run },
        { name: `${name}, bare`, run: bare },
      ]),
    ],
    EFFORT,
  );
  printTable(
    `whole messages: an envelope of ${message.length} bytes signed and verified, as many bytes sealed and opened`,
    ['', 'ratio to the sum', 'µs', 'bare calls µs', 'canonical form µs'],
    rows.map(({ name, isCanonical }, index) => {
      const ours = results[2 * index]!.micros;
      const bare = results[2 * index + 1]!.micros;
      const canonical = isCanonical ? form!.micros : 0;
      const ratio = ours / (bare + canonical);
      return [name, ratio.toFixed(2), ours.toFixed(1), bare.toFixed(1), canonical.toFixed(1)];
    }),
  );
}

async function messageRows(
  { provider, bare }: Pair,
  envelope: JsonObject,
  message: Uint8Array,
): Promise<MessageRow[]> {
  const signed = (await signEnvelope(envelope, 'jcs', secretKey, provider)).envelope;
  const recipients = [{ kid: 'k', publicKey: ownKey }];
  const { enc } = encryptPayload(message, recipients, provider);
  const all = (...operations: readonly Operation[]) => {
    const calls = operations.map((operation) => bare[operation]);
    return (): void => {
      for (const call of calls) call();
    };
  };
  const nameOf = (what: string): string => `${what}, ${provider.name}`;
  return [
    {
      name: nameOf('sign'),
      run: () => signEnvelope(envelope, 'jcs', secretKey, provider),
      bare: bare.sign,
      isCanonical: true,
    },
    {
      name: nameOf('verify'),
      run: () => verifyEnvelope(signed, { publicKey, crypto: provider }),
      bare: bare.verify,
      isCanonical: true,
    },
    {
      name: nameOf('seal'),
      run: () => encryptPayload(message, recipients, provider),
      bare: all('keyPair', 'agree', 'hkdf', 'wrap', 'seal'),
      isCanonical: false,
    },
    {
      name: nameOf('open'),
      run: () => decryptPayload(enc, () => agreeKey, provider),
      bare: all('takeKey', 'agree', 'hkdf', 'unwrap', 'open'),
      isCanonical: false,
    },
  ];
}

/** As it is just before it is signed. */
function unsignedEnvelope(): JsonObject {
  return {
    ...typicalEnvelope(),
    sec: {
      mode: 'sig',
      kid: 'k'.repeat(43),
      sig: { alg: 'ed25519', value: '', canon: 'jcs' },
      replay: { nonce: 'n'.repeat(22), exp: '2026-01-01T00:05:00Z' },
    },
  };
}
