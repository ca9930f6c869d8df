// Owns an identity with its secrets: root key, operational keys, signed bundle; making one and giving it new keys.
// SPEC.md section 10 (#key-bundle).

import type { CryptoProvider } from '../../crypto/provider.ts';
import { chooseProvider } from '../../crypto/provider.ts';
import type { KeyBundle, KeyUse } from './key-bundle-shape.ts';
import { KEY_ALGORITHMS, MAX_BUNDLE_KEYS } from './key-bundle-shape.ts';
import { signKeyBundle } from './key-bundle.ts';
import { SecretKey } from './secret-key.ts';
import { thumbprint } from './thumbprint.ts';

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
  /** @default chooseProvider() */
  readonly crypto?: CryptoProvider;
  /** Milliseconds since the epoch. @default Date.now() */
  readonly nowMs?: number;
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
export async function createIdentity(options: IdentityOptions = {}): Promise<LocalIdentity> {
  const resolved = resolve(options);
  const root = SecretKey.generate('ed25519', resolved.crypto);
  return signIdentity(root, 1, newKeys(resolved), resolved);
}

/** The same agent with new operational keys and the next `seq`. The replaced keys end after the overlap. */
export async function rotateIdentity(
  identity: LocalIdentity,
  options: RotateOptions = {},
): Promise<LocalIdentity> {
  const { overlapMs = DEFAULT_OVERLAP_MS } = options;
  const resolved = resolve(options);
  const { nowMs } = resolved;
  const endMs = nowMs + requireSpan('overlapMs', overlapMs, 0);
  const replaced = identity.keys
    .map((key) => ({ ...key, notAfterMs: Math.min(key.notAfterMs, endMs) }))
    .filter((key) => key.notAfterMs > nowMs);
  // Many rotations within one overlap: the oldest keys give way.
  const keys = [...newKeys(resolved), ...replaced].slice(0, MAX_BUNDLE_KEYS);
  return signIdentity(identity.root, identity.bundle.seq + 1, keys, resolved);
}

async function signIdentity(
  root: SecretKey,
  seq: number,
  keys: readonly OperationalKey[],
  { crypto, nowMs, lifetimeMs }: ResolvedOptions,
): Promise<LocalIdentity> {
  const content = {
    seq,
    notBeforeMs: nowMs,
    notAfterMs: nowMs + lifetimeMs,
    keys: keys.map(({ kid, use, notAfterMs, key }) => ({
      kid,
      use,
      notAfterMs,
      publicKey: key.publicKey,
    })),
  };
  const bundle = await signKeyBundle(content, root.reveal(), crypto);
  return { agentId: bundle.agentId, root, bundle, keys };
}

function newKeys({ crypto, nowMs, lifetimeMs }: ResolvedOptions): OperationalKey[] {
  const notAfterMs = nowMs + lifetimeMs;
  return (['sig', 'enc'] as const).map((use) => {
    const key = SecretKey.generate(KEY_ALGORITHMS[use], crypto);
    return { kid: thumbprint(key.alg, key.publicKey), use, notAfterMs, key };
  });
}

type ResolvedOptions = Required<IdentityOptions>;

function resolve(options: IdentityOptions): ResolvedOptions {
  const { crypto = chooseProvider(), nowMs = Date.now() } = options;
  const { lifetimeMs = DEFAULT_LIFETIME_MS } = options;
  return { crypto, nowMs, lifetimeMs: requireSpan('lifetimeMs', lifetimeMs, 1) };
}

function requireSpan(option: string, spanMs: number, least: number): number {
  if (Number.isSafeInteger(spanMs) && spanMs >= least) return spanMs;
  throw new RangeError(`"${option}" expected an integer of at least ${least}`);
}
