// Owns agent ids that are Ed25519 keys: `did:key:z6Mk…`. SPEC.md section 6 (#sec-kid-bound).

import { LRUCache } from 'lru-cache';

import { decodeBase58, encodeBase58 } from '../../codec/base58.ts';
import { isEd25519PublicKey } from '../../crypto/strict-ed25519.ts';

/** The multicodec of an Ed25519 public key, as an unsigned varint. */
const ED25519_CODEC = [0xed, 0x01] as const;
const KEY_BYTES = 32;

/** `z` says base58btc; an Ed25519 key always gives 47 digits behind it, of which the first are `6Mk`. */
const FORM = /^did:key:z(.{47})$/;

/** Finding the point of a key takes longer than verifying a signature, and every message names two ids. */
const known = new LRUCache<string, Uint8Array>({ max: 1_024 });

export function didKeyFromPublicKey(publicKey: Uint8Array): string {
  if (publicKey.length !== KEY_BYTES) {
    throw new RangeError(`"publicKey" expected ${KEY_BYTES} bytes`);
  }
  return `did:key:z${encodeBase58(Uint8Array.of(...ED25519_CODEC, ...publicKey))}`;
}

/** The root key that an agent id stands for; `undefined` for a label, another kind of key or a weak one (W35). */
export function publicKeyFromDidKey(did: string): Uint8Array | undefined {
  let publicKey = known.get(did);
  if (publicKey === undefined) {
    publicKey = readDidKey(did);
    if (publicKey === undefined) return undefined;
    known.set(did, publicKey);
  }
  return new Uint8Array(publicKey);
}

function readDidKey(did: string): Uint8Array | undefined {
  const digits = FORM.exec(did)?.[1];
  const bytes = digits === undefined ? undefined : decodeBase58(digits);
  if (bytes?.length !== ED25519_CODEC.length + KEY_BYTES) return undefined;
  if (bytes[0] !== ED25519_CODEC[0] || bytes[1] !== ED25519_CODEC[1]) return undefined;
  const publicKey = bytes.slice(ED25519_CODEC.length);
  return isEd25519PublicKey(publicKey) ? publicKey : undefined;
}
