// Owns the peer book as a JSON document: what an entry holds, read strictly and named by path where it is wrong.

import type { JsonObject, JsonValue } from '../src/codec/index.ts';
import { readJson, writeJson } from '../src/codec/index.ts';
import type { SigningForm } from '../src/envelope/index.ts';
import { formatTimestamp } from '../src/envelope/index.ts';
import { SdlError } from '../src/errors.ts';
import type { KeyUse, Peer, PeerKey, Validity } from '../src/security/index.ts';
import {
  ANY_NAME,
  COMPAT_SWITCHES,
  KEY_ALGORITHMS,
  SEALED_POLICIES,
  SECURITY_MODES,
  decodeBase64url,
  encodeBase64url,
  isPublicKey,
  malformed,
  requireAgentId,
  requireMembers,
  requireMoment,
  requireText,
} from '../src/security/index.ts';
import { keyFileError } from './error.ts';

/** A peer as the book holds it. */
export interface PeerEntry extends Peer {
  /** What people call it; unique in the book. */
  readonly name?: string;
  /** Certificates (PEM) of the authorities that may vouch for its servers, instead of those of the system. */
  readonly tlsCa?: string;
}

/** An entry to be written; what is left out, or `undefined`, takes its default. */
export type PeerDraft = Pick<PeerEntry, 'agentId'> & {
  readonly [M in Exclude<keyof PeerEntry, 'agentId'>]?: PeerEntry[M] | undefined;
};

const FORMAT = 'a2a-sdl/peers/v1';
const SIGNING_FORMS: readonly SigningForm[] = ['jcs', 'python', 'cbor'];
const FINGERPRINT = /^[0-9a-f]{64}$/;
const ENDPOINT_SCHEMES = ['http:', 'https:', 'ws:', 'wss:', 'ipc:'];

/** Room for one or two chains. For all public authorities, leave it out: then those of the system count. */
const MAX_CERTIFICATES_LENGTH = 16_384;

const BOOK_MEMBERS = ['format', 'peers'];
const KEY_MEMBERS = ['kid', 'use', 'key', 'not_before', 'not_after'];
const ENTRY_MEMBERS = [
  'agent_id',
  'name',
  'keys',
  'endpoints',
  'content_types',
  'tools',
  'not_before',
  'not_after',
  'revoked',
  'canon',
  'min_mode',
  'a2a_sealed',
  'switches',
  'may_grant',
  'certificates',
  'tls_ca',
];

export function writePeerBook(entries: readonly PeerDraft[]): Uint8Array {
  return writeJson({ format: FORMAT, peers: entries.map(toDocument) });
}

/** Throws with the path of the first member that is wrong, such as `/peers/3/keys/0/kid`. */
export function readPeerBook(bytes: Uint8Array): PeerEntry[] {
  try {
    const book = requireMembers(readJson(bytes), BOOK_MEMBERS, '');
    if (book['format'] !== FORMAT) throw malformed('/format', `must be "${FORMAT}"`);
    const entries = readList(book['peers'] ?? null, '/peers', readEntry);
    assertApart(entries);
    return entries;
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    throw keyFileError(`the peer book does not hold: ${thrown.reason}`, thrown);
  }
}

function readEntry(value: JsonValue, path: string): PeerEntry {
  const entry = requireMembers(value, ENTRY_MEMBERS, path);
  const at = (name: string): string => `${path}/${name}`;
  const keys = readList(entry['keys'] ?? [], at('keys'), readKey);
  assertKeysApart(keys, at('keys'));
  const optional = {
    name: readOptional(entry, 'name', path, readText(128)),
    contentTypes: readOptional(entry, 'content_types', path, readNames(128)),
    tools: readOptional(entry, 'tools', path, readNames(256)),
    canon: readOptional(entry, 'canon', path, readOneOf(SIGNING_FORMS)),
    minMode: readOptional(entry, 'min_mode', path, readOneOf(SECURITY_MODES)),
    sealed: readOptional(entry, 'a2a_sealed', path, readOneOf(SEALED_POLICIES)),
    certificates: readOptional(entry, 'certificates', path, readFingerprints),
    tlsCa: readOptional(entry, 'tls_ca', path, readCertificates),
  };
  return Object.freeze<PeerEntry>({
    agentId: requireAgentId(entry['agent_id'], at('agent_id')),
    signingKeys: keysFor('sig', keys),
    encryptionKeys: keysFor('enc', keys),
    endpoints: Object.freeze(readList(entry['endpoints'] ?? [], at('endpoints'), readEndpoint)),
    revoked: readFlag(entry['revoked'], at('revoked')),
    switches: new Set(
      readList(entry['switches'] ?? [], at('switches'), readOneOf(COMPAT_SWITCHES)),
    ),
    mayGrant: readFlag(entry['may_grant'], at('may_grant')),
    ...readValidity(entry, path),
    ...present(optional),
  });
}

interface KeyEntry {
  readonly use: KeyUse;
  readonly peerKey: PeerKey;
}

function readKey(value: JsonValue, path: string): KeyEntry {
  const entry = requireMembers(value, KEY_MEMBERS, path);
  const kid = requireText(entry['kid'], 256, `${path}/kid`);
  const use = readOneOf<KeyUse>(['sig', 'enc'])(entry['use'] ?? null, `${path}/use`);
  const key = typeof entry['key'] === 'string' ? decodeBase64url(entry['key']) : undefined;
  if (key?.length !== 32 || !isPublicKey(KEY_ALGORITHMS[use], key)) {
    throw malformed(`${path}/key`, `must be an ${KEY_ALGORITHMS[use]} public key in base64url`);
  }
  return { use, peerKey: Object.freeze({ kid, key, ...readValidity(entry, path) }) };
}

/** One kid names one key, and one key has one kid. Otherwise an ended key could live on under another kid (W17). */
function assertKeysApart(keys: readonly KeyEntry[], path: string): void {
  const kids = new Set<string>();
  const bytes = new Set<string>();
  for (const [index, { peerKey }] of keys.entries()) {
    const text = encodeBase64url(peerKey.key);
    if (kids.has(peerKey.kid)) throw malformed(`${path}/${index}/kid`, 'stands there twice');
    if (bytes.has(text)) throw malformed(`${path}/${index}/key`, 'stands there twice');
    kids.add(peerKey.kid);
    bytes.add(text);
  }
}

/** No two entries for one agent, name, signing key or certificate: a key speaks for one agent only (W3, W54). */
function assertApart(entries: readonly PeerEntry[]): void {
  const ids = new Set<string>();
  const signers = new Set<string>();
  const fingerprints = new Set<string>();
  for (const [index, { agentId, signingKeys, certificates = [] }] of entries.entries()) {
    if (ids.has(agentId)) throw malformed(`/peers/${index}/agent_id`, 'has an entry already');
    ids.add(agentId);
    for (const { kid, key } of signingKeys) {
      const text = encodeBase64url(key);
      if (signers.has(text)) {
        throw malformed(
          `/peers/${index}/keys`,
          `holds ${JSON.stringify(kid)}, which is bound to another agent`,
        );
      }
      signers.add(text);
    }
    for (const [at, fingerprint] of certificates.entries()) {
      if (fingerprints.has(fingerprint)) {
        throw malformed(`/peers/${index}/certificates/${at}`, 'stands in the book already');
      }
      fingerprints.add(fingerprint);
    }
  }
  for (const [index, { name }] of entries.entries()) {
    if (name === undefined) continue;
    // A name must not equal an id either: a search for the one would find the other.
    if (ids.has(name)) throw malformed(`/peers/${index}/name`, 'is in use already');
    ids.add(name);
  }
}

function keysFor(use: KeyUse, keys: readonly KeyEntry[]): readonly PeerKey[] {
  return Object.freeze(keys.filter((key) => key.use === use).map(({ peerKey }) => peerKey));
}

type Read<T> = (value: JsonValue, path: string) => T;

function readList<T>(value: JsonValue, path: string, read: Read<T>): T[] {
  if (!Array.isArray(value)) throw malformed(path, 'must be a list');
  return (value as JsonValue[]).map((item, index) => read(item, `${path}/${index}`));
}

function readOptional<T>(
  entry: JsonObject,
  name: string,
  path: string,
  read: Read<T>,
): T | undefined {
  const value = entry[name];
  return value === undefined ? undefined : read(value, `${path}/${name}`);
}

const readText =
  (maxLength: number): Read<string> =>
  (value, path) =>
    requireText(value, maxLength, path);

const readNames =
  (maxLength: number): Read<readonly string[]> =>
  (value, path) =>
    Object.freeze(
      readList(value, path, (item, at) => {
        const name = requireText(item, maxLength, at);
        // `math.*` looks like a pattern, but it would be compared as a plain name and allow nothing.
        if (name === ANY_NAME || !name.includes(ANY_NAME)) return name;
        throw malformed(at, 'must be a name without *, or *');
      }),
    );

const readOneOf =
  <T extends string>(known: readonly T[]): Read<T> =>
  (value, path) => {
    if (known.includes(value as T)) return value as T;
    throw malformed(path, `must be one of ${known.join(', ')}`);
  };

/** An empty list would mean that no connection may speak for the peer. To keep a peer out, revoke it instead. */
function readFingerprints(value: JsonValue, path: string): readonly string[] {
  const fingerprints = readList(value, path, (item, at) => {
    if (typeof item === 'string' && FINGERPRINT.test(item)) return item;
    throw malformed(at, 'must be the SHA-256 of a certificate as 64 lower-case hex digits');
  });
  if (fingerprints.length === 0) throw malformed(path, 'must list a certificate or be left out');
  return Object.freeze(fingerprints);
}

function readCertificates(value: JsonValue, path: string): string {
  const text = requireText(value, MAX_CERTIFICATES_LENGTH, path);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw malformed(path, 'must be certificates in PEM');
}

function readFlag(value: JsonValue | undefined, path: string): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw malformed(path, 'must be true or false');
}

function readEndpoint(value: JsonValue, path: string): string {
  const text = requireText(value, 2_048, path);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !ENDPOINT_SCHEMES.includes(url.protocol)) {
    throw malformed(path, `must be a URL that starts with ${ENDPOINT_SCHEMES.join(', ')}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw malformed(path, 'must hold no user and no password');
  }
  return text;
}

function readValidity(entry: JsonObject, path: string): Validity {
  const notBefore = readOptional(entry, 'not_before', path, requireMoment);
  const notAfter = readOptional(entry, 'not_after', path, requireMoment);
  if (notBefore !== undefined && notAfter !== undefined && notAfter < notBefore) {
    throw malformed(`${path}/not_after`, 'must not be before not_before');
  }
  return present({ notBefore, notAfter });
}

function toDocument(entry: PeerDraft): JsonObject {
  const { endpoints = [], switches = [], revoked = false, mayGrant = false } = entry;
  return {
    agent_id: entry.agentId,
    ...present({ name: entry.name }),
    keys: [
      ...(entry.signingKeys ?? []).map((key) => toKeyDocument('sig', key)),
      ...(entry.encryptionKeys ?? []).map((key) => toKeyDocument('enc', key)),
    ],
    endpoints,
    ...present({ content_types: entry.contentTypes, tools: entry.tools }),
    ...toMoments(entry),
    revoked,
    ...present({ canon: entry.canon, min_mode: entry.minMode, a2a_sealed: entry.sealed }),
    switches: [...switches],
    may_grant: mayGrant,
    ...present({ certificates: entry.certificates, tls_ca: entry.tlsCa }),
  };
}

function toKeyDocument(use: KeyUse, { kid, key, ...validity }: PeerKey): JsonObject {
  return { kid, use, key: encodeBase64url(key), ...toMoments(validity) };
}

function toMoments(validity: {
  readonly notBefore?: number | undefined;
  readonly notAfter?: number | undefined;
}): JsonObject {
  const { notBefore, notAfter } = validity;
  return {
    ...(notBefore !== undefined && { not_before: formatTimestamp(notBefore) }),
    ...(notAfter !== undefined && { not_after: formatTimestamp(notAfter) }),
  };
}

/** Without the members that are `undefined`. */
function present<T extends object>(members: T): { [M in keyof T]?: Exclude<T[M], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [M in keyof T]?: Exclude<T[M], undefined>;
  };
}
