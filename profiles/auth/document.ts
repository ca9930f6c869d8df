// Owns callers as JSON, in the book of a home and under `callers` of a configuration: read strictly, named by path where
// they are wrong. No secret stands in it: a hash, or `@FILE`.

import { resolve } from 'node:path';

import type { JsonValue } from '../../src/transport.ts';
import { isJsonObject } from '../../src/transport.ts';
import { assertCallers } from './entries.ts';
import type { CallerEntry, CallerProof, Secret } from './entry.ts';

type Document = Readonly<Record<string, JsonValue>>;

const SCHEMES = ['bearer', 'api_key', 'basic', 'jwt', 'certificate'] as const;
const MEMBERS = ['name', ...SCHEMES, 'tools', 'ct', 'tenant', 'peer', 'expires', 'revoked'];
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const HASH = 'sha256:';

/** Throws a TypeError. Files are meant from where `folder` is. */
export function readCallers(value: JsonValue, folder: string): readonly CallerEntry[] {
  if (!Array.isArray(value)) throw new TypeError('callers: must be a list');
  const entries = (value as JsonValue[]).map((item, at) =>
    readEntry(item, `callers[${at}]`, folder),
  );
  assertCallers(entries);
  return Object.freeze(entries);
}

/** What {@link readCallers} reads. */
export function writeCallers(entries: readonly CallerEntry[]): JsonValue {
  return entries.map((entry) => ({
    name: entry.name,
    ...proofDocument(entry.proof),
    ...(entry.tools !== undefined && { tools: [...entry.tools] }),
    ...(entry.contentTypes !== undefined && { ct: [...entry.contentTypes] }),
    ...(entry.tenant !== undefined && { tenant: entry.tenant }),
    ...(entry.peer !== undefined && { peer: entry.peer }),
    ...(entry.expiresAt !== undefined && { expires: new Date(entry.expiresAt).toISOString() }),
    ...(entry.revoked === true && { revoked: true }),
  }));
}

function proofDocument(proof: CallerProof): Document {
  switch (proof.scheme) {
    case 'bearer':
      return { bearer: secretText(proof.secret) };
    case 'api-key':
      return { api_key: secretText(proof.secret) };
    case 'basic': {
      const { user, password } = proof;
      return {
        basic: { user, password: 'hash' in password ? password.hash : `@${password.file}` },
      };
    }
    case 'jwt': {
      const { issuer, audience, jwksUrl, subject } = proof;
      return {
        jwt: {
          issuer,
          audience,
          ...(jwksUrl !== undefined && { jwks: jwksUrl }),
          ...(subject !== undefined && { subject }),
        },
      };
    }
    default:
      return { certificate: secretText(proof.certificate) };
  }
}

function secretText(secret: Secret): string {
  return 'sha256' in secret ? `${HASH}${secret.sha256}` : `@${secret.file}`;
}

function readEntry(value: JsonValue, path: string, folder: string): CallerEntry {
  const entry = requireObject(value, path, MEMBERS);
  const given = SCHEMES.filter((scheme) => entry[scheme] !== undefined);
  if (given.length !== 1) throw wrong(path, `must have one of ${SCHEMES.join(', ')}`);
  const { tools, ct, tenant, peer, expires, revoked } = entry;
  return Object.freeze({
    name: requireText(entry['name'], `${path}.name`),
    proof: Object.freeze(readProof(given[0]!, entry, path, folder)),
    ...(tools !== undefined && { tools: readNames(tools, `${path}.tools`) }),
    ...(ct !== undefined && { contentTypes: readNames(ct, `${path}.ct`) }),
    ...(tenant !== undefined && { tenant: requireText(tenant, `${path}.tenant`) }),
    ...(peer !== undefined && { peer: requireText(peer, `${path}.peer`) }),
    ...(expires !== undefined && { expiresAt: readMoment(expires, `${path}.expires`) }),
    ...(revoked !== undefined && { revoked: readFlag(revoked, `${path}.revoked`) }),
  });
}

function readProof(
  scheme: (typeof SCHEMES)[number],
  entry: Document,
  path: string,
  folder: string,
): CallerProof {
  const value = entry[scheme]!;
  const at = `${path}.${scheme}`;
  switch (scheme) {
    case 'bearer':
      return { scheme, secret: readSecret(value, at, folder) };
    case 'api_key':
      return { scheme: 'api-key', secret: readSecret(value, at, folder) };
    case 'certificate':
      return { scheme, certificate: readSecret(value, at, folder) };
    case 'basic': {
      const { user, password } = requireObject(value, at, ['user', 'password']);
      const text = requireText(password, `${at}.password`);
      if (!text.startsWith('@') && !text.startsWith('scrypt$')) {
        throw wrong(
          `${at}.password`,
          'must be a hash, scrypt$…, or @FILE with a line USER:scrypt$…',
        );
      }
      return {
        scheme,
        user: requireText(user, `${at}.user`),
        password: text.startsWith('@') ? { file: resolve(folder, text.slice(1)) } : { hash: text },
      };
    }
    default: {
      const token = requireObject(value, at, ['issuer', 'audience', 'jwks', 'subject']);
      const { jwks, subject } = token;
      return {
        scheme: 'jwt',
        issuer: requireText(token['issuer'], `${at}.issuer`),
        audience: requireText(token['audience'], `${at}.audience`),
        ...(jwks !== undefined && { jwksUrl: requireText(jwks, `${at}.jwks`) }),
        ...(subject !== undefined && { subject: requireText(subject, `${at}.subject`) }),
      };
    }
  }
}

/** The value itself is never part of an error: it may be the secret that does not belong there. */
function readSecret(value: JsonValue, path: string, folder: string): Secret {
  const text = requireText(value, path);
  if (text.startsWith('@')) return { file: resolve(folder, text.slice(1)) };
  if (text.startsWith(HASH)) return { sha256: text.slice(HASH.length) };
  throw wrong(path, 'must be @FILE or sha256:HEX; a secret itself does not belong here');
}

function readNames(value: JsonValue, path: string): readonly string[] {
  if (!Array.isArray(value)) throw wrong(path, 'must be a list of names');
  return Object.freeze(
    (value as JsonValue[]).map((item, at) => {
      const name = requireText(item, `${path}[${at}]`);
      // `math.*` looks like a pattern, but it would be compared as a plain name and allow nothing.
      if (name === '*' || !name.includes('*')) return name;
      throw wrong(`${path}[${at}]`, 'must be a name without *, or *');
    }),
  );
}

function readMoment(value: JsonValue, path: string): number {
  const text = requireText(value, path);
  const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw wrong(path, 'must be a moment such as 2027-01-31T00:00:00Z');
  return at;
}

function readFlag(value: JsonValue, path: string): boolean {
  if (typeof value !== 'boolean') throw wrong(path, 'must be true or false');
  return value;
}

function requireText(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string' && /^\P{Cc}{1,2048}$/u.test(value)) return value;
  throw wrong(path, 'must be text');
}

function requireObject(value: JsonValue, path: string, members: readonly string[]): Document {
  if (!isJsonObject(value)) throw wrong(path, 'must be an object');
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw wrong(path, `has no member ${JSON.stringify(unknown)}`);
  return value;
}

function wrong(path: string, words: string): TypeError {
  return new TypeError(`${path}: ${words}`);
}
