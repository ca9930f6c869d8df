// Owns an issuer of tokens on the loopback interface: its keys, its documents, and tokens of every wrong kind.

import type { KeyObject } from 'node:crypto';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = Readonly<Record<string, unknown>>;

interface KeyPair {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function makeKey(kid: string): KeyPair {
  return { kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}

const encode = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed with ES256 by this key; what is `undefined` is left out. */
export function signToken(key: KeyPair, claims: Json, header: Json = {}): string {
  const input = `${encode({ alg: 'ES256', kid: key.kid, ...header })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `${input}.${signature.toString('base64url')}`;
}

/** A token signed by HMAC with this text. */
export function hmacToken(secret: string | Buffer, claims: Json, header: Json): string {
  const input = `${encode({ alg: 'HS256', ...header })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

export function unsignedToken(claims: Json, header: Json = {}): string {
  return `${encode({ alg: 'none', ...header })}.${encode(claims)}.`;
}

export function jwkOf({ kid, publicKey }: KeyPair): Json {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
}

export interface Issuer {
  readonly url: string;
  readonly jwksUrl: string;
  /** What it tells of its keys. */
  keys: readonly Json[];
  /** It answers 503 for as long as this is true. */
  isAway: boolean;
  /** Where its document says that the keys are. */
  jwksUri: string;
  /** Its document says that it is this one. */
  name: string;
  /** How often its keys were asked for. */
  readonly asked: () => number;
  readonly stop: () => Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  let asked = 0;
  const server: Server = createServer((request, response) => {
    const isKeys = request.url === '/keys';
    if (isKeys) asked += 1;
    const document = isKeys
      ? { keys: issuer.keys }
      : { issuer: issuer.name, jwks_uri: issuer.jwksUri };
    response.writeHead(issuer.isAway ? 503 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(document));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: Issuer = {
    url,
    jwksUrl: `${url}/keys`,
    keys: [],
    isAway: false,
    jwksUri: `${url}/keys`,
    name: url,
    asked: () => asked,
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}
