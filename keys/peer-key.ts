// Owns the keys of peers in and out of text, by what they are used for.

import type { KeyUse, PeerKey, Validity } from '../src/security/index.ts';
import { KEY_ALGORITHMS, thumbprint } from '../src/security/index.ts';
import type { KeyFormat } from './format.ts';
import { exportPublicKey, importPublicKey } from './format.ts';

export interface ImportPeerKeyOptions extends Validity {
  /** @default the RFC 7638 thumbprint */
  readonly kid?: string;
}

/** Reads a public key in raw base64url, PEM or JWK; a secret key is refused. */
export function importPeerKey(
  text: string,
  use: KeyUse,
  { kid, ...validity }: ImportPeerKeyOptions = {},
): PeerKey {
  const { alg, publicKey } = importPublicKey(text, { alg: KEY_ALGORITHMS[use] });
  return { kid: kid ?? thumbprint(alg, publicKey), key: publicKey, ...validity };
}

export function exportPeerKey({ key }: PeerKey, use: KeyUse, format: KeyFormat): string {
  return exportPublicKey({ alg: KEY_ALGORITHMS[use], publicKey: key }, format);
}
