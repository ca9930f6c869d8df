// Owns a caller as the operator writes it down: how it proves itself, what it may do, for how long.
// SPEC.md section 16 (#callers).

import type { Principal } from '../../src/transport.ts';

/** A secret that is compared by its hash; of a file, what stands in it at the moment of the comparison. */
export type Secret = { readonly sha256: string } | { readonly file: string };

/** How a caller proves who it is. */
export type CallerProof =
  | { readonly scheme: 'bearer' | 'api-key'; readonly secret: Secret }
  | {
      readonly scheme: 'basic';
      readonly user: string;
      /** As {@link hashPassword} makes it; of a file, its line `USER:scrypt$…`. */
      readonly password: { readonly hash: string } | { readonly file: string };
    }
  | {
      readonly scheme: 'jwt';
      readonly issuer: string;
      readonly audience: string;
      /** Where the keys of the issuer are. @default what its `/.well-known/openid-configuration` says */
      readonly jwksUrl?: string;
      /** @default every subject of the issuer, each an owner of its own */
      readonly subject?: string;
    }
  /** The SHA-256 of the certificate as lower-case hexadecimal digits, or a file with it in PEM. */
  | { readonly scheme: 'certificate'; readonly certificate: Secret };

export interface CallerEntry {
  /** Unique. */
  readonly name: string;
  readonly proof: CallerProof;
  /** @default all */
  readonly contentTypes?: readonly string[];
  /** @default all */
  readonly tools?: readonly string[];
  /** @default '' */
  readonly tenant?: string;
  /** The agent id of the peer that it is: it then owns the tasks of that peer. @default it is none */
  readonly peer?: string;
  /** Milliseconds since the epoch; from then on the entry proves nothing. @default never */
  readonly expiresAt?: number;
  /** @default false */
  readonly revoked?: boolean;
}

/** Stands for every name. */
const ANY_NAME = '*';

const MARKS = { bearer: 'bearer', 'api-key': 'key', basic: 'basic' } as const;

/** The id of who proved itself by this entry; `shown` is the subject of a token, or the hash of a certificate. */
export function principalId({ name, proof, peer }: CallerEntry, shown = ''): string {
  if (peer !== undefined) return peer;
  if (proof.scheme === 'jwt') return `~jwt:${proof.issuer}|${shown}`;
  if (proof.scheme === 'certificate') return `~x509:${shown}`;
  return `~${MARKS[proof.scheme]}:${name}`;
}

/** Could this entry, as it is now, have let this principal in? */
export function isOf(entry: CallerEntry, { id, tenant, scheme }: Principal): boolean {
  const { proof, peer } = entry;
  if (scheme !== proof.scheme || tenant !== (entry.tenant ?? '')) return false;
  if (peer !== undefined || (scheme !== 'jwt' && scheme !== 'certificate')) {
    return id === principalId(entry);
  }
  const known = knownOf(proof);
  return known === undefined ? id.startsWith(principalId(entry)) : id === principalId(entry, known);
}

/** What is always shown to this entry, where it says so. */
function knownOf(proof: CallerProof): string | undefined {
  if (proof.scheme === 'jwt') return proof.subject;
  if (proof.scheme !== 'certificate' || 'file' in proof.certificate) return undefined;
  return proof.certificate.sha256;
}

export function isActive(
  { revoked = false, expiresAt = Infinity }: CallerEntry,
  now: number,
): boolean {
  return !revoked && now < expiresAt;
}

export function allowsName(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.includes(ANY_NAME) || names.includes(name);
}
