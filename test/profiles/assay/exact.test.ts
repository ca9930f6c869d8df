// The rules that decide single digits: how numbers are spelled, how times are printed, which versions count, what is no
// JSON, and which limit is named.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  attributesText,
  convertText,
  errorOf,
  eventOf,
  kindOf,
  packetText,
  withAttributes,
} from '../../support/assay/packets.ts';

const spelled = (lexeme: string): string => attributesText(convertText(withAttributes(lexeme)));

describe('numbers in method (a) (#assay-text, #assay-hash)', () => {
  test.each([
    ['0', '0'],
    ['-1', '-1'],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551615', '18446744073709551615'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['-9223372036854775809', '-9.223372036854776e+18'],
    ['-0', '-0.0'],
    ['-0.0', '-0.0'],
    ['0.0', '0.0'],
    ['0e7', '0.0'],
    ['1.0', '1.0'],
    ['1e2', '100.0'],
    ['1E2', '100.0'],
    ['1e15', '1000000000000000.0'],
    ['9999999999999998.0', '9999999999999998.0'],
    ['1e16', '1e+16'],
    ['1.5e16', '1.5e+16'],
    ['123456789012345678.0', '1.2345678901234568e+17'],
    ['1e-5', '0.00001'],
    ['0.000012', '0.000012'],
    ['0.00000999', '9.99e-6'],
    ['1e-6', '1e-6'],
    ['1e-400', '0.0'],
    ['-1e-400', '-0.0'],
    ['5e-324', '5e-324'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['0.1', '0.1'],
    ['123.456', '123.456'],
    ['-12.5', '-12.5'],
    ['100000000000000000000000', '1e+23'],
  ])('%s becomes %s', (lexeme, text) => {
    expect(spelled(lexeme)).toBe(text);
  });

  test('a double is spelled with the shortest digits that give it back, and never as an integer', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const lexeme = Object.is(value, -0) ? '-0.0' : value.toExponential();
        const text = spelled(lexeme);
        const size = Math.abs(value);
        const isPlain = value === 0 || (size >= 1e-5 && size < 1e16);
        expect(Object.is(Number(text), value)).toBe(true);
        expect(text).toMatch(isPlain ? /^-?\d+\.\d+$/ : /^-?\d(\.\d+)?e[+-]\d+$/);
        // No shorter text of as many digits gives the same double.
        const digits = (of: string): number =>
          of
            .replace(/e.*$/, '')
            .replace(/[-.]/g, '')
            .replace(/^0+|0+$/g, '').length;
        expect(digits(text)).toBe(digits(value.toExponential()));
      }),
      { numRuns: 400 },
    );
  });

  test('integers of 64 bits are written as they are', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
        expect(spelled(value.toString())).toBe(value.toString());
      }),
      { numRuns: 200 },
    );
  });

  test('the content hash rounds them to doubles', () => {
    const hash = (lexeme: string): string => convertText(withAttributes(lexeme)).contentHash;
    expect(hash('9007199254740993')).toBe(hash('9007199254740992'));
    expect(hash('9223372036854775807')).toBe(hash('9223372036854775808'));
    expect(hash('1.0')).toBe(hash('1'));
    expect(hash('-0.0')).toBe(hash('0'));
    expect(hash('9007199254740992')).not.toBe(hash('9007199254740994'));
    const digest = (lexeme: string): string => convertText(withAttributes(lexeme)).digests.data;
    expect(digest('9007199254740993')).not.toBe(digest('9007199254740992'));
    expect(digest('1.0')).not.toBe(digest('1'));
  });
});

describe('times (#assay-time)', () => {
  const timeOf = (timestamp: unknown): unknown =>
    eventOf(convertText(packetText({ timestamp })))['time'];
  const DEFAULT = '2023-11-16T02:00:00Z';

  test.each([
    ['2026-02-27T10:05:00Z', '2026-02-27T10:05:00Z'],
    ['2026-02-27t10:05:00z', '2026-02-27T10:05:00Z'],
    ['2026-02-27 10:05:00Z', '2026-02-27T10:05:00Z'],
    ['2026-02-27T10:05:00+02:00', '2026-02-27T08:05:00Z'],
    ['2026-02-27T10:05:00-23:59', '2026-02-28T10:04:00Z'],
    ['2026-02-27T10:05:00+23:59', '2026-02-26T10:06:00Z'],
    ['2026-02-27T10:05:00-00:00', '2026-02-27T10:05:00Z'],
    ['2026-02-27T10:05:00\u221202:00', '2026-02-27T12:05:00Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:60Z'],
    ['2026-02-27T10:05:60.5+01:00', '2026-02-27T09:05:60.500Z'],
    ['2026-02-27T10:05:00.000Z', '2026-02-27T10:05:00Z'],
    ['2026-02-27T10:05:00.1234Z', '2026-02-27T10:05:00.123400Z'],
    ['2026-02-27T10:05:00.1Z', '2026-02-27T10:05:00.100Z'],
    ['2026-02-27T10:05:00.0000001Z', '2026-02-27T10:05:00.000000100Z'],
    ['2026-02-27T10:05:00.9999999999Z', '2026-02-27T10:05:00.999999999Z'],
    ['2026-02-27T10:05:00.00000000099Z', '2026-02-27T10:05:00Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['0000-01-01T00:00:00+00:01', '-0001-12-31T23:59:00Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z'],
    ['9999-12-31T23:59:00-00:01', '+10000-01-01T00:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ])('%s is printed as %s', (given, printed) => {
    expect(timeOf(given)).toBe(printed);
  });

  test.each([
    '2026-02-27T10:05:00+24:00',
    '2026-02-27T10:05:00+01:60',
    '2026-02-27T10:05:61Z',
    '2026-02-27T24:00:00Z',
    '2026-02-27T10:60:00Z',
    '2026-02-27T10:05Z',
    '2026-02-27T10:05:00',
    '2026-02-27T10:05:00+0200',
    '2026-02-27T10:05:00,5Z',
    '2026-02-27T10:05:00.Z',
    ' 2026-02-27T10:05:00Z',
    '2026-02-27T10:05:00Z ',
    '+2026-02-27T10:05:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-02-27_10:05:00Z',
    '2026-02-27',
    '',
    1_700_100_000,
    null,
  ])('%j is none', (given) => {
    expect(timeOf(given)).toBe(DEFAULT);
  });
});

describe('versions (#assay-version)', () => {
  const kind = (version: string): string => kindOf(() => convertText(packetText({ version })));

  test.each([
    '0.2',
    '0.2.0',
    '0.3.1',
    '0.10',
    '0.999',
    '0.2.junk',
    '+0.2',
    '00.02',
    '0.+3',
    '0.18446744073709551615',
    '0.00000000000000000000000000002',
    '0.2.',
  ])('%s is read', (version) => {
    expect(kind(version)).toBe('none');
  });

  test.each([
    '1.0',
    '1',
    '0',
    '0.1',
    'v0.3',
    '0.3-rc1',
    ' 0.3',
    '',
    '0.',
    '.2',
    '-0.2',
    '0.-3',
    '0.18446744073709551616',
    '\u0660.\u0662',
    '0x0.2',
    '0.2 ',
    '0.1e1',
    '0.++3',
    '0.+',
  ])('%j is not', (version) => {
    expect(kind(version)).toBe('unsupported_protocol_version');
  });
});

describe('reading (#assay-reading)', () => {
  test.each([
    ['', 'nothing'],
    ['{"a":1,"a":2}', 'a member twice'],
    ['{"\\u0061":1,"a":2}', 'the same name in another spelling'],
    ['{"a":[{"b":1,"b":1}]}', 'a member twice further inside'],
    ['{"a":"\\ud800"}', 'half a pair'],
    ['{"a":"\\udc00\\ud800"}', 'a pair the wrong way round'],
    ['{"a":1e400}', 'a number beyond all'],
    ['{"a":01}', 'a zero before'],
    ['{"a":.5}', 'no digit before the point'],
    ['{"a":1.}', 'no digit behind it'],
    ['{"a":+1}', 'a plus'],
    ['{"a":NaN}', 'no number'],
    ['{"a":"\t"}', 'a control character'],
    ['{"a":"\\x41"}', 'an escape that is none'],
    ['{"a":1,}', 'a comma too many'],
    ['{"a":1}x', 'more behind it'],
    ['\uFEFF{}', 'a byte order mark'],
    ["{'a':1}", 'other quotes'],
    ['{"a":"', 'no end'],
    ['tru', 'half a word'],
  ])('%s is no packet: %s', (text) => {
    expect(errorOf(() => convertText(text))).toMatchObject({
      kind: 'measurement',
      message: expect.stringContaining('no JSON') as string,
    });
  });

  test.each([
    [0xff, 0xfe, 0xfd],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ])('bytes that are no UTF-8 are no packet', async (...bytes) => {
    const { convert } = await import('../../../profiles/assay/index.ts');
    expect(kindOf(() => convert(Uint8Array.from(bytes)))).toBe('measurement');
  });

  test('127 containers in one another are read, 128 are not', () => {
    // The packet is one of them.
    const nested = (depth: number): string =>
      withAttributes('['.repeat(depth - 1) + ']'.repeat(depth - 1));
    expect(kindOf(() => convertText(nested(127)))).toBe('none');
    expect(kindOf(() => convertText(nested(128)))).toBe('measurement');
    expect(kindOf(() => convertText('['.repeat(100_000)))).toBe('measurement');
  });
});

describe('limits on the shape', () => {
  const named = (text: string, options: object): string | undefined =>
    /max_\w+/.exec(errorOf(() => convertText(text, options))?.message ?? '')?.[0];

  test('the root counts 1, and scalars count', () => {
    // agent.id: the packet, the agent, its id.
    expect(named(packetText(), { maxJsonDepth: 3 })).toBeUndefined();
    expect(named(packetText(), { maxJsonDepth: 2 })).toBe('max_json_depth');
    expect(named('7', { maxJsonDepth: 0 })).toBe('max_json_depth');
  });

  test('an array may have as many, and one more is refused', () => {
    expect(named(withAttributes('[1,2,3]'), { maxArrayLength: 3 })).toBeUndefined();
    expect(named(withAttributes('[1,2,3,4]'), { maxArrayLength: 3 })).toBe('max_array_length');
    expect(named(withAttributes('[]'), { maxArrayLength: 0 })).toBeUndefined();
    expect(named(withAttributes('[0]'), { maxArrayLength: 0 })).toBe('max_array_length');
  });

  test.each([
    // What stands first is named, an array before what is in it, its depth before its length.
    ['{"a":[[[1]]],"b":[1,2]}', 'max_json_depth'],
    ['{"b":[1,2],"a":[[[1]]]}', 'max_array_length'],
    ['{"a":[[[1]],2]}', 'max_array_length'],
    ['{"a":[[[1,2]]]}', 'max_json_depth'],
    ['{"2":[[[1]]],"1":[1,2]}', 'max_json_depth'],
  ])('in %s it is %s', (text, limit) => {
    expect(named(text, { maxJsonDepth: 3, maxArrayLength: 1 })).toBe(limit);
  });

  test('what is no JSON is that first', () => {
    expect(named('[[[[1]]]', { maxJsonDepth: 1 })).toBeUndefined();
  });

  test('members that nobody knows are counted, however many there are', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `x${text}`);
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue(), { maxKeys: 12 }), (more) => {
        const { batch } = convertText(packetText(more));
        const known = Object.keys(JSON.parse(JSON.stringify(more)) as object).length;
        expect(batch.lossiness.unmapped_fields_count).toBe(known);
      }),
      { numRuns: 100 },
    );
  });
});
