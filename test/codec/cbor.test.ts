// CBOR in and out: RFC 8949 appendix A, the reference's envelopes, random values and random bytes.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readCbor } from '../../src/codec/cbor/read.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { readJson } from '../../src/codec/json/read.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { isJsonObject } from '../../src/codec/value.ts';
import { codeOf, errorOf, parse } from '../support/wire/bytes.ts';
import { fromHex, pythonText, toHex } from '../support/wire/cbor-hex.ts';
import { cborValues } from '../support/wire/cbor-values.ts';
import { hasVectors, vectorBytes, vectorJson } from '../support/repository/vectors.ts';

const INDEFINITE = 'indefinite length';
const NOT_FINITE = 'float that is not finite';
const OTHER_SIMPLE = 'simple value other than';
const OTHER_TAG = 'tag other than 2 and 3';
const BYTE_STRING = 'byte string outside a bignum';

/** What this reader refuses of RFC 8949 appendix A, and why. */
const REFUSED_OF_APPENDIX_A: Readonly<Record<string, string>> = {
  f97c00: NOT_FINITE,
  f97e00: NOT_FINITE,
  f9fc00: NOT_FINITE,
  fa7f800000: NOT_FINITE,
  fa7fc00000: NOT_FINITE,
  faff800000: NOT_FINITE,
  fb7ff0000000000000: NOT_FINITE,
  fb7ff8000000000000: NOT_FINITE,
  fbfff0000000000000: NOT_FINITE,
  f7: OTHER_SIMPLE,
  f0: OTHER_SIMPLE,
  f818: OTHER_SIMPLE,
  f8ff: OTHER_SIMPLE,
  c074323031332d30332d32315432303a30343a30305a: OTHER_TAG,
  c11a514b67b0: OTHER_TAG,
  c1fb41d452d9ec200000: OTHER_TAG,
  d74401020304: OTHER_TAG,
  d818456449455446: OTHER_TAG,
  d82076687474703a2f2f7777772e6578616d706c652e636f6d: OTHER_TAG,
  '40': BYTE_STRING,
  '4401020304': BYTE_STRING,
  a201020304: 'member name that is not text',
  '5f42010243030405ff': INDEFINITE,
  '7f657374726561646d696e67ff': INDEFINITE,
  '9fff': INDEFINITE,
  '9f018202039f0405ffff': INDEFINITE,
  '9f01820203820405ff': INDEFINITE,
  '83018202039f0405ff': INDEFINITE,
  '83019f0203ff820405': INDEFINITE,
  '9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff': INDEFINITE,
  bf61610161629f0203ffff: INDEFINITE,
  '826161bf61626163ff': INDEFINITE,
  bf6346756ef563416d7421ff: INDEFINITE,
};

function hexOf(vector: JsonObject): string {
  return vector['hex'] as string;
}

describe.skipIf(!hasVectors)('#cbor #cbor-canonical RFC 8949 appendix A', () => {
  const vectors = hasVectors
    ? (readJson(vectorBytes('cbor/appendix_a.json')) as readonly JsonObject[])
    : [];
  const accepted = vectors.filter((vector) => !Object.hasOwn(REFUSED_OF_APPENDIX_A, hexOf(vector)));

  test('49 of the 82 examples are values, 33 are refused, none is left out', () => {
    expect(vectors.length).toBe(82);
    expect(accepted.length).toBe(49);
    expect(Object.keys(REFUSED_OF_APPENDIX_A).length).toBe(33);
  });

  test.each(accepted.map((vector) => [hexOf(vector), vector] as const))(
    '%s is its value, and its value is these bytes',
    (hex, vector) => {
      const value = readCbor(fromHex(hex));
      expect(pythonText(value)).toBe(pythonText(vector['decoded']!));
      expect(vector['roundtrip']).toBe(true);
      expect(toHex(writeCbor(value))).toBe(hex);
      expect(toHex(writeCbor(vector['decoded']!))).toBe(hex);
    },
  );

  test.each(Object.entries(REFUSED_OF_APPENDIX_A))('%s is refused: %s', (hex, reason) => {
    const error = errorOf(() => readCbor(fromHex(hex)));
    expect(error?.code).toBe('ENCODING_INVALID');
    expect(error?.message).toContain(reason);
  });
});

interface GoldenCase {
  readonly name: string;
  readonly wire: { readonly b64: string; readonly text: string };
  readonly payload_canonical: string;
}

describe.skipIf(!hasVectors)('#cbor #cbor-canonical envelopes of the reference', () => {
  const cases = hasVectors
    ? vectorJson<{ cases: readonly GoldenCase[] }>('a2a-sdl/golden.json').cases
    : [];
  const named = (prefix: string): (readonly [string, GoldenCase])[] =>
    cases.filter(({ name }) => name.startsWith(prefix)).map((one) => [one.name, one]);
  const onCbor = named('none-cbor-wire/');
  const onJson = named('none/');

  test('there are 12 on each wire', () => {
    expect([onCbor.length, onJson.length]).toEqual([12, 12]);
  });

  test.each(onCbor)('%s is read and written back byte for byte', (_name, golden) => {
    const bytes = new Uint8Array(Buffer.from(golden.wire.b64, 'base64'));
    const envelope = readCbor(bytes) as JsonObject;
    expect(toHex(writeCbor(envelope))).toBe(toHex(bytes));
    expect(pythonText(envelope['payload']!)).toBe(golden.payload_canonical);
  });

  test.each(onJson)('%s goes through CBOR unchanged', (_name, golden) => {
    const envelope = parse(golden.wire.text);
    expect(pythonText(readCbor(writeCbor(envelope)))).toBe(pythonText(envelope));
  });
});

/** Bytes with a few random edits: overwritten, inserted, taken out, cut off. */
const mutations = fc.array(
  fc.tuple(
    fc.nat(),
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom('set', 'insert', 'delete', 'cut'),
  ),
  { minLength: 1, maxLength: 4 },
);

function mutate(
  bytes: Uint8Array,
  edits: readonly (readonly [number, number, string])[],
): Uint8Array {
  const mutated = [...bytes];
  for (const [place, byte, kind] of edits) {
    const at = mutated.length === 0 ? 0 : place % mutated.length;
    if (kind === 'set') mutated[at] = byte;
    else if (kind === 'insert') mutated.splice(at, 0, byte);
    else if (kind === 'delete') mutated.splice(at, 1);
    else mutated.length = at;
  }
  return Uint8Array.from(mutated);
}

/** Objects nested in `value` whose prototype is not null. */
function countPrototypes(value: JsonValue): number {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).reduce<number>(
      (sum, one) => sum + countPrototypes(one),
      0,
    );
  }
  if (!isJsonObject(value)) return 0;
  const own = Object.getPrototypeOf(value) === null ? 0 : 1;
  return Object.values(value).reduce<number>((sum, one) => sum + countPrototypes(one), own);
}

describe('#cbor #cbor-canonical random values and bytes', () => {
  test('what is written reads back to the same value and the same bytes', () => {
    fc.assert(
      fc.property(cborValues, (value) => {
        const bytes = writeCbor(value);
        const read = readCbor(bytes);
        expect(pythonText(read)).toBe(pythonText(value));
        expect(toHex(writeCbor(read))).toBe(toHex(bytes));
        expect(countPrototypes(read)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('changed bytes are read or refused by a table error, and what is read has one canonical form', () => {
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(cborValues, mutations, (value, edits) => {
        const bytes = mutate(writeCbor(value), edits);
        const refused = codeOf(() => readCbor(bytes));
        seen[refused === undefined ? 'read' : 'refused'] += 1;
        if (refused !== undefined) return;
        const canonical = writeCbor(readCbor(bytes));
        expect(toHex(writeCbor(readCbor(canonical)))).toBe(toHex(canonical));
      }),
      { numRuns: 3_000 },
    );
    expect(seen.read).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });

  test('random bytes are read or refused by a table error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        codeOf(() => readCbor(bytes));
      }),
      { numRuns: 5_000 },
    );
  });
});
