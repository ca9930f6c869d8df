// Owns which keys of a peer count at a time: those of its entry, and those that its own bundle adds. SPEC.md section 6 (#sec-kid-bound).

import { equalBytes } from '../../crypto/bytes.ts';
import type { Peer, PeerKey } from './peer.ts';

/** From when until when, both included, in milliseconds since the epoch; what is left out is not bounded. */
export interface Validity {
  readonly notBefore?: number;
  readonly notAfter?: number;
}

/** Asked so that a time that is not a number is never valid. */
export function isValidAt({ notBefore, notAfter }: Validity, nowMs: number): boolean {
  if (notBefore !== undefined && !(notBefore <= nowMs)) return false;
  return notAfter === undefined || nowMs <= notAfter;
}

export function usableKeys(keys: readonly PeerKey[], nowMs: number): PeerKey[] {
  return keys.filter((key) => isValidAt(key, nowMs));
}

/**
 * Both lists, the bundle's first because its owner keeps it new. What the entry says of a kid stands, and a key that
 * the entry has ended does not come back under another kid: the receiver's own word goes before the sender's.
 */
export function mergeKeys(
  entryKeys: readonly PeerKey[],
  bundleKeys: readonly PeerKey[],
  nowMs: number,
): PeerKey[] {
  const added = bundleKeys.filter(
    ({ kid, key }) =>
      !entryKeys.some(
        (own) => own.kid === kid || (equalBytes(own.key, key) && !isValidAt(own, nowMs)),
      ),
  );
  return [...added, ...entryKeys];
}

/** The signing keys that count, valid now or not. */
export function signingKeysOf({ signingKeys, signingKeyRule }: Peer): readonly PeerKey[] {
  if (signingKeyRule === undefined) return signingKeys;
  return signingKeys.map(signingKeyRule).filter((key) => key !== undefined);
}
