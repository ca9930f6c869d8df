// What the reference ignores and what it refuses, put to a server of it that asks for no signature.

import { beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/index.ts';
import { isJsonObject } from '../../src/index.ts';
import { createEnvelopeBuilder, defaultCapabilities } from '../../src/envelope/index.ts';
import { SchemaRegistry } from '../../src/schema/index.ts';
import { parse } from '../support/wire/bytes.ts';
import { afterSuite } from './cleanup.ts';
import { TASK } from './reference-client.ts';
import { ReferencePeer, jsonText } from './reference-peer.ts';

const ENC = { recipients: [], nonce: '', ciphertext: '' };

const REFUSED: readonly (readonly [what: string, members: JsonObject, code: string])[] = [
  ['content type', { ct: 'weather.v1' }, 'UNSUPPORTED_CT'],
  ['mode', { sec: { mode: 'mac' } }, 'SECURITY_UNSUPPORTED'],
  [
    'signature algorithm',
    { sec: { mode: 'sig', kid: 'k', sig: { alg: 'ed448', value: 'AA' } } },
    'SECURITY_UNSUPPORTED',
  ],
  [
    'encryption algorithm',
    { sec: { mode: 'enc', enc: { alg: 'hpke', ...ENC } } },
    'SECURITY_UNSUPPORTED',
  ],
];

export function referenceRules(python: string): void {
  const atEnd = afterSuite();
  let address: string;

  beforeAll(async () => {
    const reference = new ReferencePeer(python, { hasCbor: true });
    atEnd(() => reference.stop());
    const asked = { transport: 'http', encoding: 'json' };
    ({ address } = await reference.ask<{ address: string }>('serve', asked));
  });

  const party = (
    name: string,
  ): { agent_id: string; name: string; instance: string; role: string } => ({
    agent_id: `did:key:${name}`,
    name,
    instance: '1',
    role: 'agent',
  });

  /** A task of ours with other members, as the reference answers it. */
  async function answerTo(members: JsonObject): Promise<JsonObject> {
    const builder = createEnvelopeBuilder({
      identity: party('ours'),
      cap: defaultCapabilities(),
      schemaFor: new SchemaRegistry().descriptorFor,
    });
    const envelope = builder.request(party('theirs'), { ct: 'task.v1', payload: TASK });
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: jsonText({ ...(envelope as unknown as JsonObject), ...members }),
    });
    return parse(await response.text()) as JsonObject;
  }

  test('what it does not know beside the members of v1 it ignores', async () => {
    const cap = defaultCapabilities();
    const own = isJsonObject(cap['a2a_sdl']) ? cap['a2a_sdl'] : {};
    const answer = await answerTo({
      re: 'a request',
      cap: { ...cap, more: true, a2a_sdl: { ...own, bundle: { agent_id: 'none' } } },
      sec: { mode: 'none', x: { bind: 'AA', req: 'AA' } },
      payload: { ...TASK, authz: { grant: {} } },
    });
    expect(answer).toMatchObject({ ct: 'state.v1' });
  });

  describe('what it refuses', () => {
    test.each(REFUSED)('another %s', async (_what, members, code) => {
      expect(await answerTo(members)).toMatchObject({ ct: 'error.v1', payload: { code } });
    });
  });
}
