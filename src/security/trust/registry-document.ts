// Owns trust registry documents: their closed list of members, their content and its hash. SPEC.md section 10 (#registry).

import { decodeBase64url } from '../../codec/base64url.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { newJsonObject } from '../../codec/value.ts';
import { isText, malformed, requireObject, requireText } from '../../envelope/fields.ts';
import { formatTimestamp, parseTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import { contentHash, isContentHash } from '../../schema/content-hash.ts';
import { requireCount, requireMembers, requireMoment } from '../identity/document-fields.ts';
import { isPublicKey } from '../identity/public-key.ts';

type TextMap = Readonly<Record<string, string>>;

/** What a registry says, in one form for equal content: nothing missing, sets sorted. Frozen, without prototypes (W52). */
export interface RegistryContent extends JsonObject {
  /** Raw Ed25519 public keys in base64url, by kid. */
  readonly trusted_signing_keys: TextMap;
  readonly required_kid_by_agent: TextMap;
  readonly allowed_kids_by_agent: Readonly<Record<string, readonly string[]>>;
  readonly revoked_kids: readonly string[];
  readonly kid_not_after: TextMap;
}

/** A registry document, read. */
export interface RegistryDocument {
  readonly content: RegistryContent;
  readonly seq: number;
  readonly prevHash: ContentHash;
  readonly aud: string;
  readonly expMs: number;
  /** As it was signed. */
  readonly document: JsonObject;
}

/** Entries of each member. */
export const MAX_REGISTRY_ENTRIES = 4_096;
const MAX_KIDS_OF_AGENT = 256;
const KEY_BYTES = 32;

// A closed list, so that no other document that an approver's key signed can pass for a registry (W7).
const MEMBERS = [
  'trusted_signing_keys',
  'required_kid_by_agent',
  'allowed_kids_by_agent',
  'revoked_kids',
  'kid_not_after',
  'seq',
  'prev_hash',
  'aud',
  'exp',
];

/** Reads a document at `path` of a message. Its signatures and {@link assertStrongRegistryKeys} are still to come. */
export function readRegistryDocument(value: JsonValue | undefined, path: string): RegistryDocument {
  const object = requireObject(value, path);
  if (Object.hasOwn(object, 'decrypt_private_keys')) {
    throw malformed(
      `${path}/decrypt_private_keys`,
      'holds private keys, which are never taken from a message',
    );
  }
  const document = requireMembers(object, MEMBERS, path);
  const prevHash = document['prev_hash'];
  if (typeof prevHash !== 'string' || !isContentHash(prevHash)) {
    throw malformed(`${path}/prev_hash`, 'must be sha256: and 64 hexadecimal digits');
  }
  return {
    content: readContent(document, path),
    seq: requireCount(document['seq'], `${path}/seq`),
    prevHash,
    aud: requireText(document['aud'], 512, `${path}/aud`),
    expMs: requireMoment(document['exp'], `${path}/exp`),
    document,
  };
}

/** Throws for a key that is weak or none at all (W35). It costs much: call it only once the signatures hold. */
export function assertStrongRegistryKeys({ content }: RegistryDocument, path: string): void {
  const keys = Object.values(content.trusted_signing_keys);
  if (keys.every((key) => isPublicKey('ed25519', decodeBase64url(key)!))) return;
  throw malformed(`${path}/trusted_signing_keys`, 'has a key that is weak or no ed25519 key');
}

/** The hash of what a registry says, and of nothing else: equal content, equal hash (W53). */
export function registryHash(content: RegistryContent): ContentHash {
  return contentHash(content);
}

/** What is trusted before any proposal: nothing. */
export const EMPTY_REGISTRY: RegistryContent = readContent({}, '');

/**
 * The content after an update: with `merge` added to what is there, else instead of it.
 * Revoked kids stay revoked either way.
 */
export function updateRegistry(
  current: RegistryContent,
  update: RegistryContent,
  merge: boolean,
): RegistryContent {
  const base = merge ? current : EMPTY_REGISTRY;
  const updated = freezeContent({
    trusted_signing_keys: joinMaps(base.trusted_signing_keys, update.trusted_signing_keys),
    required_kid_by_agent: joinMaps(base.required_kid_by_agent, update.required_kid_by_agent),
    allowed_kids_by_agent: joinMaps(
      base.allowed_kids_by_agent,
      update.allowed_kids_by_agent,
      (one, other) => sortedSet([...one, ...other]),
    ),
    revoked_kids: sortedSet([...current.revoked_kids, ...update.revoked_kids]),
    kid_not_after: joinMaps(base.kid_not_after, update.kid_not_after),
  });
  for (const member of Object.values(updated)) {
    if (Object.keys(member as object).length > MAX_REGISTRY_ENTRIES) throw tooLarge();
  }
  if (Object.values(updated.allowed_kids_by_agent).some((kids) => kids.length > MAX_KIDS_OF_AGENT))
    throw tooLarge();
  return updated;
}

function tooLarge(): SdlError {
  return new SdlError('LIMIT_MEMBERS', 'the registry would have too many entries', {
    details: { limit: MAX_REGISTRY_ENTRIES },
  });
}

function readContent(document: JsonObject, path: string): RegistryContent {
  const member = <T>(
    name: string,
    maxName: number,
    what: string,
    read: (value: JsonValue) => T | undefined,
  ): Readonly<Record<string, T>> => readMap(document[name], maxName, `${path}/${name}`, what, read);
  const kid = 'a kid of 1 to 256 characters';
  return freezeContent({
    trusted_signing_keys: member('trusted_signing_keys', 256, '32 bytes in base64url', readKeyText),
    required_kid_by_agent: member('required_kid_by_agent', 512, kid, readKid),
    allowed_kids_by_agent: member(
      'allowed_kids_by_agent',
      512,
      `an array of at most ${MAX_KIDS_OF_AGENT} kids of 1 to 256 characters`,
      (value) => readKids(value, MAX_KIDS_OF_AGENT),
    ),
    revoked_kids: readRevoked(document['revoked_kids'], `${path}/revoked_kids`),
    kid_not_after: member('kid_not_after', 256, 'a UTC timestamp', readTime),
  });
}

function readMap<T>(
  value: JsonValue | undefined,
  maxName: number,
  path: string,
  what: string,
  read: (value: JsonValue) => T | undefined,
): Readonly<Record<string, T>> {
  const entries = newMap<T>();
  if (value === undefined) return entries;
  const object = requireObject(value, path);
  const names = Object.keys(object);
  if (names.length > MAX_REGISTRY_ENTRIES) {
    throw malformed(path, `must have at most ${MAX_REGISTRY_ENTRIES} entries`);
  }
  for (const [index, name] of names.entries()) {
    // Names are the sender's text: the error counts them instead.
    if (!isText(name, maxName)) {
      throw malformed(path, `entry ${index} must have a name of 1 to ${maxName} characters`);
    }
    const entry = read(object[name]!);
    if (entry === undefined) throw malformed(path, `entry ${index} must be ${what}`);
    entries[name] = entry;
  }
  return entries;
}

function readKeyText(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  return decodeBase64url(value)?.length === KEY_BYTES ? value : undefined;
}

/** In the one spelling that we write, so that equal times hash alike. */
function readTime(value: JsonValue): string | undefined {
  const moment = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return moment === undefined ? undefined : formatTimestamp(moment);
}

function readKid(value: JsonValue): string | undefined {
  return isText(value, 256) ? value : undefined;
}

function readKids(value: JsonValue, most: number): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const kids = (value as readonly JsonValue[]).filter((kid) => isText(kid, 256));
  return kids.length === value.length ? sortedSet(kids) : undefined;
}

function readRevoked(value: JsonValue | undefined, path: string): readonly string[] {
  const kids = readKids(value ?? [], MAX_REGISTRY_ENTRIES);
  if (kids !== undefined && value !== null) return kids;
  throw malformed(
    path,
    `must be an array of at most ${MAX_REGISTRY_ENTRIES} kids of 1 to 256 characters`,
  );
}

function sortedSet(names: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(names)].sort());
}

/** Names may be anything, `__proto__` included. */
function newMap<T>(): Record<string, T> {
  return newJsonObject() as unknown as Record<string, T>;
}

function joinMaps<T>(
  base: Readonly<Record<string, T>>,
  update: Readonly<Record<string, T>>,
  join: (earlier: T, later: T) => T = (_, later) => later,
): Readonly<Record<string, T>> {
  const joined = newMap<T>();
  for (const name of Object.keys(base)) joined[name] = base[name]!;
  for (const name of Object.keys(update)) {
    joined[name] = Object.hasOwn(base, name) ? join(base[name]!, update[name]!) : update[name]!;
  }
  return joined;
}

function freezeContent(content: Omit<RegistryContent, number>): RegistryContent {
  for (const member of Object.values(content)) Object.freeze(member);
  return Object.freeze(content) as RegistryContent;
}
