// Proves that our protobuf is the one of others: every message, in both directions, against a runtime that others wrote,
// and mutated bytes, of which nothing is read otherwise.

import type { JsonValue as Foreign } from '@bufbuild/protobuf';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../../../src/codec/value.ts';
import { LosslessNumber } from '../../../../src/codec/value.ts';
import { SdlError } from '../../../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../../../src/limits.ts';
import { V03 } from '../../../../profiles/a2a/fields/v03.ts';
import { V1 } from '../../../../profiles/a2a/fields/v1.ts';
import { readProtobuf } from '../../../../profiles/a2a/protobuf/read.ts';
import { writeProtobuf } from '../../../../profiles/a2a/protobuf/write.ts';
import { registryOf, schemaOf } from '../../../support/a2a/descriptor.ts';
import { messagesOf } from '../../../support/a2a/protobuf-values.ts';

/** As JSON of others: bytes are base64, and every number is a plain one. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof LosslessNumber) return value.toNumber();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

describe.each([
  ['1.0', V1],
  ['0.3', V03],
] as const)('messages of %s #a2a-protobuf', (_, table) => {
  const registry = registryOf(table);
  const read = (message: string, bytes: Uint8Array): unknown =>
    plain(readProtobuf(table, message, bytes, DEFAULT_LIMITS));

  test.each(Object.keys(table.messages))('%s', (message) => {
    const schema = schemaOf(registry, table, message);
    fc.assert(
      fc.property(messagesOf(table, message), (object) => {
        const bytes = writeProtobuf(table, message, object);
        expect(toJson(schema, fromBinary(schema, bytes))).toEqual(object);
        expect(read(message, toBinary(schema, fromJson(schema, object as Foreign)))).toEqual(
          object,
        );
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  test.each(['SendMessageRequest', 'StreamResponse', 'AgentCard'])(
    'mutated bytes of %s are refused, or read as others read them',
    (message) => {
      const schema = schemaOf(registry, table, message);
      const mutated = fc.tuple(
        messagesOf(table, message),
        messagesOf(table, message),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }),
      );
      let taken = 0;
      fc.assert(
        fc.property(mutated, ([first, second, changes]) => {
          // Two in a row are one that came in pieces.
          const bytes = Buffer.concat(
            [first, second].map((object) => writeProtobuf(table, message, object)),
          );
          for (const [at, octet] of changes) if (bytes.length > 0) bytes[at % bytes.length] = octet;
          let value: unknown;
          try {
            value = read(message, bytes);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(SdlError);
            return;
          }
          taken += 1;
          expect(value).toEqual(toJson(schema, fromBinary(schema, bytes)));
        }),
        { numRuns: 1_500, seed: 2 },
      );
      expect(taken).toBeGreaterThan(200);
    },
  );
});

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const codeOf = (hex: string, limits = {}): string => {
  try {
    readProtobuf(V1, 'SendMessageRequest', bytesOf(hex), { ...DEFAULT_LIMITS, ...limits });
    return 'read';
  } catch (thrown) {
    return (thrown as SdlError).code;
  }
};

test.each([
  ['a field of another wire type', '1005'],
  ['a field inside of another wire type', '12020805'],
  ['a length beyond the end', '1250'],
  ['a length of 64 bits', '12ffffffffffffffffff01'],
  ['a number of more than 64 bits', '12ffffffffffffffffffff01'],
  ['a number that is cut off', '7880'],
  ['a field without a number', '0200'],
  ['a wire type that there is not', '0e'],
  ['a group that ends alone', '7c'],
  ['a group that does not end', '7b'],
  ['a group that ends as another', '7b8401'],
  ['text that is no UTF-8', '12040a02fffe'],
  ['a surrogate in UTF-8', '12050a03eda080'],
  ['a value that says nothing', '120432020a00'],
  ['a number that is none', '120f320d0a0b12091100000000000f87f'],
])('%s is refused #a2a-protobuf', (_, hex) => {
  expect(codeOf(hex)).toBe('ENCODING_INVALID');
});

test('what the table does not have is passed by, whatever its type #a2a-protobuf', () => {
  const strange = ['78ffffffffffffffffff01', '790102030405060708', '7a03010203', '7d01020304'];
  const group = ['7b', '0805', '1b1c', '7c'];
  expect(codeOf([...strange, ...group].join(''))).toBe('read');
});

test('the limits hold while it is read #a2a-protobuf', () => {
  const nested = (depth: number): JsonValue =>
    Array.from({ length: depth }).reduce<JsonValue>((inner) => [inner], 'deep');
  const hexOf = (data: JsonValue): string =>
    writeProtobuf(V1, 'SendMessageRequest', { message: { parts: [{ data }] } }).toString('hex');
  // The request, the message, the list of parts and the part.
  expect(codeOf(hexOf(nested(60)))).toBe('read');
  expect(codeOf(hexOf(nested(61)))).toBe('LIMIT_DEPTH');
  const list = hexOf(Array.from({ length: 11 }, () => null));
  expect(codeOf(list, { maxArrayLength: 11 })).toBe('read');
  expect(codeOf(list, { maxArrayLength: 10 })).toBe('LIMIT_ARRAY');
  expect(codeOf(list, { maxValues: 10 })).toBe('LIMIT_VALUES');
  const parts = hexOf('x').slice(4).repeat(3);
  expect(codeOf(`12${(parts.length / 2).toString(16)}${parts}`, { maxArrayLength: 2 })).toBe(
    'LIMIT_ARRAY',
  );
  const members = hexOf({ a: 1, b: 2, c: 3 });
  expect(codeOf(members, { maxMembers: 3 })).toBe('read');
  expect(codeOf(members, { maxMembers: 2 })).toBe('LIMIT_MEMBERS');
  expect(codeOf(hexOf('five!'), { maxStringBytes: 5 })).toBe('read');
  expect(codeOf(hexOf('five!'), { maxStringBytes: 4 })).toBe('LIMIT_STRING');
  expect(codeOf('7b'.repeat(65) + '7c'.repeat(65))).toBe('LIMIT_DEPTH');
});

describe('numbers #a2a-protobuf', () => {
  const through = (data: JsonValue): JsonValue => {
    const bytes = writeProtobuf(V1, 'Part', { data });
    return readProtobuf(V1, 'Part', bytes, DEFAULT_LIMITS)['data']!;
  };

  test.each([
    ['1', 1],
    ['1.0', 1],
    ['-0.0', -0],
    ['1e2', 100],
    ['0.1', 0.1],
    ['100000000000000000000', new LosslessNumber('100000000000000000000')],
    ['1152921504606846976', new LosslessNumber('1152921504606846976')],
    ['1.152921504606847e18', new LosslessNumber('1152921504606846976')],
    ['1e21', 1e21],
    ['1.7976931348623157e308', 1.7976931348623157e308],
    ['5e-324', 5e-324],
  ])('%s is carried', (lexeme, expected) => {
    expect(through(new LosslessNumber(lexeme))).toEqual(expected);
    expect(through(expected)).toEqual(expected);
  });

  test.each([
    '9007199254740993',
    '12345678901234567890',
    '0.10000000000000000000001',
    '1e400',
    '1e-400',
    '3.14159265358979323846',
  ])('%s is refused, because no double is that number', (lexeme) => {
    expect(() => through({ deep: [new LosslessNumber(lexeme)] })).toThrow(
      expect.objectContaining({ code: 'NUMBER_INEXACT' }),
    );
  });

  test('numbers that JSON does not have are refused', () => {
    for (const double of [NaN, Infinity, -Infinity]) {
      const bytes = Buffer.from('2209110000000000000000', 'hex');
      bytes.writeDoubleLE(double, 3);
      expect(() => readProtobuf(V1, 'Part', bytes, DEFAULT_LIMITS)).toThrow(
        expect.objectContaining({ code: 'ENCODING_INVALID' }),
      );
    }
  });
});

test('text without a form in UTF-8 is not written #a2a-protobuf', () => {
  for (const text of ['\ud800', `${'x'.repeat(200)}\udc00`]) {
    expect(() => writeProtobuf(V1, 'Part', { text })).toThrow(TypeError);
  }
  const long = '漢😀'.repeat(5_000);
  const bytes = writeProtobuf(V1, 'Part', { text: long });
  expect(readProtobuf(V1, 'Part', bytes, DEFAULT_LIMITS)).toEqual({ text: long });
});
