// Random values for property tests: every kind of number, hard names, hard text.

import * as fc from 'fast-check';

import { newJsonObject } from '../../../src/codec/value.ts';
import { numberFromLexeme } from '../../../src/codec/number-text.ts';
import type { JsonValue } from '../../../src/codec/value.ts';

export const hardNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '0',
  '10',
  '4294967295',
  'a/b~c',
  'é',
  'e\u0301',
  '\uffff',
  '\ue000',
  '😀',
  '\ufb33',
  '\u2028',
  '\u0000',
  '"\\',
];

const digits = (max: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));

const integerLexeme = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,30}$/)),
  )
  .map(([sign, body]) => sign + body);

const floatLexeme = fc
  .tuple(
    integerLexeme,
    fc.option(digits(20), { nil: '0' }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(60))),
  )
  .map(([whole, fraction, exponent]) => `${whole}.${fraction}${exponent?.join('') ?? ''}`);

/** Lexemes that the reader accepts. */
const numberLexeme: fc.Arbitrary<string> = fc.oneof(
  integerLexeme,
  floatLexeme,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value)),
  fc.constantFrom(
    '1.0',
    '-0.0',
    '-0',
    '1e-7',
    '1e-07',
    '1E2',
    '1e16',
    '9007199254740993',
    '0e9999',
  ),
);

const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(...hardNames),
);

const name = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom(...hardNames), text);

/** A value as a reader yields it. */
export const jsonValue: fc.Arbitrary<JsonValue> = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false),
    numberLexeme.map((lexeme) => numberFromLexeme(lexeme)),
    text,
    fc.array(tie('node'), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie('node')), { maxLength: 5 }).map((entries) => {
      const object = newJsonObject();
      for (const [key, value] of entries) object[key] = value;
      return object;
    }),
  ),
})).node;
