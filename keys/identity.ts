// Owns an identity with its secrets: root key, operational keys, signed bundle; making one and giving it new keys.
// SPEC.md section 10 (#key-bundle).

import type { CryptoProvider, KeyBundle, KeyUse } from '../src/security/index.ts';
import {
  KEY_ALGORITHMS,
  MAX_BUNDLE_KEYS,
  signKeyBundle,
  thumbprint,
} from '../src/security/index.ts';
import { SecretKey } from './secret-key.ts';

export interface OperationalKey {
  readonly kid: string;
  readonly use: KeyUse;
  readonly notAfterMs: number;
  readonly key: SecretKey;
}

/** All that an agent needs to speak for itself. Printing it shows no secret. */
export interface LocalIdentity {
  readonly agentId: string;
  readonly root: SecretKey;
  readonly bundle: KeyBundle;
  /** In the order of the bundle, the newest first. */
  readonly keys: readonly OperationalKey[];
}

export interface IdentityOptions {
  readonly crypto: CryptoProvider;
  readonly nowMs: number;
  /** How long new keys and the bundle are valid. @default 365 days */
  readonly lifetimeMs?: number;
}

export interface RotateOptions extends IdentityOptions {
  /** How long the replaced keys stay valid, for messages under way; 0 ends them at once. @default 7 days */
  readonly overlapMs?: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_LIFETIME_MS = 365 * DAY_MS;
const DEFAULT_OVERLAP_MS = 7 * DAY_MS;

/** A fresh root key, one signing key, one encryption key and the bundle with `seq` 1. */
export async function createIdentity(options: IdentityOptions): Promise<LocalIdentity> {
  const root = SecretKey.generate('ed25519', options.crypto);
  return signIdentity(root, 1, newKeys(options), options);
}

/** The same agent with new operational keys and the next `seq`. The replaced keys end after the overlap. */
export async function rotateIdentity(
  identity: LocalIdentity,
  options: RotateOptions,
): Promise<LocalIdentity> {
  const { nowMs, overlapMs = DEFAULT_OVERLAP_MS } = options;
  const endMs = nowMs + requireSpan('overlapMs', overlapMs, 0);
  const replaced = identity.keys
    .map((key) => ({ ...key, notAfterMs: Math.min(key.notAfterMs, endMs) }))
    .filter((key) => key.notAfterMs > nowMs);
  // Many rotations within one overlap: the oldest keys give way.
  const keys = [...newKeys(options), ...replaced].slice(0, MAX_BUNDLE_KEYS);
  return signIdentity(identity.root, identity.bundle.seq + 1, keys, options);
}

async function signIdentity(
  root: SecretKey,
  seq: number,
  keys: readonly OperationalKey[],
  options: IdentityOptions,
): Promise<LocalIdentity> {
  const content = {
    seq,
    notBeforeMs: options.nowMs,
    notAfterMs: options.nowMs + lifetimeOf(options),
    keys: keys.map(({ kid, use, notAfterMs, key }) => ({
      kid,
      use,
      notAfterMs,
      publicKey: key.publicKey,
    })),
  };
  const bundle = await signKeyBundle(content, root.reveal(), options.crypto);
  return { agentId: bundle.agentId, root, bundle, keys };
}

function newKeys(options: IdentityOptions): OperationalKey[] {
  const notAfterMs = options.nowMs + lifetimeOf(options);
  return (['sig', 'enc'] as const).map((use) => {
    const key = SecretKey.generate(KEY_ALGORITHMS[use], options.crypto);
    return { kid: thumbprint(key.alg, key.publicKey), use, notAfterMs, key };
  });
}

function lifetimeOf({ lifetimeMs = DEFAULT_LIFETIME_MS }: IdentityOptions): number {
  return requireSpan('lifetimeMs', lifetimeMs, 1);
}

function requireSpan(option: string, spanMs: number, least: number): number {
  if (Number.isSafeInteger(spanMs) && spanMs >= least) return spanMs;
  throw new RangeError(`"${option}" expected an integer of at least ${least}`);
}
