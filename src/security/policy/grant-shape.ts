// Owns what a grant looks like: its members, the names that it allows, how deep parents nest. SPEC.md section 10 (#grant).

import type { JsonValue } from '../../codec/value.ts';
import { requireAgentId } from '../../envelope/agent-id.ts';
import { isText, malformed, requireText } from '../../envelope/fields.ts';
import { requireCount, requireMembers, requireMoment } from '../identity/document-fields.ts';
import type { SignedDocument } from '../identity/document-signature.ts';

/** Exact names, or `*` for every name. There are no other patterns. */
export interface GrantScope {
  readonly ct: readonly string[];
  readonly tools: readonly string[];
}

/** What a verified grant allows, and until when. */
export interface GrantedScope extends GrantScope {
  readonly notAfterMs: number;
}

/** What a grant says. */
export interface GrantContent {
  /** Names the grant in logs and revocation lists; 1 to 256 characters. */
  readonly id: string;
  /** Who grants: the audience itself, or a peer that the audience trusts to grant. */
  readonly iss: string;
  /** Who may use it and hand it on. */
  readonly sub: string;
  /** The agent that it is to be shown to. */
  readonly aud: string;
  readonly allow: GrantScope;
  /** How many hops may still follow: a delegation is one, and so is a message sent because of another. */
  readonly maxHops: number;
  readonly notAfterMs: number;
}

/** A grant, read. */
export interface Grant extends GrantContent {
  readonly parent: Grant | undefined;
  /** As it was signed. */
  readonly document: SignedDocument;
}

/** The grant itself and its ancestors. */
const MAX_GRANT_CHAIN = 8;
const MAX_GRANT_NAMES = 256;

/** Allows every name. */
export const ANY_NAME = '*';

// Closed lists: a member that an old reader skipped could have been a restriction.
const GRANT_MEMBERS = [
  'id',
  'iss',
  'sub',
  'aud',
  'allow',
  'max_hops',
  'not_after',
  'parent',
  'sig',
];
const ALLOW_MEMBERS = ['ct', 'tools'];

/** Reads a grant at `path` of a message. Nothing of it is verified yet. */
export function readGrant(value: JsonValue | undefined, path: string): Grant {
  return readLink(value, path, MAX_GRANT_CHAIN);
}

function readLink(value: JsonValue | undefined, path: string, room: number): Grant {
  if (room === 0) throw malformed(path, `makes more than ${MAX_GRANT_CHAIN} nested grants`);
  const document = requireMembers(value, GRANT_MEMBERS, path);
  const allow = requireMembers(document['allow'], ALLOW_MEMBERS, `${path}/allow`);
  requireText(document['sig'], 128, `${path}/sig`);
  return {
    id: requireText(document['id'], 256, `${path}/id`),
    iss: requireAgentId(document['iss'], `${path}/iss`),
    sub: requireAgentId(document['sub'], `${path}/sub`),
    aud: requireAgentId(document['aud'], `${path}/aud`),
    allow: Object.freeze({
      ct: readNames(allow['ct'], `${path}/allow/ct`),
      tools: readNames(allow['tools'], `${path}/allow/tools`),
    }),
    maxHops: requireCount(document['max_hops'], `${path}/max_hops`),
    notAfterMs: requireMoment(document['not_after'], `${path}/not_after`),
    parent: Object.hasOwn(document, 'parent')
      ? readLink(document['parent'], `${path}/parent`, room - 1)
      : undefined,
    document: document as SignedDocument,
  };
}

function readNames(value: JsonValue | undefined, path: string): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_GRANT_NAMES) {
    throw malformed(path, `must be an array of at most ${MAX_GRANT_NAMES} names`);
  }
  return Object.freeze(
    value.map((name: JsonValue, index) => {
      // `math.*` would allow nothing that its author had in mind.
      if (isText(name, 256) && (name === ANY_NAME || !name.includes(ANY_NAME))) return name;
      throw malformed(`${path}/${index}`, 'must be a name of 1 to 256 characters without *, or *');
    }),
  );
}
