// Owns how a caller is shown, to people and to programs: never a secret, nor its hash.

import type { CallerEntry, CallerProof } from '../../profiles/auth/index.ts';
import { formatTimestamp } from '../../src/envelope/index.ts';

/** Names to texts and lists of texts. */
type Document = Readonly<Record<string, string | string[]>>;

export function stateOf({ revoked, expiresAt = Infinity }: CallerEntry, nowMs: number): string {
  if (revoked === true) return 'revoked';
  return expiresAt <= nowMs ? 'expired' : 'let in';
}

export function callerDocument(entry: CallerEntry, nowMs: number): Document {
  return {
    name: entry.name,
    state: stateOf(entry, nowMs),
    scheme: entry.proof.scheme,
    ...proofDocument(entry.proof),
    ...(entry.tools !== undefined && { tools: [...entry.tools] }),
    ...(entry.contentTypes !== undefined && { ct: [...entry.contentTypes] }),
    ...(entry.tenant !== undefined && { tenant: entry.tenant }),
    ...(entry.peer !== undefined && { peer: entry.peer }),
    ...(entry.expiresAt !== undefined && { expires: formatTimestamp(entry.expiresAt) }),
  };
}

/** One row for each thing that is said of it. */
export function callerRows(entry: CallerEntry, nowMs: number): string[][] {
  return Object.entries(callerDocument(entry, nowMs)).map(([title, value]) => [
    title,
    typeof value === 'string' ? value : value.join(', '),
  ]);
}

/** The hash of a certificate is public; that of a token is not shown. */
function proofDocument(proof: CallerProof): Document {
  if (proof.scheme === 'basic') return { user: proof.user };
  if (proof.scheme === 'certificate' && 'sha256' in proof.certificate) {
    return { certificate: proof.certificate.sha256 };
  }
  if (proof.scheme !== 'jwt') return {};
  const { issuer, audience, jwksUrl, subject } = proof;
  return {
    issuer,
    audience,
    ...(jwksUrl !== undefined && { jwks: jwksUrl }),
    ...(subject !== undefined && { subject }),
  };
}
