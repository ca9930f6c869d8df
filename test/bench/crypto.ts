// Speed of each crypto provider, as ratios to the bare call of the library under it with its keys already imported.

import * as node from 'node:crypto';
import { createRequire } from 'node:module';

import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { x25519 } from '@noble/curves/ed25519.js';
import * as ed25519 from '@noble/ed25519';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';

import { createNativeProvider } from '../../src/crypto/native.ts';
import { createNobleProvider } from '../../src/crypto/noble.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import type { Sodium } from '../../src/crypto/sodium.ts';
import { createSodiumProvider } from '../../src/crypto/sodium.ts';
import { measure } from './measure.ts';
import { printTable } from './table.ts';

type Operation = 'sign' | 'verify' | 'agree' | 'seal' | 'hkdf';
type Calls = Readonly<Record<Operation, () => unknown>>;

const noble = createNobleProvider();
const secretKey = noble.randomBytes(32);
const publicKey = noble.ed25519PublicKey(secretKey);
const agreeKey = noble.randomBytes(32);
const peerKey = noble.x25519PublicKey(noble.randomBytes(32));
const nonce = noble.randomBytes(12);
const message = noble.randomBytes(3_000);
const none = new Uint8Array(0);
const info = new TextEncoder().encode('a2a-sdl-key-wrap-v1');

export function benchCrypto(): void {
  // On this thread: what the thread pool adds is latency, and what it frees no loop can show.
  const native = createNativeProvider(node, 1);
  const signature = native.sign(message, secretKey) as Uint8Array;
  const pairs: [name: string, ours: Calls, bare: Calls][] = [
    ['native', callsOf(native, signature), bareNode(signature)],
    ['noble', callsOf(noble, signature), bareNoble(signature)],
  ];
  const sodium = installedSodium();
  if (sodium === undefined) console.log('\nsodium-native is not installed');
  else {
    pairs.unshift([
      'sodium',
      callsOf(createSodiumProvider(), signature),
      bareSodium(sodium, signature),
    ]);
  }
  const names = Object.keys(pairs[0]![1]) as Operation[];
  const rows = names.flatMap((operation) =>
    pairs.map(([name, ours, bare]) => ({ name: `${operation}, ${name}`, ours, bare, operation })),
  );
  const results = measure(
    rows.flatMap(({ name, ours, bare, operation }) => [
      { name, run: ours[operation] },
      { name: `${name}, bare`, run: bare[operation] },
    ]),
    { warmUpMs: 200, rounds: 15, roundMs: 10 },
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

function callsOf(provider: CryptoProvider, signature: Uint8Array): Calls {
  return {
    sign: () => provider.sign(message, secretKey),
    verify: () => provider.verify(signature, message, publicKey),
    agree: () => provider.agree(agreeKey, peerKey),
    seal: () => provider.seal(agreeKey, nonce, message),
    hkdf: () => provider.hkdfSha256(agreeKey, none, info, 32),
  };
}

function bareNode(signature: Uint8Array): Calls {
  const okp = (crv: string, x: Uint8Array, d?: Uint8Array): node.JsonWebKey => ({
    kty: 'OKP',
    crv,
    x: Buffer.from(x).toString('base64url'),
    ...(d === undefined ? {} : { d: Buffer.from(d).toString('base64url') }),
  });
  const secretOf = (key: node.JsonWebKey): node.KeyObject =>
    node.createPrivateKey({ key, format: 'jwk' });
  const publicOf = (key: node.JsonWebKey): node.KeyObject =>
    node.createPublicKey({ key, format: 'jwk' });
  const signer = secretOf(okp('Ed25519', publicKey, secretKey));
  const verifier = publicOf(okp('Ed25519', publicKey));
  const keys = {
    privateKey: secretOf(okp('X25519', noble.x25519PublicKey(agreeKey), agreeKey)),
    publicKey: publicOf(okp('X25519', peerKey)),
  };
  return {
    sign: () => node.sign(null, message, signer),
    verify: () => node.verify(null, message, verifier, signature),
    agree: () => node.diffieHellman(keys),
    seal() {
      const options = { authTagLength: 16 };
      const cipher = node.createCipheriv('chacha20-poly1305', agreeKey, nonce, options);
      return [cipher.update(message), cipher.final(), cipher.getAuthTag()];
    },
    hkdf: bareHkdf,
  };
}

function bareNoble(signature: Uint8Array): Calls {
  return {
    sign: () => ed25519.sign(message, secretKey),
    verify: () => ed25519.verify(signature, message, publicKey),
    agree: () => x25519.getSharedSecret(agreeKey, peerKey),
    seal: () => chacha20poly1305(agreeKey, nonce).encrypt(message),
    hkdf: () => hkdf(sha256, agreeKey, none, info, 32),
  };
}

function bareSodium(sodium: Sodium, signature: Uint8Array): Calls {
  const longKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(new Uint8Array(32), longKey, secretKey);
  const out = { sign: new Uint8Array(64), agree: new Uint8Array(32), seal: new Uint8Array(3_016) };
  return {
    sign: () => sodium.crypto_sign_detached(out.sign, message, longKey),
    verify: () => sodium.crypto_sign_verify_detached(signature, message, publicKey),
    agree: () => sodium.crypto_scalarmult(out.agree, agreeKey, peerKey),
    seal: () =>
      sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
        out.seal,
        message,
        null,
        null,
        nonce,
        agreeKey,
      ),
    hkdf: bareHkdf,
  };
}

/** Node's, for sodium too: the package has no HKDF. */
function bareHkdf(): unknown {
  return node.hkdfSync('sha256', agreeKey, none, info, 32);
}

function installedSodium(): Sodium | undefined {
  try {
    return createRequire(import.meta.url)('sodium-native') as Sodium;
  } catch {
    return undefined;
  }
}
