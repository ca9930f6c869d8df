// Random values of the lossless model for CBOR suites: every class of number, text and nesting that has its own encoding.

import * as fc from 'fast-check';
import type { JsonValue } from '../../../src/codec/value.ts';
import { LosslessNumber, newJsonObject, numberFromBigInt } from '../../../src/codec/value.ts';

/** A double as a value that is a float to every writer: its lexeme has an exponent. */
function floatValue(double: number): JsonValue {
  return Object.is(double, -0) ? -0 : new LosslessNumber(double.toExponential());
}

const finite = { noNaN: true, noDefaultInfinity: true } as const;

/** Every half is a whole multiple of 2^-24; a few of these fall between two halves. */
const nearHalf = fc
  .tuple(fc.integer({ min: -4_096, max: 4_096 }), fc.integer({ min: -26, max: 6 }))
  .map(([significand, exponent]) => significand * 2 ** exponent);

const floats = fc
  .oneof(fc.double(finite), fc.float(finite), nearHalf, fc.integer().map(Number))
  .map(floatValue);

/** Integers around every width at which the encoding changes. */
const nearPowerOfTwo = fc
  .tuple(
    fc.constantFrom(3n, 5n, 8n, 16n, 32n, 53n, 63n, 64n, 72n, 300n),
    fc.bigInt({ min: -3n, max: 3n }),
    fc.boolean(),
  )
  .map(([bits, offset, isNegative]) => (isNegative ? -(2n ** bits) : 2n ** bits) + offset);

const integers = fc
  .oneof(
    fc.bigInt({ min: -30n, max: 30n }),
    nearPowerOfTwo,
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
  )
  .map(numberFromBigInt);

const texts = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('a', 'é', '水', '\u{10151}', '\uffee'), maxLength: 12 }),
  fc.nat({ max: 300 }).map((length) => 'k'.repeat(length)),
);

const leaves: fc.Arbitrary<JsonValue> = fc.oneof(
  { arbitrary: floats, weight: 4 },
  { arbitrary: integers, weight: 3 },
  { arbitrary: texts, weight: 2 },
  { arbitrary: fc.constantFrom(null, true, false), weight: 1 },
);

function toObject(members: readonly (readonly [string, JsonValue])[]): JsonValue {
  const object = newJsonObject();
  for (const [name, value] of members) object[name] = value;
  return object;
}

function objectsOf(values: fc.Arbitrary<JsonValue>, maxLength: number): fc.Arbitrary<JsonValue> {
  return fc.array(fc.tuple(texts, values), { maxLength }).map(toObject);
}

/** Any value that both readers can yield, up to the spelling of its numbers. */
export const cborValues: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: leaves, weight: 10 },
    { arbitrary: fc.array(tie('value'), { maxLength: 5 }), weight: 4 },
    { arbitrary: objectsOf(tie('value'), 5), weight: 4 },
    { arbitrary: objectsOf(leaves, 40), weight: 1 },
  ),
})).value;
