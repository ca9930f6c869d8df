// Proves what each construct means, what is refused and what is limited. SPEC.md section 8 (#patterns).

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranslatedPattern } from '../../src/schema/pattern-translate.ts';
import { compilePattern } from '../../src/schema/pattern.ts';
import {
  CHARACTERS,
  WHITE_SPACE,
  expectSameAsNative,
  reasonOf,
} from '../support/repository/pattern-checks.ts';

describe('#patterns constructs', () => {
  test.each([
    ['empty pattern', '', ['', 'a'], []],
    ['search anywhere', 'b', ['abc'], ['ac']],
    ['alternation', '^(?:ab|c|)$', ['ab', 'c', ''], ['a', 'abc']],
    ['capturing group', '^(ab)+$', ['abab'], ['aba']],
    ['named group', '^(?<x>a)(?<\\u{79}\\u0031>b)(?<$_é>c)$', ['abc'], ['ab']],
    ['greedy quantifiers', '^a*b+c?$', ['b', 'aabbc'], ['a', 'bcc']],
    ['lazy quantifiers', '^a*?b+?c??d{1,2}?$', ['abcd', 'bdd'], ['abcddd']],
    ['counts', '^a{2}b{1,}c{0,2}d{02}$', ['aabdd', 'aabbccdd'], ['abdd', 'aabcccdd', 'aabd']],
    ['zero count', '^a{0}b{0,0}$', [''], ['a', 'b']],
    ['class and negation', '^[a-cx][^a-cx]$', ['ad', 'x\n'], ['da', 'aa']],
    ['hyphens in a class', '^[-a][a-][a\\-z][+--]$', ['-a-,', 'a-z-'], ['b---', 'a-b-']],
    ['brackets in a class', '^[[\\]^:{}(]+$', ['[]^:{}('], [')']],
    ['empty class', '[]', [], ['', 'a', '\n']],
    ['optional empty class', '^a[]*$', ['a'], ['aa']],
    ['full class', '^[^]$', ['\n', '\u{1f600}', '\u2028'], ['', 'ab']],
    ['dot', '^.$', ['a', '\u0085', '\u{1f600}'], ['\n', '\r', '\u2028', '\u2029', '']],
    ['end is not before a newline', '^a$', ['a'], ['a\n', '\na', 'a\nb', 'b\na']],
    ['anchors inside', '(?:^a|b$)', ['ax', 'xb'], ['xa', 'bx']],
    ['word boundary', '\\bfoo\\b', ['foo', 'a foo.', 'éfooé'], ['foo_', '1foo']],
    ['no word boundary', '^\\Ba\\B|\\B-\\B', ['-', 'é-é'], ['a', 'x-y']],
    ['no position inside a character', '\\B', ['', 'ab', '😀'], ['a', 'a😀a']],
    ['digit', '^\\d\\D$', ['1a', '9\u0661'], ['11', '\u0661a']],
    ['word', '^\\w\\W$', ['_é', 'Z-', 's\u212a'], ['aa', 'é-']],
    ['white space', '^\\s$', WHITE_SPACE, ['\u0085', '\u180e', '\u200b', 'a', '']],
    ['not white space', '^\\S$', ['\u0085', '\u180e', '\u200b', '\u{1f600}'], WHITE_SPACE],
    ['sets in a class', '^[\\s\\d-]$', ['\ufeff', '7', '-'], ['a']],
    ['negated sets in a class', '^[^\\S\\n]$', [' ', '\u3000'], ['\n', 'a']],
    [
      'control escapes',
      '^\\t\\n\\v\\f\\r\\0\\cJ\\cj[\\b\\cA]$',
      ['\t\n\v\f\r\0\n\n\b'],
      ['tnvfr0JjA'],
    ],
    ['hexadecimal escapes', '^\\x41\\u0042\\u{43}\\u{0000000044}$', ['ABCD'], ['x41']],
    ['surrogate pairs', '^\\uD83D\\uDE00[\\uD83D\\uDE00]\\u{1F600}$', ['😀😀😀'], ['😀😀']],
    ['astral characters', '^🐲{2}[🐲-🐴]$', ['🐲🐲🐳'], ['🐲🐲', '🐲🐲🐵']],
    ['half a pair', '[\\uD83D]|\\uDE00', [], ['😀', '\ud7ff']],
    [
      'syntax escapes',
      '^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$',
      ['^$\\.*+?()[]{}|/'],
      [''],
    ],
    ['categories', '^\\p{L}\\p{Lu}\\p{Letter}\\p{gc=Nd}\\P{L}$', ['aAé1-'], ['aaé1-']],
    ['category names', '^\\p{General_Category=Uppercase_Letter}\\p{digit}$', ['Ä\u0661'], ['ä1']],
    ['scripts', '^\\p{Script=Greek}\\p{sc=Grek}\\p{sc=Cyrillic}\\P{sc=Latn}$', ['αβЯ1'], ['aβЯ1']],
    [
      'binary properties',
      '^\\p{Alphabetic}\\p{AHex}\\p{Emoji}\\p{ASCII}\\p{Any}$',
      ['éf😀a\n'],
      ['-'],
    ],
    ['properties in a class', '^[\\p{Lu}\\P{L}_]+$', ['Ä1_'], ['a']],
    ['nested quantifiers', '^(?:(?:a|ab)*?c{2,3})+$', ['acc', 'ababccacc'], ['ac']],
  ])('%s mean what ECMA-262 says', (_name, source, matching, failing) => {
    const pattern = compilePattern(source);
    expect(matching.filter((text) => !pattern.test(text))).toEqual([]);
    expect(failing.filter((text) => pattern.test(text))).toEqual([]);
    expectSameAsNative(source, [...matching, ...failing, ...CHARACTERS]);
  });

  const properties = [
    'Any ASCII Assigned Alpha Dash Hex Lower Math QMark Term Upper space White_Space cntrl punct',
    'Emoji EComp EMod EBase EPres ExtPict C Cf LC Ll Lm Lo Lt M Mn N Nd Nl No P Pc Pd Pe Ps S Sc Sk Sm',
    'So Z Zl Zp Zs gc=Combining_Mark gc=Symbol sc=Latn sc=Common sc=Zinh sc=Qaai sc=Han sc=Hang',
    'Script=Arab sc=Hebrew sc=Hebr sc=Cyrillic',
  ];
  test.each(properties.flatMap((names) => names.split(' ')))(
    'the property %s holds the characters that it holds natively',
    (property) => {
      expectSameAsNative(`\\p{${property}}`, CHARACTERS);
      expectSameAsNative(`[^\\P{${property}}]`, CHARACTERS);
    },
  );
});

describe('#patterns refusals', () => {
  test.each([
    ['a(?=b)', 'has a look-ahead at character 1'],
    ['a(?!b)', 'has a look-ahead at character 1'],
    ['(?<=a)b', 'has a look-behind at character 0'],
    ['(?<!a)b', 'has a look-behind at character 0'],
    ['(a)\\1', 'has a back-reference at character 3'],
    ['(?<n>a)\\k<n>', 'has a back-reference at character 7'],
    ['\\7', 'has a back-reference at character 0'],
    ['\\00', 'has an octal escape at character 0'],
    ['[\\1]', 'has an octal escape at character 1'],
    ['\\a', 'has an unknown escape at character 0'],
    ['x\\-', 'has an unknown escape at character 1'],
    ['[\\B]', 'has an unknown escape at character 1'],
    ['\\é', 'has an unknown escape at character 0'],
    ['a\\', 'has a "\\" at its end at character 1'],
    ['\\c1', 'has an incomplete control escape at character 0'],
    ['\\x4', 'has an incomplete "\\x" escape at character 0'],
    ['\\u004', 'has an incomplete "\\u" escape at character 0'],
    ['\\u{}', 'has an incomplete "\\u" escape at character 0'],
    ['\\u{110000}', 'has a code point beyond Unicode at character 0'],
    ['(a', 'has an unclosed "(" at character 0'],
    ['a)', 'has a ")" that closes nothing at character 1'],
    ['[a', 'has an unclosed "[" at character 0'],
    ['[a-', 'has an unclosed "[" at character 0'],
    ['a]', 'has an unescaped "]" at character 1'],
    ['a}', 'has an unescaped "}" at character 1'],
    ['{', 'has a quantifier with nothing to repeat at character 0'],
    ['{1}', 'has a quantifier with nothing to repeat at character 0'],
    ['*', 'has a quantifier with nothing to repeat at character 0'],
    ['a**', 'has a quantifier with nothing to repeat at character 2'],
    ['a|+', 'has a quantifier with nothing to repeat at character 2'],
    ['^?', 'has a quantifier with nothing to repeat at character 1'],
    ['\\b+', 'has a quantifier with nothing to repeat at character 2'],
    ['a{', 'has an incomplete quantifier at character 1'],
    ['a{,2}', 'has an incomplete quantifier at character 1'],
    ['a{1', 'has an incomplete quantifier at character 1'],
    ['a{2,1}', 'has a quantifier out of order at character 1'],
    ['[b-a]', 'has a range out of order at character 1'],
    ['[a--]', 'has a range out of order at character 1'],
    ['[\\d-z]', 'has a range that starts or ends in a set at character 1'],
    ['[a-\\p{L}]', 'has a range that starts or ends in a set at character 1'],
    ['(?i:a)', 'has an unknown kind of group at character 0'],
    ['(?P<n>a)', 'has an unknown kind of group at character 0'],
    ['(?', 'has an unknown kind of group at character 0'],
    ['(?<n', 'has an unclosed group name at character 0'],
    ['(?<>a)', 'has an invalid group name at character 0'],
    ['(?<1>a)', 'has an invalid group name at character 0'],
    ['(?<a\\n>a)', 'has an invalid group name at character 0'],
    ['(?<n>a)(?<n>b)', 'has a group name twice at character 7'],
    ['\\p', 'has an incomplete Unicode property at character 0'],
    ['\\pL', 'has an incomplete Unicode property at character 0'],
    ['\\p{^L}', 'has an incomplete Unicode property at character 0'],
    ['\\p{}', 'has an unsupported Unicode property at character 0'],
    ['\\p{letter}', 'has an unsupported Unicode property at character 0'],
    ['\\p{Greek}', 'has an unsupported Unicode property at character 0'],
    ['\\p{Ascii}', 'has an unsupported Unicode property at character 0'],
    ['\\p{sc=Katakana_Or_Hiragana}', 'has an unsupported Unicode property at character 0'],
    ['\\p{sc=L}', 'has an unsupported Unicode property at character 0'],
    ['\\p{gc=Lu=Lu}', 'has an unsupported Unicode property at character 0'],
    ['\\p{Alphabetic=Y}', 'has an unsupported Unicode property at character 0'],
    ['[x\\p{scx=Greek}]', 'has an unsupported Unicode property at character 2'],
    ['\\p{ID_Start}', 'has an unsupported Unicode property at character 0'],
    ['\\p{__proto__}', 'has an unsupported Unicode property at character 0'],
  ])('%s is refused', (source, reason) => {
    expect(reasonOf(source)).toBe(reason);
  });

  test('the position goes to the peer, the pattern does not', () => {
    const source = 'secret(?=word)';
    expect(() => compilePattern(source)).toThrow(expect.objectContaining({ details: { at: 6 } }));
    expect(reasonOf(source)).not.toMatch(/secret|word/);
  });
});

describe('#patterns limits', () => {
  test.each([
    ['source length', 'a'.repeat(1_024), 'a'.repeat(1_025), 'is longer than 1024 characters'],
    [
      'nesting',
      '('.repeat(64) + ')'.repeat(64),
      '('.repeat(65) + ')'.repeat(65),
      'has more than 64 nested groups at character 64',
    ],
    ['count', 'a{1000}', 'a{1001}', 'has a repetition of more than 1000 at character 1'],
    ['open count', 'a{1000,}', 'a{1001,}', 'has a repetition of more than 1000 at character 1'],
    [
      'huge count',
      'a{0,1000}',
      `a{0,${'9'.repeat(400)}}`,
      'has a repetition of more than 1000 at character 1',
    ],
    [
      'nested counts',
      '(a{10}){100}',
      '(a{10}){101}',
      'has nested repetitions of more than 1000 together at character 7',
    ],
    [
      'instructions of one repetition',
      '(?:abcdefghi){1000}',
      '(?:abcdefghijk){1000}',
      'has more than 10000 instructions at character 0',
    ],
    [
      'instructions of the whole',
      'a{1000}'.repeat(9),
      'a{1000}'.repeat(10),
      'has more than 10000 instructions at character 0',
    ],
    [
      'character ranges',
      '\\p{L}{1000}',
      'x[\\p{L}a]{1000}',
      'has more than 800000 character ranges at character 1',
    ],
    [
      'properties',
      '\\p{L}'.repeat(32),
      '\\p{L}'.repeat(33),
      'has more than 32 Unicode properties at character 160',
    ],
  ])('%s is limited', (_name, accepted, refused, reason) => {
    expect(reasonOf(accepted)).toBe('accepted');
    expect(reasonOf(refused)).toBe(reason);
  });

  test('a bomb of nested counts and a tower of 500 groups are refused', () => {
    expect(reasonOf('((a{1000}){1000}){1000}')).toMatch(/nested repetitions/);
    expect(reasonOf('('.repeat(500) + ')'.repeat(500))).toMatch(/nested groups/);
  });

  test('the size is that of the compiled program', () => {
    expect(compilePattern('').size).toBe(3);
    expect(compilePattern('abc').size).toBe(5);
    expect(compilePattern('a{1000}').size).toBe(1_002);
  });

  test('a search of one fixed way from one start stands at few instructions, any other at any', () => {
    expect(compilePattern('^[ab]{40}$').threads).toBeLessThan(8);
    expect(compilePattern('^[ab]{40}\\b(?:cd){3}$').threads).toBeLessThan(8);
    const others = ['[ab]{40}$', '^[ab]{1,40}$', '^[ab]+$', '^(?:a|b){9}$', '^a$|b', '(?:^a)b?'];
    for (const source of others) {
      const { size, threads } = compilePattern(source);
      expect([source, threads]).toEqual([source, size]);
    }
  });

  test('states are remembered only where a useful number of them fits', () => {
    expect(compilePattern('^[0-9a-f]{8}[^\\s]*$').stateBytes).toBe(65_536);
    expect(compilePattern('\\p{L}').stateBytes).toBe(0);
  });

  test('what is to be compiled can be refused before it is', () => {
    const refuse = ({ size, ranges, properties }: TranslatedPattern): never => {
      throw new RangeError(`${size} ${ranges} ${properties}`);
    };
    expect(() => compilePattern('\\p{L}{3}a', refuse)).toThrow(new RangeError('6 2401 1'));
  });

  test('a pattern that ruins a backtracking engine gives its verdict', () => {
    const nested = compilePattern('^(a+)+$');
    expect(nested.test(`${'a'.repeat(100_000)}!`)).toBe(false);
    expect(nested.test('a'.repeat(100_000))).toBe(true);
  });

  test('the verdict is the same when the states no longer fit into their memory', () => {
    // Which of the last 40 characters were "a" is 2^40 states.
    const pattern = compilePattern('a[ab]{40}c');
    const letters = fc.array(fc.constantFrom('a', 'b'), { minLength: 3_000, maxLength: 6_000 });
    fc.assert(
      fc.property(letters, (chosen) => {
        const text = chosen.join('');
        expect(pattern.test(text)).toBe(false);
        expect(pattern.test(`${text}c`)).toBe(text.at(-41) === 'a');
      }),
      { numRuns: 20 },
    );
  });
});
