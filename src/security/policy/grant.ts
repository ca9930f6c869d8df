// Owns grants: authority that its holder can hand on, narrower each time, without asking the issuer. SPEC.md section 10 (#grant).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { CryptoProvider, MaybePromise } from '../../crypto/provider.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';
import type { SignedDocument } from '../identity/document-signature.ts';
import { signDocument, verifyDocument } from '../identity/document-signature.ts';
import type { Grant, GrantContent, GrantScope } from './grant-shape.ts';
import { ANY_NAME, readGrant } from './grant-shape.ts';

/** What a child says of itself; what it leaves out is its parent's. */
export interface Attenuation {
  readonly id: string;
  readonly sub: string;
  readonly allow?: GrantScope;
  /** @default one less than the parent's */
  readonly maxHops?: number;
  readonly notAfterMs?: number;
}

/** Signs a root grant with a key of its issuer, ready for `authz.grant`. Throws what its audience would throw. */
export async function issueGrant(
  content: GrantContent,
  secretKey: Uint8Array,
  crypto: CryptoProvider,
): Promise<SignedDocument> {
  const document = await signDocument('grant', wireForm(content), secretKey, crypto);
  readOrRefuse(document, '');
  return document;
}

/**
 * Hands a grant on, offline: its holder signs a child for another. Throws NOT_AUTHORIZED if that would widen it.
 * `secretKey` is a key of the holder, which the audience must be able to look up.
 */
export async function attenuateGrant(
  parent: JsonValue,
  narrower: Attenuation,
  secretKey: Uint8Array,
  crypto: CryptoProvider,
): Promise<SignedDocument> {
  const from = readOrRefuse(parent, '');
  if (from.maxHops === 0) throw refusal('the grant may not be handed on');
  const content = {
    id: narrower.id,
    iss: from.sub,
    sub: narrower.sub,
    aud: from.aud,
    allow: narrower.allow ?? from.allow,
    maxHops: narrower.maxHops ?? from.maxHops - 1,
    notAfterMs: narrower.notAfterMs ?? from.notAfterMs,
  };
  const unsigned = { ...wireForm(content), parent: from.document };
  const document = await signDocument('grant', unsigned, secretKey, crypto);
  assertNarrows(readOrRefuse(document, ''), from);
  return document;
}

export interface VerifyGrantOptions {
  readonly crypto: CryptoProvider;
  /** The agent that sent the grant, proven by the envelope's signature. */
  readonly holder: string;
  /** Our own agent id. */
  readonly audience: string;
  readonly nowMs: number;
  /** `trace.hops` of the message; 0 without a trace. */
  readonly hops: number;
  /** The verified root and signing keys of an agent, our own among them; none for a stranger. */
  readonly keysOf: (agentId: string) => MaybePromise<readonly Uint8Array[]>;
  /** Is this peer trusted to issue root grants for us? */
  readonly mayGrant: (agentId: string) => boolean;
  /** Where the grant stands in the message, for the error. @default "" */
  readonly path?: string;
}

export interface GrantLink {
  readonly id: string;
  readonly iss: string;
  readonly sub: string;
}

export interface VerifiedGrant {
  readonly allow: GrantScope;
  /** No ancestor ends earlier. */
  readonly notAfterMs: number;
  /** From the root to the grant itself: for the audit, and to look for revoked ids. */
  readonly chain: readonly GrantLink[];
}

/**
 * What the grant allows its holder now, with this audience; else NOT_AUTHORIZED.
 * Nothing but the grants and what the caller knows of keys is read: scopes that a payload claims count for nothing (W13).
 */
export async function verifyGrant(
  value: JsonValue | undefined,
  options: VerifyGrantOptions,
): Promise<VerifiedGrant> {
  const grant = readOrRefuse(value, options.path ?? '');
  const chain = rootFirst(grant);
  assertApplies(grant, chain, options);
  // The root first: who holds nothing costs us one signature, however long a chain it made up.
  for (const link of chain) await requireSignature(link, options);
  return Object.freeze({
    allow: grant.allow,
    notAfterMs: grant.notAfterMs,
    chain: Object.freeze(chain.map(({ id, iss, sub }) => Object.freeze({ id, iss, sub }))),
  });
}

/** Is the name in the list, or every name? */
export function isNameAllowed(allowed: readonly string[], name: string): boolean {
  return allowed.includes(ANY_NAME) || allowed.includes(name);
}

/** Everything that needs no cryptography. Comparisons are asked so that a time that is no number refuses. */
function assertApplies(
  grant: Grant,
  chain: readonly Grant[],
  { holder, audience, nowMs, hops, mayGrant }: VerifyGrantOptions,
): void {
  const root = chain[0]!;
  if (grant.sub !== holder) throw refusal('the grant is held by another agent');
  if (root.aud !== audience) throw refusal('the grant is for another audience');
  if (root.iss !== audience && !mayGrant(root.iss)) {
    throw refusal('the issuer of the grant is not trusted to grant');
  }
  for (const [index, child] of chain.slice(1).entries()) assertNarrows(child, chain[index]!);
  // A child ends no later than its parent, and its hops and depth sum up to no more: the last one decides for all.
  if (!(nowMs <= grant.notAfterMs)) throw refusal('the grant has ended');
  const delegations = chain.length - 1;
  if (!(hops - delegations <= grant.maxHops)) {
    throw refusal('the message has come further than the grant allows');
  }
}

function assertNarrows(child: Grant, parent: Grant): void {
  if (child.iss !== parent.sub) throw refusal('a grant is not issued by the holder of its parent');
  if (child.aud !== parent.aud) throw refusal('a grant has another audience than its parent');
  if (!(child.notAfterMs <= parent.notAfterMs)) throw refusal('a grant outlives its parent');
  if (!(child.maxHops < parent.maxHops)) throw refusal('a grant reaches as far as its parent');
  if (
    !isCovered(child.allow.ct, parent.allow.ct) ||
    !isCovered(child.allow.tools, parent.allow.tools)
  ) {
    throw refusal('a grant allows more than its parent');
  }
}

function isCovered(names: readonly string[], by: readonly string[]): boolean {
  const allowed = new Set(by);
  return allowed.has(ANY_NAME) || names.every((name) => allowed.has(name));
}

async function requireSignature(
  { iss, document }: Grant,
  { keysOf, crypto }: VerifyGrantOptions,
): Promise<void> {
  for (const key of await keysOf(iss)) {
    if (await verifyDocument('grant', document, key, crypto)) return;
  }
  throw refusal('a grant is not signed by its issuer');
}

function rootFirst(grant: Grant): Grant[] {
  const chain: Grant[] = [];
  for (let link: Grant | undefined = grant; link !== undefined; link = link.parent) {
    chain.unshift(link);
  }
  return chain;
}

function wireForm({ maxHops, notAfterMs, allow, ...names }: GrantContent): JsonObject {
  return {
    id: names.id,
    iss: names.iss,
    sub: names.sub,
    aud: names.aud,
    allow: { ct: allow.ct, tools: allow.tools },
    max_hops: maxHops,
    not_after: formatTimestamp(notAfterMs),
  };
}

/** A grant that cannot be read grants nothing. */
function readOrRefuse(value: JsonValue | undefined, path: string): Grant {
  try {
    return readGrant(value, path);
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    throw new SdlError('NOT_AUTHORIZED', thrown.reason, { details: thrown.details, cause: thrown });
  }
}

function refusal(reason: string): SdlError {
  return new SdlError('NOT_AUTHORIZED', reason);
}
