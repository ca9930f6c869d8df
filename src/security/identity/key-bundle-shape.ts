// Owns what a key bundle looks like: which members, which keys, no key in two roles. SPEC.md section 10 (#key-bundle).

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts';
import type { JsonValue } from '../../codec/value.ts';
import { malformed, requireText } from '../../envelope/fields.ts';
import { SdlError } from '../../errors.ts';
import { publicKeyFromDidKey } from './did-key.ts';
import { requireCount, requireMembers, requireMoment } from './document-fields.ts';
import type { SignedDocument } from './document-signature.ts';
import type { KeyAlgorithm } from './public-key.ts';
import { isPublicKey } from './public-key.ts';

export type KeyUse = 'sig' | 'enc';

export interface BundleKey {
  readonly kid: string;
  readonly use: KeyUse;
  readonly alg: KeyAlgorithm;
  readonly publicKey: Uint8Array;
  readonly notAfterMs: number;
}

/** A bundle, read. The keys stand in the order of preference, the newest first. */
export interface KeyBundle {
  readonly agentId: string;
  readonly rootKey: Uint8Array;
  readonly seq: number;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly keys: readonly BundleKey[];
  /** As it was signed, to hand on. */
  readonly document: SignedDocument;
}

export const MAX_BUNDLE_KEYS = 16;
export const KEY_ALGORITHMS: Readonly<Record<KeyUse, KeyAlgorithm>> = {
  sig: 'ed25519',
  enc: 'x25519',
};

// Closed lists: peers keep and pass on whole bundles, and a member like "revoked" that an old reader skipped would
// turn its meaning round. Another shape needs another purpose line under the signature.
const BUNDLE_MEMBERS = ['agent_id', 'seq', 'not_before', 'not_after', 'keys', 'sig'];
const KEY_MEMBERS = ['kid', 'use', 'alg', 'key', 'not_after'];

/** Reads a bundle at `path` of a message. Its signature, its time and {@link assertStrongKeys} are still to come. */
export function readKeyBundle(value: JsonValue, path: string): KeyBundle {
  const document = requireMembers(value, BUNDLE_MEMBERS, path);
  const agentId = requireText(document['agent_id'], 512, `${path}/agent_id`);
  const rootKey = publicKeyFromDidKey(agentId);
  if (rootKey === undefined) {
    throw malformed(`${path}/agent_id`, 'must be the did:key of an Ed25519 key');
  }
  const seq = requireCount(document['seq'], `${path}/seq`);
  const notBeforeMs = requireMoment(document['not_before'], `${path}/not_before`);
  const notAfterMs = requireMoment(document['not_after'], `${path}/not_after`);
  if (notAfterMs <= notBeforeMs) throw malformed(`${path}/not_after`, 'must be after not_before');
  requireText(document['sig'], 128, `${path}/sig`);
  const keys = readKeys(document['keys'], `${path}/keys`, rootKey);
  return {
    agentId,
    rootKey,
    seq,
    notBeforeMs,
    notAfterMs,
    keys,
    document: document as SignedDocument,
  };
}

/**
 * Throws for a key that is weak or none at all (W35). To be called once the signature holds: finding the points
 * of 16 keys costs many times what the signature does.
 */
export function assertStrongKeys(bundle: KeyBundle, path: string): void {
  for (const [index, { alg, publicKey }] of bundle.keys.entries()) {
    if (!isPublicKey(alg, publicKey)) throw notAPublicKey(alg, `${path}/keys/${index}/key`);
  }
}

function readKeys(value: JsonValue | undefined, path: string, rootKey: Uint8Array): BundleKey[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw malformed(path, `must be an array of 1 to ${MAX_BUNDLE_KEYS} keys`);
  }
  if (value.length > MAX_BUNDLE_KEYS) {
    throw new SdlError('LIMIT_ARRAY', `${path} has more than ${MAX_BUNDLE_KEYS} keys`, {
      details: { path, limit: MAX_BUNDLE_KEYS },
    });
  }
  const kids = new Set<string>();
  const inUse = new Set([encodeBase64url(rootKey)]);
  return value.map((entry: JsonValue, index) => {
    const key = readKey(entry, `${path}/${index}`);
    if (kids.has(key.kid)) throw malformed(`${path}/${index}/kid`, 'stands there twice');
    const text = encodeBase64url(key.publicKey);
    if (inUse.has(text)) throw malformed(`${path}/${index}/key`, 'has another role already');
    kids.add(key.kid);
    inUse.add(text);
    return key;
  });
}

function readKey(value: JsonValue, path: string): BundleKey {
  const entry = requireMembers(value, KEY_MEMBERS, path);
  const kid = requireText(entry['kid'], 256, `${path}/kid`);
  const { use, alg } = entry;
  if (use !== 'sig' && use !== 'enc') throw malformed(`${path}/use`, 'must be "sig" or "enc"');
  if (alg !== KEY_ALGORITHMS[use]) {
    throw malformed(`${path}/alg`, `must be "${KEY_ALGORITHMS[use]}" for this use`);
  }
  const publicKey = typeof entry['key'] === 'string' ? decodeBase64url(entry['key']) : undefined;
  if (publicKey?.length !== 32) throw notAPublicKey(alg, `${path}/key`);
  return {
    kid,
    use,
    alg,
    publicKey,
    notAfterMs: requireMoment(entry['not_after'], `${path}/not_after`),
  };
}

function notAPublicKey(alg: KeyAlgorithm, path: string): SdlError {
  return malformed(path, `must be an ${alg} public key in base64url`);
}
