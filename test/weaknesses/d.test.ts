// Group D of the weaknesses: hostile input and denial of service, through the pipeline.
// Each test is the attack; without its fix it succeeds, or does not end.

import { afterEach, describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { SdlError } from '../../src/errors.ts';
import type { Schema } from '../../src/schema/descriptor.ts';
import { embed } from '../../src/schema/descriptor.ts';
import { crypto, entryFor } from '../support/agents/agents.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
import { fromHex, toHex } from '../support/wire/cbor-hex.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import type { Draft, Judged } from '../support/wire/forge.ts';
import {
  asking,
  changed,
  encryptionKeyOf,
  forge,
  forgeReply,
  inputHashOf,
  judge,
  newScene,
  put,
} from '../support/wire/forge.ts';
import { serveSchema, stopServers } from '../support/wire/loopback-servers.ts';

const withSchema = (schema: Schema, more: Draft = {}): Draft => ({
  ...more,
  members: { schema: embed(schema) },
});
const withInputs = (inputs: JsonValue, more: Draft = {}): Draft => ({
  ...more,
  payload: { ...taskPayload, inputs },
});

describe('W37 W39 schemas that fetch #schema-no-fetch #schema-uri', () => {
  afterEach(stopServers);

  test.each<[string, (url: string) => Schema]>([
    ['a reference', (url) => ({ $ref: url })],
    ['a reference below an id', (url) => ({ $id: url, $ref: 'other.json' })],
    ['a dynamic reference', (url) => ({ $dynamicRef: url })],
    ['a reference to a file', () => ({ $ref: 'file:///etc/hostname' })],
    ['a dialect', (url) => ({ $schema: url })],
  ])(
    'W37 %s in the schema of a sender is refused and fetched by nobody',
    async (_name, schemaFor) => {
      const { port, closes } = await serveSchema();
      const schema = schemaFor(`http://127.0.0.1:${port}/schema.json`);
      const { bob, alice } = await newScene();
      const message = await forge(alice, bob, withSchema(schema));
      const { outcome, code } = await judge(bob, message);
      expect([outcome.stage, code]).toEqual(['sender_schema', 'SCHEMA_UNSUPPORTED']);
      // Before the signature holds it is not even looked at.
      const forged = changed(message.envelope, put('/payload/goal', 'forged'));
      expect((await judge(bob, forged)).outcome.stage).toBe('verify');
      expect(closes).toEqual([]);
      expect(bob.runs).toEqual([]);
    },
  );

  test('W37 nor does the asking side fetch what an answer refers to', async () => {
    const { port, closes } = await serveSchema();
    const { ask } = await asking(async (outbound, { alice, bob }) => [
      await forgeReply(bob.identity, alice, outbound, {
        ct: 'toolresult.v1',
        payload: { call_id: 'c', ok: true, result: {}, logs: [], metrics: {} },
        members: { schema: embed({ $ref: `http://127.0.0.1:${port}/schema.json` }) },
        answersInput: inputHashOf(outbound),
      }),
    ]);
    const failure = await ask();
    expect(failure).toBeInstanceOf(SdlError);
    expect(failure).toMatchObject({ code: 'SCHEMA_UNSUPPORTED' });
    expect(closes).toEqual([]);
  });

  test.each(['sig', 'enc+sig'] as const)(
    'W39 a schema by address is refused in mode %s before any cryptography',
    async (mode) => {
      const { port, closes } = await serveSchema();
      const { bob, alice } = await newScene();
      const { id } = embed({ type: 'object', title: 'größe' });
      const schema = { kind: 'uri', id, uri: `http://127.0.0.1:${port}/schema.json` } as const;
      const message = await forge(alice, bob, { mode, members: { schema } });
      const broken = changed(message.envelope, put('/sec/sig/value', 'AA'));
      for (const one of [message, broken]) {
        const { outcome, code } = await judge(bob, one);
        expect([outcome.stage, code]).toEqual(['shape', 'SCHEMA_URI']);
      }
      expect(closes).toEqual([]);
      expect(bob.runs).toEqual([]);
    },
  );
});

describe('W38 schemas that burn time #schema-work #patterns', () => {
  const evil = 'a'.repeat(5_000);
  const inputMust = (schema: JsonObject): Schema => ({
    properties: { inputs: { properties: { n: schema } } },
  });
  /** Every definition applies the next one twice. */
  const bomb: Schema = {
    $ref: '#/$defs/level0',
    $defs: Object.fromEntries([
      ...Array.from({ length: 60 }, (_, level) => {
        const next = { $ref: `#/$defs/level${level + 1}` };
        return [`level${level}`, { allOf: [next, next] }] as const;
      }),
      ['level60', {}],
    ]),
  };

  test.each([
    ['(a+)+$', inputMust({ pattern: '^(a+)+$' }), 'PAYLOAD_INVALID'],
    ['(a|a)*b', inputMust({ pattern: '^(a|a)*b$' }), 'PAYLOAD_INVALID'],
    ['a look-ahead', inputMust({ pattern: '^(?=(a+))\\1b' }), 'SCHEMA_UNSUPPORTED'],
    ['a bomb of references', bomb, 'SCHEMA_WORK'],
    ['a schema that is itself', { $ref: '#' }, 'SCHEMA_WORK'],
  ])('W38 %s ends, and ends in a refusal', async (_name, schema, code) => {
    const { bob, alice } = await newScene();
    const draft = withInputs({ n: `${evil}!` }, withSchema(schema));
    const message = await forge(alice, bob, draft);
    expect((await judge(bob, message)).code).toBe(code);
    // Nobody gets it run without a signature that holds.
    const forged = changed(message.envelope, put('/payload/goal', 'forged'));
    expect((await judge(bob, forged)).outcome.stage).toBe('verify');
    expect(bob.runs).toEqual([]);
  });

  test('W38 the schema of a sender that proves nothing is not run at all', async () => {
    const { bob, alice } = await newScene();
    bob.book.add(entryFor(alice, { switches: new Set(['unsigned-requests']), minMode: 'none' }));
    const message = await forge(alice, bob, withSchema(bomb, { mode: 'none' }));
    expect((await judge(bob, message)).code).toBeUndefined();
  });
});

describe('W42 limits while reading #limits #limits-inner', () => {
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test.each([
    ['white space that no canonical form has', ' '.repeat(2_000_000), 'LIMIT_BYTES'],
    ['a hundred thousand brackets', deep(100_000), 'LIMIT_DEPTH'],
    ['a list without an end', `[${'0,'.repeat(20_000)}0]`, 'LIMIT_ARRAY'],
    ['a number without an end', '9'.repeat(5_000), 'LIMIT_NUMBER'],
    [
      'members without an end',
      `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":0`).join()}}`,
      'LIMIT_MEMBERS',
    ],
  ])('W42 %s is refused while it is read', async (_name, text, expected) => {
    const { bob, alice } = await newScene();
    const message = textOf((await forge(alice, bob)).bytes);
    // What follows is no JSON any more: it is never come to.
    const hostile = text.trim() === '' ? `${text}${message}` : `{"payload":${text}!`;
    const { outcome, code } = await judge(bob, utf8(hostile));
    expect([outcome.stage, code]).toEqual(['decode', expected]);
  });

  test('W42 the limits hold for what was encrypted too', async () => {
    const { bob, alice } = await newScene();
    const nested = Array.from({ length: 70 }).reduce<JsonValue>((inner) => [inner], 0);
    const message = await forge(alice, bob, withInputs({ nested }, { mode: 'enc+sig' }));
    expect((await judge(bob, message)).code).toBe('LIMIT_DEPTH');
    expect(bob.runs).toEqual([]);
  });
});

describe('W43 recipients #sec-recipients', () => {
  test('W43 more than 64 recipients are refused before any cryptography', async () => {
    const { bob, alice } = await newScene();
    const recipients = Array.from({ length: 65 }, () => encryptionKeyOf(bob));
    const { outcome, code } = await judge(
      bob,
      await forge(alice, bob, { mode: 'enc+sig', recipients }),
    );
    expect([outcome.stage, code]).toEqual(['shape', 'LIMIT_ARRAY']);
    expect(bob.runs).toEqual([]);
  });

  test('W43 of 64 entries one is tried, however many carry the kid of the receiver', async () => {
    const agreements: Uint8Array[] = [];
    const counting = {
      ...crypto,
      agree: (secret: Uint8Array, key: Uint8Array) => {
        agreements.push(secret);
        return crypto.agree(secret, key);
      },
    };
    const { bob, alice } = await newScene({ crypto: counting });
    const own = encryptionKeyOf(bob);
    const other = encryptionKeyOf({ ...bob, identity: alice });
    const recipients = Array.from({ length: 64 }, (_, index) =>
      index < 63 ? { ...other, kid: own.kid } : own,
    );
    const { code } = await judge(bob, await forge(alice, bob, { mode: 'enc+sig', recipients }));
    expect(code).toBe('DECRYPT_FAILED');
    const secret = bob.identity.keys.find(({ use }) => use === 'enc')!.key.reveal();
    expect(agreements.filter((used) => used === secret)).toHaveLength(1);
  });
});

describe('W45 room for everybody #admit', () => {
  const admission = { burst: 3, ratePerSecond: 1 };
  const from = (address: string): { peer: { transport: string; address: string } } => ({
    peer: { transport: 'test', address },
  });
  const codesOf = (judged: readonly Judged[]): (string | undefined)[] =>
    judged.map(({ code }) => code);

  test('W45 one address that floods, with garbage, uses up its own room only', async () => {
    const { bob, alice } = await newScene({ admission });
    const flood: Judged[] = [];
    for (let count = 0; count < 5; count += 1)
      flood.push(await judge(bob, utf8('{'), from('192.0.2.1')));
    expect(codesOf(flood).slice(3)).toEqual(['LIMIT_RATE', 'LIMIT_RATE']);
    expect(flood[4]!.replies).toMatchObject([{ status: 429 }]);
    expect((await judge(bob, await forge(alice, bob), from('192.0.2.2'))).code).toBeUndefined();
  });

  test('W45 one agent that floods from many addresses uses up its own room only', async () => {
    const { bob, alice, mallory } = await newScene({ admission });
    const flood: Judged[] = [];
    for (let count = 0; count < 5; count += 1) {
      flood.push(await judge(bob, await forge(mallory, bob), from(`192.0.2.${count}`)));
    }
    expect(codesOf(flood)).toEqual([undefined, undefined, undefined, 'LIMIT_RATE', 'LIMIT_RATE']);
    expect(bob.runs).toHaveLength(3);
    expect((await judge(bob, await forge(alice, bob), from('192.0.2.0'))).code).toBeUndefined();
  });

  test('W45 messages that only claim to be of an agent use up none of its room', async () => {
    const { bob, alice } = await newScene({ admission });
    for (let count = 0; count < 9; count += 1) {
      const { envelope } = await forge(alice, bob);
      const forged = changed(envelope, put('/payload/goal', 'forged'));
      expect((await judge(bob, forged, from(`192.0.2.${count}`))).code).toBe('SIGNATURE_INVALID');
    }
    expect((await judge(bob, await forge(alice, bob), from('198.51.100.1'))).code).toBeUndefined();
  });
});

describe('W48 CBOR that builds things #cbor', () => {
  /** The CBOR of a signed message with one text in it replaced by another item. */
  async function withItem(item: string): Promise<{ judged: Judged; runs: readonly JsonObject[] }> {
    const { bob, alice } = await newScene();
    const message = await forge(alice, bob, withInputs({ item: 'REPLACE' }, { encoding: 'cbor' }));
    const hex = toHex(message.bytes);
    const text = `67${toHex(utf8('REPLACE'))}`;
    expect(hex.split(text)).toHaveLength(2);
    const judged = await judge(bob, { ...message, bytes: fromHex(hex.replace(text, item)) });
    return { judged, runs: bob.runs };
  }

  test.each([
    ['a date (tag 0)', 'c074323031332d30332d32315432303a30343a30305a'],
    ['an epoch (tag 1)', 'c11a514b67b0'],
    ['a fraction (tag 4)', 'c48221196ab3'],
    ['a regular expression (tag 35)', 'd82362612b'],
    ['a shared value (tag 28)', 'd81c80'],
    ['a reference to one (tag 29)', 'd81d00'],
    ['a set (tag 258)', 'd9010280'],
    ['bytes', '4401020304'],
    ['a member name that is no text', 'a10102'],
    ['a member twice', 'a2616101616102'],
    ['an indefinite length', '9f01ff'],
    ['undefined', 'f7'],
    ['NaN', 'f97e00'],
  ])('W48 %s is refused', async (_name, item) => {
    const { judged, runs } = await withItem(item);
    expect([judged.outcome.stage, judged.code]).toEqual(['decode', 'ENCODING_INVALID']);
    // In the encoding in which it was sent.
    expect(judged.replies).toMatchObject([{ encoding: 'cbor' }]);
    expect(runs).toEqual([]);
  });

  test('W48 nesting without an end is refused', async () => {
    const { judged } = await withItem(`${'81'.repeat(100_000)}00`);
    expect(judged.code).toBe('LIMIT_DEPTH');
  });

  test('W48 a length that is not there is refused', async () => {
    const { judged } = await withItem('9affffffff');
    expect(['LIMIT_ARRAY', 'ENCODING_INVALID']).toContain(judged.code);
    expect(judged.outcome.stage).toBe('decode');
  });
});
