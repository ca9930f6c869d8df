// The checks `schema` and `sender_schema`, the schemas of record and their lock.

import { readFileSync, readdirSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { writeCbor } from '../../src/codec/cbor/write.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { Encoding } from '../../src/envelope/decode.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { contentHash } from '../../src/schema/content-hash.ts';
import { originOf } from '../../src/schema/descriptor-origin.ts';
import type { EmbeddedDescriptor, Schema } from '../../src/schema/descriptor.ts';
import { embed, verifyEmbedded } from '../../src/schema/descriptor.ts';
import { SchemaRegistry } from '../../src/schema/registry.ts';
import { V1_SCHEMA_IDS } from '../../src/schema/v1-schema-ids.ts';
import hashes from '../../schemas/hashes.json' with { type: 'json' };
import { codeOf, errorOf } from '../support/wire/bytes.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

const registry = new SchemaRegistry();
const own = registry.descriptorFor('task.v1');
const check = (payload: JsonValue, descriptor: EmbeddedDescriptor = own, ct = 'task.v1'): void => {
  registry.checkOwn({ ct, payload, descriptor });
  registry.checkSenders({ ct, payload, descriptor });
};

describe('#schema-lock the schemas of record', () => {
  const folder = new URL('../../schemas/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /\.v\d+\.json$/.test(name));
  test('are the envelope, nine content types and four that other dialects carry (#sealed-content)', () => {
    expect(files).toHaveLength(14);
    expect(files.filter((name) => name.startsWith('a2a.'))).toHaveLength(4);
    expect([...registry.contentTypes].sort()).toEqual(
      files
        .map((name) => name.replace('.json', ''))
        .filter((name) => name !== 'envelope.v1')
        .sort(),
    );
  });
  test.each(files)('%s has the hash that is locked', (name) => {
    const schema = readJson(new Uint8Array(readFileSync(new URL(name, folder))));
    expect(hashes[name.replace('.json', '') as keyof typeof hashes]).toBe(contentHash(schema));
  });
  test('nothing else is locked', () => {
    expect(Object.keys(hashes).sort()).toEqual(
      files.map((name) => name.replace('.json', '')).sort(),
    );
  });
});

const { goal: _goal, ...withoutGoal } = taskPayload;

describe('#content-types payloads of v1 peers', () => {
  const payloads: [string, JsonValue][] = [
    ['task.v1', taskPayload],
    ['task.v1', { ...taskPayload, context: { task: 'free form' }, extra: [] }],
    ['toolcall.v1', { tool: 'math.add', call_id: 'c', args: { values: [1] }, expect: {} }],
    [
      'toolcall.v1',
      {
        tool: 't',
        call_id: 'c',
        args: {},
        expect: {},
        authz: { scopes: ['s'], delegated_by: 'd', reason: 'r' },
      },
    ],
    ['toolresult.v1', { call_id: 'c', ok: true, result: null, logs: ['l'], metrics: {} }],
    [
      'state.v1',
      { base: 'sha256:e3b0', patch: [{ op: 'add', path: '/status', value: 'accepted' }] },
    ],
    ['artifact.v1', { items: [{}], refs: [{}] }],
    ['error.v1', { code: 'INTERNAL', message: '', details: {}, retryable: false }],
    ['negotiation.v1', { need: {}, have: {}, ask: ['a'], supported_ct: [], session_binding: {} }],
    ['trustsync.v1', { op: 'discover' }],
    [
      'trustsync.v1',
      {
        op: 'propose',
        proposal_id: 'p',
        merge: true,
        registry: {},
        signature: 's',
        approvals: [{ approver: 'a', signature: 's' }],
        status: 'accepted',
        message: 'm',
        registry_hash: 'h',
        snapshot: {},
        source_agent: 'a',
        approved_by: ['a'],
        quorum: {},
      },
    ],
    ['session.v1', { op: 'open', profile: {}, nonce: '12345678' }],
    [
      'session.v1',
      {
        op: 'ack',
        profile: {},
        nonce: '12345678',
        expires: '',
        accepted: true,
        binding_id: 'b',
        binding_sig: 's',
        binding_alg: 'a',
        message: 'm',
      },
    ],
  ];
  test.each(payloads)('%s %j fits', (ct, payload) => {
    expect(codeOf(() => check(payload, registry.descriptorFor(ct), ct))).toBeUndefined();
  });

  test.each<[string, JsonValue, string]>([
    ['task.v1', { ...taskPayload, goal: '' }, '/goal'],
    ['task.v1', { ...taskPayload, kind: 'task.v2' }, '/kind'],
    [
      'task.v1',
      { ...taskPayload, constraints: { time_budget_s: -1, compute_budget: 'low', safety: {} } },
      '/constraints/time_budget_s',
    ],
    [
      'task.v1',
      {
        ...taskPayload,
        deliverables: [
          { type: 'text', description: '' },
          { type: 'gold', description: '' },
        ],
      },
      '/deliverables/1/type',
    ],
    ['task.v1', { ...withoutGoal }, '/goal'],
    ['task.v1', [], ''],
    ['task.v1', null, ''],
    ['error.v1', { code: 'TEAPOT', message: '', details: {}, retryable: false }, '/code'],
    ['session.v1', { op: 'open', profile: {}, nonce: '1234567' }, '/nonce'],
    ['artifact.v1', { items: [1], refs: [] }, '/items/0'],
  ])('%s %j is refused at %s', (ct, payload, path) => {
    const error = errorOf(() => check(payload, registry.descriptorFor(ct), ct));
    expect(error?.code).toBe('PAYLOAD_INVALID');
    expect(error?.details['path']).toBe(path);
  });

  test('#schema-numbers W34 1.0 is an integer', () => {
    const constraints = {
      time_budget_s: new LosslessNumber('30.0'),
      compute_budget: 'low',
      safety: {},
    };
    expect(codeOf(() => check({ ...taskPayload, constraints }))).toBeUndefined();
  });
});

describe('#schema-own W8 the sender cannot loosen our schema', () => {
  test.each<[string, Schema]>([
    ['{}', {}],
    ['true', true],
    ['an integer', { type: 'integer' }],
  ])('with the schema %s a payload that is not ours is refused as ours says', (_name, schema) => {
    const error = errorOf(() => check({ nonsense: 1 }, embed(schema)));
    expect(error?.code).toBe('PAYLOAD_INVALID');
    expect(error?.message).toContain('our schema');
  });
});

describe("#schema-sender the sender's schema", () => {
  test('is a further constraint', () => {
    const strict = embed({ properties: { goal: { maxLength: 3 } } });
    const error = errorOf(() => check(taskPayload, strict));
    expect(error?.code).toBe('PAYLOAD_INVALID');
    expect(error?.message).toContain("the sender's schema");
    expect(error?.details).toEqual({ keyword: 'maxLength' });
    expect(codeOf(() => check({ ...taskPayload, goal: 'abc' }, strict))).toBeUndefined();
  });
  test.each<[string, Schema, string]>([
    ['W37 a remote reference', { $ref: 'http://127.0.0.1:1/x' }, 'SCHEMA_UNSUPPORTED'],
    ['W37 a file reference', { $ref: 'file:///etc/passwd' }, 'SCHEMA_UNSUPPORTED'],
    ['a look-behind', { properties: { goal: { pattern: '(?<=a)b' } } }, 'SCHEMA_UNSUPPORTED'],
    ['a back-reference', { properties: { goal: { pattern: '(a)\\1' } } }, 'SCHEMA_UNSUPPORTED'],
    ['a loop', { $ref: '#' }, 'SCHEMA_WORK'],
    [
      'another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      'SCHEMA_UNSUPPORTED',
    ],
  ])('#schema-no-fetch #schema-dialect %s is refused', (_name, schema, code) => {
    expect(codeOf(() => check(taskPayload, embed(schema)))).toBe(code);
  });
  test('#schema-work W38 a bomb of references is refused, again and again', () => {
    const $defs: Record<string, JsonValue> = { d30: { type: 'object' } };
    for (let level = 0; level < 30; level += 1) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { allOf: [next, next] };
    }
    const bomb = embed({ $defs, $ref: '#/$defs/d0' });
    for (let time = 0; time < 3; time += 1) {
      expect(codeOf(() => check(taskPayload, bomb))).toBe('SCHEMA_WORK');
    }
  });
});

describe('#schema-work #schema-v1-ids how much work is allowed', () => {
  /** As many steps as one wants: each name is looked up in each of the schemas. */
  const costly = (schemas: number): Schema => ({
    allOf: Array.from({ length: schemas }, () => ({ required: ['kind', 'goal', 'inputs'] })),
  });
  const received = (padding: number, schema: Schema): { payload: JsonValue; descriptor: never } => {
    const payload = { ...taskPayload, context: { padding: 'x'.repeat(padding) } };
    const message = { payload, schema: embed(schema) } as unknown as JsonValue;
    const value = decodeMessage(writeJson(message), 'json') as JsonObject;
    return { payload: value['payload']!, descriptor: value['schema'] as never };
  };
  const outcome = (padding: number, schema: Schema): unknown =>
    codeOf(() =>
      new SchemaRegistry().checkSenders({ ct: 'task.v1', ...received(padding, schema) }),
    );

  test("a sender's schema may take more in a larger message", () => {
    const smallest = Array.from({ length: 40 }, (_, index) => 250 * (index + 1)).find(
      (schemas) => outcome(0, costly(schemas)) === 'SCHEMA_WORK',
    )!;
    expect(smallest).toBeGreaterThan(250);
    expect(outcome(500_000, costly(smallest))).toBeUndefined();
  });

  test('our own schemas may take far more', () => {
    const custom = new SchemaRegistry();
    const descriptor = custom.register('costly.v1', costly(10_000));
    const costlyCheck = { ct: 'costly.v1', payload: taskPayload, descriptor };
    expect(codeOf(() => custom.checkOwn(costlyCheck))).toBeUndefined();
    expect(outcome(0, costly(10_000))).toBe('SCHEMA_WORK');
  });
});

describe('#schema-errors W1 W47 what an error tells', () => {
  const inner = { additionalProperties: { type: 'integer' } };
  const payload = { ...taskPayload, inputs: { 'SECRET-name': 'SECRET-value' } };

  test('names that only the payload has are hidden, values never appear', () => {
    const custom = new SchemaRegistry();
    const descriptor = custom.register('custom.v1', { properties: { inputs: inner } });
    const error = errorOf(() => custom.checkOwn({ ct: 'custom.v1', payload, descriptor }));
    expect(error?.details).toEqual({
      path: '/inputs/*',
      keyword: 'type',
      schema_path: '/properties/inputs/additionalProperties/type',
    });
    expect(error?.message).not.toContain('SECRET-value');
  });

  test("of the sender's schema only the keyword is told", () => {
    const schema = embed({ properties: { inputs: inner }, $defs: { 'SECRET-def': true } });
    const error = errorOf(() => check(payload, schema));
    expect(error?.details).toEqual({ keyword: 'type' });
  });
});

describe('#descriptor-hash the hash of an embedded schema', () => {
  const forged: EmbeddedDescriptor = {
    ...own,
    embedded: { ...(own.embedded as JsonObject), x: 1 },
  };
  test('must be the id', () => {
    expect(codeOf(() => check(taskPayload, forged))).toBe('SCHEMA_HASH');
    expect(codeOf(() => verifyEmbedded(own))).toBeUndefined();
  });

  test.each<Encoding>(['json', 'cbor'])(
    'is remembered by the bytes of the descriptor in %s, and never for other bytes',
    (encoding) => {
      const fresh = new SchemaRegistry();
      const decode = (descriptor: EmbeddedDescriptor): EmbeddedDescriptor => {
        const message = { x: { schema: {} }, schema: descriptor } as unknown as JsonValue;
        const bytes = encoding === 'json' ? writeJson(message) : writeCbor(message);
        const value = decodeMessage(bytes, encoding) as JsonObject;
        return value['schema'] as unknown as EmbeddedDescriptor;
      };
      const run = (descriptor: EmbeddedDescriptor): unknown =>
        codeOf(() => fresh.checkOwn({ ct: 'task.v1', payload: taskPayload, descriptor }));
      expect(originOf(decode(own))?.text).toContain(own.id);
      for (let time = 0; time < 2; time += 1) {
        expect(run(decode(own))).toBeUndefined();
        expect(run(decode(forged))).toBe('SCHEMA_HASH');
      }
      // What was read vouches for itself only: a copy with another schema has no text to show.
      expect(run({ ...decode(own), embedded: true })).toBe('SCHEMA_HASH');
    },
  );

  test('is looked up by text in which every byte shows', () => {
    const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(new Set(new TextDecoder('latin1').decode(everyByte)).size).toBe(256);
  });
});

describe('#schema-v1-ids the schemas that v1 peers embed', () => {
  test.skipIf(!hasVectors)('are known by their hashes', () => {
    const { builtin_schema_ids: ids } = vectorJson<{ builtin_schema_ids: Record<string, string> }>(
      'a2a-sdl/golden.json',
    );
    expect(Object.fromEntries(V1_SCHEMA_IDS)).toEqual(ids);
  });
});

describe('#descriptor-hash W8 the cache of compiled schemas', () => {
  test("a forged descriptor is refused by the sender's check too, and spoils nothing for others", () => {
    const fresh = new SchemaRegistry();
    const honest = embed({ properties: { goal: { minLength: 1 } } });
    const forgery: EmbeddedDescriptor = { ...honest, embedded: false };
    const run = (descriptor: EmbeddedDescriptor): unknown =>
      codeOf(() => fresh.checkSenders({ ct: 'task.v1', payload: taskPayload, descriptor }));
    expect(run(forgery)).toBe('SCHEMA_HASH');
    expect(run(honest)).toBeUndefined();
    expect(run(forgery)).toBe('SCHEMA_HASH');
  });
});

describe('custom content types', () => {
  test('keep the schema that was registered, whatever becomes of the object', () => {
    const custom = new SchemaRegistry();
    const schema = { type: 'object', required: ['city'] };
    const { id } = custom.register('weather.v1', schema);
    schema.required.push('country');
    const descriptor = custom.descriptorFor('weather.v1');
    expect(embed(descriptor.embedded).id).toBe(id);
    const payload = { city: 'Oslo' };
    expect(
      codeOf(() => custom.checkOwn({ ct: 'weather.v1', payload, descriptor })),
    ).toBeUndefined();
  });
  test.each(['', 'x'.repeat(129)])('a name such as "%s" is refused', (ct) => {
    expect(() => new SchemaRegistry().register(ct, true)).toThrow(/"ct" expected/);
  });
  test('what cannot be used in a schema is named', () => {
    const custom = new SchemaRegistry();
    expect(() => custom.register('a.v1', { pattern: '(?=x)' })).toThrow(
      /look-ahead at character 0/,
    );
    expect(() => custom.register('a.v1', { $ref: 'https://example.com/x' })).toThrow(
      /never fetched/,
    );
    expect(() => custom.descriptorFor('wether.v1')).toThrow(/"wether.v1" is not registered/);
  });
  test('are registered once and then checked like the built-in ones', () => {
    const custom = new SchemaRegistry();
    const descriptor = custom.register('weather.v1', { type: 'object', required: ['city'] });
    expect(custom.contentTypes.has('weather.v1')).toBe(true);
    expect(codeOf(() => custom.checkOwn({ ct: 'weather.v1', payload: {}, descriptor }))).toBe(
      'PAYLOAD_INVALID',
    );
    expect(() => custom.register('weather.v1', true)).toThrow(/registered already/);
    expect(codeOf(() => custom.register('bad.v1', { type: 'strin' }))).toBe('SCHEMA_UNSUPPORTED');
    expect(custom.contentTypes.has('bad.v1')).toBe(false);
    expect(codeOf(() => custom.descriptorFor('foo.v1'))).toBe('CT_UNSUPPORTED');
  });
});

describe('#schema-uri a schema by address', () => {
  test('is refused by the registry until it is resolved', () => {
    const descriptor = { kind: 'uri', id: own.id, uri: 'https://example.com/' } as const;
    const byAddress = { ct: 'task.v1', payload: taskPayload, descriptor };
    expect(codeOf(() => registry.checkOwn(byAddress))).toBe('SCHEMA_URI');
  });
});
