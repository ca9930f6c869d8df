// Owns asking an agent at an address who it is, where nothing is published: a message that is for nobody is refused, and
// the refusal brings the keys of who refuses. Nothing of it is proven: the caller checks it.
// SPEC.md section 10 (#key-bundle).

import { randomUUID } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readCbor, readJson, writeJson } from '../../src/codec/index.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { TransportError } from '../../src/transport.ts';
import type { TlsOptions } from '../../transports/http/index.ts';
import { dialersFor } from '../client/dialers.ts';

const TIMEOUT_MS = 10_000;
const NOBODY = { agent_id: 'did:key:nobody', name: 'nobody', instance: '1', role: 'nobody' };

export async function askWhoIsThere(
  url: string,
  tls: TlsOptions,
): Promise<{ readonly name: string; readonly bundle: JsonValue }> {
  const scheme = url.slice(0, url.indexOf(':') + 1).toLowerCase();
  const dialer = dialersFor(tls, () => []).find(({ schemes }) => schemes.includes(scheme))!;
  const connection = await dialer.dial(url, { limits: DEFAULT_LIMITS });
  try {
    const id = randomUUID();
    const message = { v: 1, id, type: 'req', from: NOBODY, to: NOBODY, ct: 'negotiation.v1' };
    const outbound = {
      bytes: writeJson(message),
      encoding: 'json',
      id,
      spanId: id,
      wantsStream: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const;
    for await (const { bytes, encoding } of connection.exchange(outbound)) {
      const answer = encoding === 'json' ? readJson(bytes) : readCbor(bytes);
      const bundle = member(member(member(answer, 'cap'), 'a2a_sdl'), 'bundle');
      const name = member(member(answer, 'from'), 'name');
      if (bundle !== undefined) return { name: typeof name === 'string' ? name : '', bundle };
    }
  } finally {
    await connection.close();
  }
  throw new TransportError('protocol', 'the agent there does not tell its keys');
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  const object: JsonObject = value !== undefined && isJsonObject(value) ? value : {};
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
