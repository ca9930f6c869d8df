// Owns what an agent speaks with: which of its own keys signs now, opens a payload, and vouches for its grants.
// SPEC.md section 10 (#key-bundle).

import { RESERVED_ID, isReservedId } from '../../envelope/agent-id.ts';
import { SdlError } from '../../errors.ts';
import type { KeyBundle, KeyUse } from './key-bundle-shape.ts';
import { isValidAt } from '../peers/keys.ts';
import { thumbprint } from './thumbprint.ts';

/** A key pair in memory. `reveal` gives the same array every time, by which a provider knows an imported key. */
export interface OwnSecret {
  readonly publicKey: Uint8Array;
  reveal(): Uint8Array;
}

/** A key of our own that does the daily work. */
export interface OwnKey {
  readonly kid: string;
  readonly use: KeyUse;
  /** Milliseconds since the epoch. */
  readonly notAfterMs: number;
  readonly key: OwnSecret;
}

/** Who we are. An agent whose id is a label has neither root key nor bundle. */
export interface OwnIdentity {
  readonly agentId: string;
  readonly root?: OwnSecret;
  readonly bundle?: KeyBundle;
  /** The newest first. */
  readonly keys: readonly OwnKey[];
}

/** What an embedder gave as its identity, looked at once. Throws a TypeError that says what is wrong. */
export function assertOwnIdentity(identity: OwnIdentity | undefined): void {
  if (typeof identity?.agentId !== 'string') {
    throw new TypeError('"identity" expected an identity, such as createIdentity() makes');
  }
  if (isReservedId(identity.agentId)) throw new TypeError(`"identity.agentId" ${RESERVED_ID}`);
}

/** A key pair and the kid by which peers look it up. */
export type OwnSigningKey = Pick<OwnKey, 'kid' | 'key'>;

/** The newest signing key that peers accept now, else the root key, which always speaks for a did:key. */
export function signingKeyOf(identity: OwnIdentity, nowMs: number): OwnSigningKey {
  const [first] = signingKeysOf(identity, nowMs);
  if (first !== undefined) return first;
  throw new SdlError(
    'INTERNAL',
    'every signing key of this agent has ended: rotate its keys, and tell its peers the new ones',
  );
}

/** The signing keys that peers accept now, the newest first; the root key only where there is no other. */
export function signingKeysOf(identity: OwnIdentity, nowMs: number): readonly OwnSigningKey[] {
  const keys = validSigningKeys(identity, nowMs);
  const { root } = identity;
  if (keys.length > 0 || root === undefined) return keys;
  return [{ kid: thumbprint('ed25519', root.publicKey), key: root }];
}

/** An ended key opens too, for messages under way: what no longer may open is taken out of the identity. */
export function decryptionKeyOf(identity: OwnIdentity, kid: string): OwnKey | undefined {
  return identity.keys.find((key) => key.use === 'enc' && key.kid === kid);
}

/**
 * The keys by which we know a grant of our own. A grant does not say when it was signed, so a key that has ended
 * vouches for none: what is to outlive the keys of the day is signed by the root.
 */
export function ownVerificationKeys(identity: OwnIdentity, nowMs: number): readonly Uint8Array[] {
  const keys = validSigningKeys(identity, nowMs).map(({ key }) => key.publicKey);
  return identity.root === undefined ? keys : [identity.root.publicKey, ...keys];
}

/** A peer takes no key from a bundle that has ended, so neither is one used here. */
function validSigningKeys({ keys, bundle }: OwnIdentity, nowMs: number): OwnKey[] {
  const bundleEndMs = bundle?.notAfterMs ?? Infinity;
  return keys.filter(
    ({ use, notAfterMs }) =>
      use === 'sig' && isValidAt({ notAfter: Math.min(notAfterMs, bundleEndMs) }, nowMs),
  );
}
