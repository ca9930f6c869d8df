// Owns key bundles: the statement, signed by an agent's root key, of which keys speak for it. SPEC.md section 10 (#key-bundle).

import { encodeBase64url } from '../../codec/base64url.ts';
import type { JsonValue } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';
import { didKeyFromPublicKey } from './did-key.ts';
import { signDocument, verifyDocument } from './document-signature.ts';
import type { BundleKey, KeyBundle, KeyUse } from './key-bundle-shape.ts';
import { KEY_ALGORITHMS, assertStrongKeys, readKeyBundle } from './key-bundle-shape.ts';
import { thumbprint } from './thumbprint.ts';

export interface NewBundleKey {
  readonly use: KeyUse;
  readonly publicKey: Uint8Array;
  readonly notAfterMs: number;
  /** @default the RFC 7638 thumbprint */
  readonly kid?: string;
}

export interface KeyBundleContent {
  readonly seq: number;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** In the order of preference, the newest first. */
  readonly keys: readonly NewBundleKey[];
}

/** Signs a bundle with the agent's root key. Throws what a verifier of this bundle would throw. */
export async function signKeyBundle(
  content: KeyBundleContent,
  rootSecret: Uint8Array,
  crypto: CryptoProvider,
): Promise<KeyBundle> {
  const unsigned = {
    agent_id: didKeyFromPublicKey(crypto.ed25519PublicKey(rootSecret)),
    seq: content.seq,
    not_before: formatTimestamp(content.notBeforeMs),
    not_after: formatTimestamp(content.notAfterMs),
    keys: content.keys.map(({ use, publicKey, notAfterMs, kid }) => ({
      kid: kid ?? thumbprint(KEY_ALGORITHMS[use], publicKey),
      use,
      alg: KEY_ALGORITHMS[use],
      key: encodeBase64url(publicKey),
      not_after: formatTimestamp(notAfterMs),
    })),
  };
  const document = await signDocument('bundle', unsigned, rootSecret, crypto);
  const bundle = readKeyBundle(document, '');
  assertStrongKeys(bundle, '');
  return bundle;
}

export interface VerifyBundleOptions {
  readonly crypto: CryptoProvider;
  readonly nowMs: number;
  /** How far the clocks of two agents may differ. @default 120000 */
  readonly skewMs?: number;
  /** The agent that the bundle has to be of. @default any */
  readonly agentId?: string;
  /** The highest `seq` seen from this agent; a lower one is refused. */
  readonly lastSeq?: number;
  /** Where the bundle stands in the message, for the error. @default "" */
  readonly path?: string;
}

const DEFAULT_SKEW_MS = 120_000;

/**
 * A bundle that its root key signed, that is valid now and not older than one seen before.
 * A key in it may have ended on its own: take keys from {@link bundleKeys}.
 */
export async function verifyKeyBundle(
  value: JsonValue,
  options: VerifyBundleOptions,
): Promise<KeyBundle> {
  const { crypto, nowMs, skewMs = DEFAULT_SKEW_MS, agentId, lastSeq, path = '' } = options;
  const bundle = readKeyBundle(value, path);
  if (agentId !== undefined && bundle.agentId !== agentId) {
    throw refusal('the key bundle is of another agent');
  }
  // Asked so that a time or a sequence that is not a number refuses the bundle.
  if (!(bundle.notBeforeMs <= nowMs + skewMs)) throw refusal('the key bundle is not valid yet');
  if (!(bundle.notAfterMs >= nowMs - skewMs)) throw refusal('the key bundle has ended');
  if (lastSeq !== undefined && !(bundle.seq >= lastSeq)) {
    throw refusal('the key bundle is older than one seen before');
  }
  await requireRootSignature(bundle, crypto);
  assertStrongKeys(bundle, path);
  return bundle;
}

/** A bundle from one's own store, whatever the time: an ended one can still be renewed. */
export async function verifyStoredBundle(
  value: JsonValue,
  crypto: CryptoProvider,
): Promise<KeyBundle> {
  const bundle = readKeyBundle(value, '');
  await requireRootSignature(bundle, crypto);
  assertStrongKeys(bundle, '');
  return bundle;
}

/** The keys that may be used at this time, in the order of the agent's preference. */
export function bundleKeys(bundle: KeyBundle, use: KeyUse, nowMs: number): BundleKey[] {
  return bundle.keys.filter(
    (key) => key.use === use && nowMs <= Math.min(key.notAfterMs, bundle.notAfterMs),
  );
}

async function requireRootSignature(bundle: KeyBundle, crypto: CryptoProvider): Promise<void> {
  if (await verifyDocument('bundle', bundle.document, bundle.rootKey, crypto)) return;
  throw new SdlError('SIGNATURE_INVALID', 'the key bundle is not signed by its root key');
}

function refusal(reason: string): SdlError {
  return new SdlError('SENDER_REFUSED', reason);
}
