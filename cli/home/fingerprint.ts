// Owns the short form in which two people compare an agent's root key over the telephone.

import type { CryptoProvider } from '../../src/security/index.ts';
import { publicKeyFromDidKey } from '../../src/security/index.ts';

const SHOWN_BYTES = 16;

/** Half of the SHA-256 of the root key in groups of four digits; `undefined` for a label, which stands for no key. */
export function fingerprintOf(
  agentId: string,
  crypto: Pick<CryptoProvider, 'sha256'>,
): string | undefined {
  const rootKey = publicKeyFromDidKey(agentId);
  if (rootKey === undefined) return undefined;
  const digits = [...crypto.sha256(rootKey).subarray(0, SHOWN_BYTES)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return digits.match(/.{4}/g)!.join(' ');
}
