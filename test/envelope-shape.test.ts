// The check `shape`: every rule on an envelope's members, with the exact path of what is wrong.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../src/codec/value.ts';
import { LosslessNumber } from '../src/codec/value.ts';
import { checkShape } from '../src/envelope/shape.ts';
import { parseTimestamp, formatTimestamp } from '../src/envelope/timestamp.ts';
import type { ErrorCode } from '../src/errors.ts';
import { compileBounded } from '../src/schema/bounded/validator.ts';
import { Work } from '../src/schema/bounded/work.ts';
import { applyPatch } from '../src/state/apply-patch.ts';
import envelopeSchema from '../schemas/envelope.v1.json' with { type: 'json' };
import { codeOf, errorOf } from './support/bytes.ts';
import { registry, taskRequest, wireCopy } from './support/envelopes.ts';

const { contentTypes } = registry;
const check = (value: JsonValue): unknown => checkShape(value, { contentTypes });
const request = wireCopy(taskRequest());

const SIG = { alg: 'ed25519', value: 'AA' };
const RECIPIENT = { kid: 'k', eph: 'AA', wn: 'AA', ek: 'AA' };
const ENC = {
  alg: 'x25519-chacha20poly1305',
  nonce: 'AA',
  ciphertext: 'AA',
  recipients: [RECIPIENT],
};

function patched(...operations: JsonObject[]): JsonValue {
  return applyPatch(request, operations);
}
const put = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value });

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

describe('#timestamp W23 timestamps', () => {
  test.each([
    ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
    ['2024-02-29T23:59:59.5Z', Date.UTC(2024, 1, 29, 23, 59, 59, 500)],
    ['2026-11-16T00:28:29.123456789Z', Date.UTC(2026, 10, 16, 0, 28, 29, 123)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('%s is read', (text, epochMs) => {
    expect(parseTimestamp(text)).toBe(epochMs);
    expect(codeOf(() => check(patched(put('/ts', text))))).toBeUndefined();
  });
  test.each([
    ...['2026-W01-1', '2026-01-01', '2026-01-01T00:00:00', '2026-01-01T00:00:00+00:00'],
    ...['2026-01-01T00:00:00+14:00', '2026-01-01 00:00:00Z', '2026-01-01t00:00:00z'],
    ...[
      '2026-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
    ],
    ...[
      '2026-00-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '2026-01-01T24:00:00Z',
    ],
    ...[
      '2026-01-01T23:59:60Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:00.Z',
      '12026-01-01T00:00:00Z',
    ],
    ...[
      '2026-01-01T00:00:00.1234567890Z',
      '2026-01-01T00:00Z',
      ' 2026-01-01T00:00:00Z',
      '２026-01-01T00:00:00Z',
    ],
    ...['2026-01-01T00:00:00Z\n', '-2026-01-01T00:00:00Z', ''],
  ])('%j is refused', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
    const error = errorOf(() => check(patched(put('/ts', text))));
    expect(error?.details['path']).toBe('/ts');
  });
  test('what is written is read back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1, 0, 1) + 62_135_596_800_000, max: 253_402_300_799_999 }),
        (ms) => {
          expect(parseTimestamp(formatTimestamp(ms))).toBe(ms);
        },
      ),
    );
    expect(formatTimestamp(Date.UTC(2026, 0, 1))).toBe('2026-01-01T00:00:00Z');
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

describe('#sec-shape #sec-payload-null #sec-recipients the security block', () => {
  const secured = (sec: JsonObject, payload: JsonValue = null): JsonValue =>
    patched(put('/sec', sec), put('/payload', payload));
  test.each<[string, JsonValue]>([
    ['none', secured({ mode: 'none' }, {})],
    ['sig', secured({ mode: 'sig', kid: 'k', sig: SIG }, {})],
    ['sig with its form', secured({ mode: 'sig', kid: 'k', sig: { ...SIG, canon: 'jcs' } }, {})],
    ['enc', secured({ mode: 'enc', enc: ENC })],
    ['enc+sig', secured({ mode: 'enc+sig', kid: 'k', sig: SIG, enc: ENC, x: {}, other: 1 })],
    [
      'replay and session',
      secured(
        { mode: 'none', replay: { nonce: 'n', exp: '2026-01-01T00:00:00Z' }, session: {} },
        {},
      ),
    ],
  ])('%s is accepted', (_name, value) => {
    expect(codeOf(() => check(value))).toBeUndefined();
  });

  test.each<[string, JsonObject, ErrorCode, string?]>([
    ['no mode', {}, 'MODE_REFUSED'],
    ['an unknown mode', { mode: 'SIG' }, 'MODE_REFUSED'],
    [
      'an unknown signature',
      { mode: 'sig', kid: 'k', sig: { ...SIG, alg: 'none' } },
      'MODE_REFUSED',
    ],
    ['an unknown form', { mode: 'sig', kid: 'k', sig: { ...SIG, canon: 'x' } }, 'MODE_REFUSED'],
    ['an unknown cipher', { mode: 'enc', enc: { ...ENC, alg: 'rot13' } }, 'MODE_REFUSED'],
    ['no kid', { mode: 'sig', sig: SIG }, 'ENVELOPE_INVALID', '/sec/kid'],
    ['an empty kid', { mode: 'none', kid: '' }, 'ENVELOPE_INVALID', '/sec/kid'],
    ['no signature', { mode: 'sig', kid: 'k' }, 'ENVELOPE_INVALID', '/sec/sig'],
    [
      'an empty signature',
      { mode: 'sig', kid: 'k', sig: { ...SIG, value: '' } },
      'ENVELOPE_INVALID',
      '/sec/sig/value',
    ],
    [
      'a signature that nobody checks',
      { mode: 'enc', enc: ENC, sig: SIG },
      'ENVELOPE_INVALID',
      '/sec/sig',
    ],
    [
      'a ciphertext that nobody opens',
      { mode: 'sig', kid: 'k', sig: SIG, enc: ENC },
      'ENVELOPE_INVALID',
      '/sec/enc',
    ],
    ['W9 an empty encryption block', { mode: 'enc', enc: {} }, 'MODE_REFUSED'],
    [
      'no recipients',
      { mode: 'enc', enc: { ...ENC, recipients: [] } },
      'ENVELOPE_INVALID',
      '/sec/enc/recipients',
    ],
    [
      'a recipient without key',
      { mode: 'enc', enc: { ...ENC, recipients: [RECIPIENT, { kid: 'k' }] } },
      'ENVELOPE_INVALID',
      '/sec/enc/recipients/1/eph',
    ],
    [
      'W43 65 recipients',
      { mode: 'enc', enc: { ...ENC, recipients: Array.from({ length: 65 }, () => RECIPIENT) } },
      'LIMIT_ARRAY',
      '/sec/enc/recipients',
    ],
    [
      'a replay block without end',
      { mode: 'none', replay: { nonce: 'n' } },
      'ENVELOPE_INVALID',
      '/sec/replay/exp',
    ],
    [
      'an empty nonce',
      { mode: 'none', replay: { nonce: '', exp: '2026-01-01T00:00:00Z' } },
      'ENVELOPE_INVALID',
      '/sec/replay/nonce',
    ],
    ['a session that is text', { mode: 'none', session: 's' }, 'ENVELOPE_INVALID', '/sec/session'],
    ['additions that are text', { mode: 'none', x: 's' }, 'ENVELOPE_INVALID', '/sec/x'],
  ])('%s is refused', (_name, sec, code, path) => {
    const error = errorOf(() => check(secured(sec)));
    expect(error?.code).toBe(code);
    if (path !== undefined) expect(error?.details['path']).toBe(path);
  });

  test('W9 a plaintext payload beside an encryption block is refused', () => {
    const error = errorOf(() => check(secured({ mode: 'enc', enc: ENC }, {})));
    expect(error?.code).toBe('ENVELOPE_INVALID');
    expect(error?.details['path']).toBe('/payload');
  });
});

describe('#schema-lock schemas/envelope.v1.json', () => {
  const published = compileBounded(envelopeSchema as JsonObject, new Work(1e6));
  const isValid = (value: JsonValue): boolean =>
    published.validate(value, new Work(1e6)) === undefined;
  const full = patched(
    put('/type', 'res'),
    put('/re', 'r'),
    put('/payload', null),
    put('/sec', {
      mode: 'enc+sig',
      kid: 'k',
      sig: SIG,
      enc: ENC,
      replay: { nonce: 'n', exp: '2026-01-01T00:00:00Z' },
      session: {},
      x: {},
    }),
  ) as JsonObject;

  test('says of mutated envelopes what the code says', () => {
    const pointers: string[] = [];
    const collect = (value: JsonValue, path: string): void => {
      pointers.push(path);
      if (typeof value !== 'object' || value === null || path.startsWith('/schema/embedded'))
        return;
      for (const name of Object.keys(value))
        collect((value as JsonObject)[name]!, `${path}/${name}`);
    };
    for (const name of Object.keys(full)) collect(full[name]!, `/${name}`);
    const replacement = fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      1,
      7,
      -1,
      0.5,
      '',
      'x',
      'req',
      'sig',
      'none',
      [],
      {},
      'x'.repeat(600),
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...pointers), fc.option(replacement), (path, value) => {
        const mutated = applyPatch(full, [
          value === null ? { op: 'remove', path } : { op: 'replace', path, value },
        ]);
        const code = codeOf(() => check(mutated));
        // What only the receiver can know is beyond a schema: its content types and its limit on hops.
        if (code === 'CT_UNSUPPORTED' || code === 'LIMIT_HOPS') return;
        if (code !== undefined) refused += 1;
        expect(isValid(mutated)).toBe(code === undefined);
      }),
      { numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });
});
