// Owns the callers of one moment: checked as a whole, found by name and by what they show.

import type { CallerEntry, CallerProof, Secret } from './entry.ts';
import { readHash } from './password.ts';

type Of<S extends CallerProof['scheme']> = CallerEntry & {
  readonly proof: Extract<CallerProof, { readonly scheme: S }>;
};
export type SecretEntry = Of<'bearer' | 'api-key'>;
export type BasicEntry = Of<'basic'>;
export type TokenEntry = Of<'jwt'>;
export type CertificateEntry = Of<'certificate'>;

export interface Entries {
  readonly byName: ReadonlyMap<string, CallerEntry>;
  readonly bearer: readonly SecretEntry[];
  readonly apiKey: readonly SecretEntry[];
  readonly basic: ReadonlyMap<string, BasicEntry>;
  readonly jwt: readonly TokenEntry[];
  readonly certificate: readonly CertificateEntry[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const MOST_ENTRIES = 1_000;

/** Throws a TypeError that names the caller: two that could be taken for each other, or one that could never prove itself. */
export function indexEntries(list: readonly CallerEntry[]): Entries {
  if (list.length > MOST_ENTRIES)
    throw new TypeError(`there are more than ${MOST_ENTRIES} callers`);
  const taken = new Map<string, string>();
  const byName = new Map<string, CallerEntry>();
  for (const entry of list) {
    const fault = faultOf(entry);
    if (fault !== undefined)
      throw new TypeError(`the caller ${JSON.stringify(entry.name)}: ${fault}`);
    if (byName.has(entry.name)) throw new TypeError(`two callers are named "${entry.name}"`);
    const proof = proofText(entry.proof);
    const other = taken.get(proof);
    if (other !== undefined) {
      throw new TypeError(
        `the callers "${other}" and "${entry.name}" prove themselves by the same`,
      );
    }
    taken.set(proof, entry.name);
    byName.set(entry.name, entry);
  }
  const of = <S extends CallerProof['scheme']>(scheme: S): Of<S>[] =>
    list.filter((entry): entry is Of<S> => entry.proof.scheme === scheme);
  return {
    byName,
    bearer: of('bearer'),
    apiKey: of('api-key'),
    basic: new Map(of('basic').map((entry) => [entry.proof.user, entry])),
    jwt: of('jwt'),
    certificate: of('certificate'),
  };
}

/** Throws a TypeError where {@link createCallers} would. */
export function assertCallers(list: readonly CallerEntry[]): void {
  indexEntries(list);
}

function faultOf({ name, proof, peer, expiresAt }: CallerEntry): string | undefined {
  if (!NAME.test(name)) return 'its name must be up to 64 letters, digits and . _ @ -';
  // The mark of those that are no peers: nobody is linked to a caller.
  if (peer !== undefined && (peer === '' || peer.startsWith('~'))) {
    return 'its peer must be the agent id of a peer';
  }
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) return 'its end must be a moment';
  switch (proof.scheme) {
    case 'bearer':
    case 'api-key':
      return hashFault(proof.secret);
    case 'certificate':
      return hashFault(proof.certificate);
    case 'basic':
      if (proof.user === '' || /[:\p{Cc}]/u.test(proof.user))
        return 'its user must be text without ":"';
      return 'hash' in proof.password && readHash(proof.password.hash) === undefined
        ? 'its password must be hashed by scrypt'
        : undefined;
    default:
      return tokenFault(proof);
  }
}

function hashFault(secret: Secret): string | undefined {
  return !('sha256' in secret) || SHA256.test(secret.sha256)
    ? undefined
    : 'its secret must be a SHA-256 of 64 lower-case hexadecimal digits';
}

function tokenFault({ issuer, audience, jwksUrl }: TokenEntry['proof']): string | undefined {
  // Parts the issuer from the subject in the id of the caller.
  if (issuer === '' || issuer.includes('|')) return 'its issuer must be text without "|"';
  if (audience === '') return 'its tokens must be for an audience';
  if (isWebUrl(jwksUrl ?? issuer)) return undefined;
  return jwksUrl === undefined
    ? 'its issuer is no URL, so the URL of its keys must be given'
    : 'the URL of its keys must be one of https: or http:';
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function proofText(proof: CallerProof): string {
  switch (proof.scheme) {
    case 'basic':
      return `basic ${proof.user}`;
    case 'jwt':
      return JSON.stringify(['jwt', proof.issuer, proof.audience, proof.subject ?? null]);
    case 'certificate':
      return JSON.stringify([proof.scheme, proof.certificate]);
    default:
      return JSON.stringify([proof.scheme, proof.secret]);
  }
}
