// Proves that patterns agree with the native engine and with the JSON Schema test suite. SPEC.md section 8 (#patterns).

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translatePattern } from '../../src/schema/pattern-translate.ts';
import { compilePattern } from '../../src/schema/pattern.ts';
import {
  CHARACTERS,
  expectSameAsNative,
  nativeAccepts,
  reasonOf,
} from '../support/repository/pattern-checks.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

const atoms = fc.oneof(
  fc.constantFrom(...Array.from('aab_0-é中😀/,:! \n\u2028\ufeff')),
  fc.constantFrom('.', '[]', '[^]', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S'),
  fc.constantFrom('\\p{L}', '\\P{L}', '\\p{gc=Lu}', '\\p{sc=Greek}', '\\p{Alphabetic}', '\\p{Zs}'),
  fc.constantFrom('\\n', '\\cA', '\\x61', '\\u0062', '\\u{1F600}', '\\uD83D\\uDE00', '\\/', '\\]'),
);
const classAtoms = fc.oneof(
  fc.constantFrom(...Array.from('abz_09-^[({.$,é中😀\n\u2029')),
  fc.constantFrom(
    '\\d',
    '\\W',
    '\\s',
    '\\S',
    '\\p{Lu}',
    '\\P{L}',
    '\\b',
    '\\-',
    '\\]',
    '\\u{1D4D0}',
  ),
  fc.constantFrom(
    'a-z',
    '0-9',
    '中-😀',
    '\\x00-\\x1f',
    '\\u2000-\\u206f',
    '--a',
    '\\uD83D\\uDC32-😀',
  ),
);
const classes = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(classAtoms, { maxLength: 4 }))
  .map(([open, items]) => `${open}${items.join('')}]`)
  .filter(nativeAccepts);
const quantifiers = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.constantFrom(
    '*',
    '+',
    '?',
    '{2}',
    '{0}',
    '{1,}',
    '{02,}',
    '{0,2}',
    '{1,3}',
    '*?',
    '+?',
    '??',
    '{1,2}?',
  ),
);
const assertions = fc.constantFrom('^', '$', '\\b', '\\B');
const { sources } = fc.letrec<{ sources: string; terms: string; groups: string }>((tie) => ({
  sources: fc
    .array(fc.array(tie('terms'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((alternatives) => alternatives.map((terms) => terms.join('')).join('|')),
  terms: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(fc.oneof(atoms, classes), quantifiers).map((parts) => parts.join('')),
    assertions,
    fc.tuple(tie('groups'), quantifiers).map((parts) => parts.join('')),
  ),
  groups: fc
    .tuple(fc.constantFrom('(', '(?:'), tie('sources'))
    .map(([open, inner]) => `${open}${inner})`),
}));
const texts = fc.array(fc.constantFrom(...Array.from('aaabbb_0-é中😀'), ...CHARACTERS), {
  maxLength: 7,
});
const short = sources.filter((source) => source.length <= 60);

describe('#patterns against the native engine', () => {
  test('every supported pattern gives the native verdict', () => {
    fc.assert(
      fc.property(short, fc.array(texts, { minLength: 1, maxLength: 8 }), (source, chosen) => {
        expectSameAsNative(source, ['', ...chosen.map((characters) => characters.join(''))]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the size is never more than what was estimated before compiling', () => {
    fc.assert(
      fc.property(short, fc.constantFrom('', '{0,9}', '{9,}', '{7}', '*'), (source, quantifier) => {
        const whole = `(${source})${quantifier}`;
        expect(translatePattern(whole).size).toBeGreaterThanOrEqual(compilePattern(whole).size);
      }),
      { numRuns: 1_000 },
    );
  });

  test('what is native nonsense is refused, and what is refused needlessly has one of the known reasons', () => {
    const KNOWN =
      /look-ahead|look-behind|back-reference|Unicode property|kind of group|repetition|instructions|name twice/;
    const noise = fc.constantFrom(
      ...Array.from('\\()[]{}|*+?^$.-,=!<>:akpuxc019/'),
      ...'(? (?< (?= {1 {2,1} \\u \\p{ \\c [^ a- \\1 \\k< \\00'.split(' '),
    );
    const edits = fc.array(fc.tuple(fc.nat(60), fc.nat(2), noise), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(short, edits, texts, (source, changes, characters) => {
        let mutated = source;
        for (const [at, removed, added] of changes) {
          mutated = mutated.slice(0, at) + added + mutated.slice(at + removed);
        }
        fc.pre(!/\p{Surrogate}/u.test(mutated));
        const reason = reasonOf(mutated);
        if (!nativeAccepts(mutated))
          expect({ mutated, reason }).not.toEqual({ mutated, reason: 'accepted' });
        else if (reason === 'accepted') expectSameAsNative(mutated, ['', characters.join('')]);
        else expect(reason).toMatch(KNOWN);
      }),
      { numRuns: 2_000 },
    );
  });
});

interface Suite {
  readonly description: string;
  readonly schema: {
    readonly pattern?: string;
    readonly patternProperties?: Readonly<Record<string, unknown>>;
    readonly additionalProperties?: boolean;
  };
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

function suites(file: string): Suite[] {
  return vectorJson<Suite[]>(`JSON-Schema-Test-Suite/tests/draft2020-12/${file}.json`);
}

const FILES = [
  'pattern',
  'patternProperties',
  'optional/ecmascript-regex',
  'optional/non-bmp-regex',
];

describe.skipIf(!hasVectors)('#patterns of the JSON Schema test suite', () => {
  test.each(FILES)('%s gives the verdicts of the suite', (file) => {
    let verdicts = 0;
    for (const { schema, tests } of suites(file)) {
      const { pattern, patternProperties = {} } = schema;
      for (const { data, valid } of tests) {
        if (pattern !== undefined && typeof data === 'string') {
          expect({ pattern, data, valid: compilePattern(pattern).test(data) }).toEqual({
            pattern,
            data,
            valid,
          });
          verdicts += 1;
        }
        const names = typeof data === 'object' && data !== null ? Object.keys(data) : [];
        for (const source of Object.keys(patternProperties)) {
          expectSameAsNative(source, names);
          if (schema.additionalProperties !== false) continue;
          const isMatch = names.every((name) => compilePattern(source).test(name));
          expect({ source, names, valid: isMatch }).toEqual({ source, names, valid });
        }
        verdicts += names.length;
      }
    }
    expect(verdicts).toBeGreaterThan(3);
  });

  test('what is no ECMA-262 expression to the suite is refused', () => {
    const files = ['optional/format/ecmascript-regex', 'optional/format/regex'];
    const cases = files.flatMap((file) => suites(file).flatMap(({ tests }) => tests));
    const refused = cases.filter(({ data, valid }) => typeof data === 'string' && !valid);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused.filter(({ data }) => reasonOf(String(data)) === 'accepted')).toEqual([]);
  });
});
