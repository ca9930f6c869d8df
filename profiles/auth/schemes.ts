// Owns what may be told to everybody of how callers prove themselves: the kinds of their proofs, and nothing of who they
// are. SPEC.md section 16 (#callers).

import type { CallerScheme } from '../../src/transport.ts';
import type { CallerEntry, CallerProof } from './entry.ts';
import { isActive } from './entry.ts';

/** Each once, in the order of the entries; those that let in nobody any more are left out. */
export function schemesOf(entries: readonly CallerEntry[], nowMs: number): readonly CallerScheme[] {
  const schemes = new Map<string, CallerScheme>();
  for (const entry of entries) {
    if (!isActive(entry, nowMs)) continue;
    const scheme = schemeOf(entry.proof);
    schemes.set(JSON.stringify(scheme), scheme);
  }
  return [...schemes.values()];
}

function schemeOf(proof: CallerProof): CallerScheme {
  if (proof.scheme !== 'jwt') return { scheme: proof.scheme };
  // Who was given the address of the keys need not have a document that leads to them.
  return { scheme: 'jwt', issuer: proof.issuer, hasDiscovery: proof.jwksUrl === undefined };
}
