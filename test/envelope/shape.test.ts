// The check `shape`: every rule on an envelope's members, with the exact path of what is wrong.

import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { codeOf, errorOf } from '../support/wire/bytes.ts';
import { patched, put, registry, request } from '../support/wire/envelopes.ts';

const { contentTypes } = registry;
const check = (value: JsonValue): unknown => checkShape(value, { contentTypes });

describe('#envelope-required #message what every envelope has', () => {
  test('a request is accepted and is the same value', () => {
    expect(check(request)).toBe(request);
  });

  test.each(['v', 'id', 'ts', 'type', 'from', 'to', 'cap', 'ct', 'payload'])(
    'without %s it is refused with that path',
    (name) => {
      const error = errorOf(() => check(patched({ op: 'remove', path: `/${name}` })));
      expect(error?.code).toBe('ENVELOPE_INVALID');
      expect(error?.details['path']).toBe(`/${name}`);
    },
  );

  const wrong: [string, JsonValue, string?][] = [
    ['/id', ''],
    ['/id', 'x'.repeat(257)],
    ['/id', 7],
    ['/type', 'request'],
    ['/from', 'did:key:alice'],
    ['/from/agent_id', ''],
    ['/from/name', 'x'.repeat(513)],
    ['/to/instance', null],
    ['/to/role', []],
    ['/cap', []],
    ['/ct', ''],
    ['/ct', 'x'.repeat(129)],
    ['/re', 'other'],
    ['/sec', []],
    ['/trace', 'x'],
    ['/trace/root_id', ''],
    ['/trace/span_id', 1],
    ['/trace/parent_span_id', null],
  ];
  test.each(wrong)('%s = %j is refused with that path', (path, value) => {
    const error = errorOf(() => check(patched(put(path, value))));
    expect(error?.code).toBe('ENVELOPE_INVALID');
    expect(error?.details['path']).toBe(path);
  });

  test.each([[null], [[]], ['x'], [1]])('%j is no envelope', (value) => {
    expect(codeOf(() => check(value as JsonValue))).toBe('ENVELOPE_INVALID');
  });
});

describe('#envelope-identity #envelope-length lengths', () => {
  test('are counted in characters, not in UTF-16 units', () => {
    expect(codeOf(() => check(patched(put('/id', '😀'.repeat(256)))))).toBeUndefined();
    expect(codeOf(() => check(patched(put('/id', '😀'.repeat(257)))))).toBe('ENVELOPE_INVALID');
    expect(codeOf(() => check(patched(put('/from/role', '😀'.repeat(512)))))).toBeUndefined();
  });
});

describe('#envelope-open unknown members', () => {
  test.each(['/extra', '/from/extra', '/cap/extra', '/trace/extra', '/__proto__'])(
    '%s is left in place',
    (path) => {
      const value = patched(put(path, { any: 1 }));
      expect(check(value)).toBe(value);
    },
  );
});

describe('#version #checks-version-first W32 the version', () => {
  test.each<[string, JsonValue, ErrorCode]>([
    ['2', 2, 'VERSION_UNSUPPORTED'],
    ['0', 0, 'VERSION_UNSUPPORTED'],
    ['a huge integer', new LosslessNumber('99999999999999999999'), 'VERSION_UNSUPPORTED'],
    ['true', true, 'ENVELOPE_INVALID'],
    ['1.0', new LosslessNumber('1.0'), 'ENVELOPE_INVALID'],
    ['text', '1', 'ENVELOPE_INVALID'],
  ])('%s is refused', (_name, version, code) => {
    expect(codeOf(() => check(patched(put('/v', version))))).toBe(code);
  });
  test('of another version nothing else is judged', () => {
    expect(codeOf(() => check({ v: 2 }))).toBe('VERSION_UNSUPPORTED');
  });
});

describe('#trace hops', () => {
  test.each<[string, JsonValue, ErrorCode | undefined]>([
    ['0', 0, undefined],
    ['8', 8, undefined],
    ['9', 9, 'LIMIT_HOPS'],
    ['a huge integer', new LosslessNumber('99999999999999999999'), 'LIMIT_HOPS'],
    ['-1', -1, 'ENVELOPE_INVALID'],
    ['true', true, 'ENVELOPE_INVALID'],
    ['1.0', new LosslessNumber('1.0'), 'ENVELOPE_INVALID'],
    ['0.5', 0.5, 'ENVELOPE_INVALID'],
  ])('W32 %s', (_name, hops, code) => {
    const error = errorOf(() => check(patched(put('/trace/hops', hops))));
    expect(error?.code).toBe(code);
    if (code !== undefined) expect(error?.details['path']).toBe('/trace/hops');
  });
});

describe('#ct-unknown a content type that is not known', () => {
  test('is refused although nothing is signed, and the known ones are listed in order', () => {
    const error = errorOf(() => check(patched(put('/ct', 'foo.v9'))));
    expect(error?.code).toBe('CT_UNSUPPORTED');
    expect(error?.details['supported_ct']).toEqual([
      'a2a.artifact.v1',
      'a2a.digest.v1',
      'a2a.message.v1',
      'a2a.status.v1',
      'artifact.v1',
      'error.v1',
      'negotiation.v1',
      'session.v1',
      'state.v1',
      'task.v1',
      'toolcall.v1',
      'toolresult.v1',
      'trustsync.v1',
    ]);
  });
});

describe('#re the request that is answered', () => {
  test('belongs on answers and events only', () => {
    for (const type of ['res', 'evt']) {
      expect(codeOf(() => check(patched(put('/type', type), put('/re', 'r'))))).toBeUndefined();
      expect(codeOf(() => check(patched(put('/type', type), put('/re', ''))))).toBe(
        'ENVELOPE_INVALID',
      );
    }
    expect(codeOf(() => check(patched(put('/re', 'r'))))).toBe('ENVELOPE_INVALID');
  });
});

describe('#descriptor #schema-uri W39 the schema descriptor', () => {
  test.each<[JsonObject, ErrorCode, string]>([
    [put('/schema', 'x'), 'SCHEMA_DESCRIPTOR', '/schema'],
    [put('/schema/kind', 'file'), 'SCHEMA_DESCRIPTOR', '/schema/kind'],
    [put('/schema/id', 'sha256:AA'), 'SCHEMA_DESCRIPTOR', '/schema/id'],
    [put('/schema/id', `sha256:${'A'.repeat(64)}`), 'SCHEMA_DESCRIPTOR', '/schema/id'],
    [put('/schema/embedded', []), 'SCHEMA_DESCRIPTOR', '/schema/embedded'],
    [{ op: 'remove', path: '/schema' }, 'SCHEMA_DESCRIPTOR', '/schema'],
    [put('/schema/kind', 'uri'), 'SCHEMA_DESCRIPTOR', '/schema/uri'],
  ])('%j is refused as %s at %s', (operation, code, path) => {
    const error = errorOf(() => check(patched(operation)));
    expect(error?.code).toBe(code);
    expect(error?.details['path']).toBe(path);
  });
  test('a schema by address is refused unless a resolver is set up', () => {
    const byAddress = patched(
      put('/schema/kind', 'uri'),
      put('/schema/uri', 'https://example.com/s'),
    );
    expect(codeOf(() => check(byAddress))).toBe('SCHEMA_URI');
    expect(checkShape(byAddress, { contentTypes, allowSchemaUri: true })).toBe(byAddress);
  });
});
