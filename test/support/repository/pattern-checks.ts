// Shared by the suites on patterns: the characters to try, and comparison with the native engine.

import { expect } from 'vitest';
import { SdlError } from '../../../src/errors.ts';
import { compilePattern } from '../../../src/schema/pattern.ts';

/** All that ECMA-262 calls white space. */
export const WHITE_SPACE: readonly string[] = Array.from(
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
    '\u2028\u2029\u202f\u205f\u3000\ufeff',
);
export const CHARACTERS: readonly string[] = [
  ...Array.from(
    'abzAZ059_-/^$.()[]{}|*+?\\,:!\0\b\u001f\u007f\u0085\u00b5\u00df\u00e9\u0130\u017f\u0301\u03b1\u042f',
  ),
  ...Array.from(
    '\u05d0\u0661\u180e\u200b\u200d\u212a\u4e2d\uac00\uff21\ufffd\u{1d4d0}\u{1f432}\u{1f600}\u{10ffff}',
  ),
  ...WHITE_SPACE,
];

/** Why a pattern is refused, or "accepted". */
export function reasonOf(source: string): string {
  try {
    compilePattern(source);
  } catch (error) {
    expect(error).toBeInstanceOf(SdlError);
    expect((error as SdlError).code).toBe('SCHEMA_UNSUPPORTED');
    return (error as SdlError).message.replace('SCHEMA_UNSUPPORTED: pattern ', '');
  }
  return 'accepted';
}

export function nativeAccepts(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

export function expectSameAsNative(source: string, texts: readonly string[]): void {
  const pattern = compilePattern(source);
  const native = new RegExp(source, 'u');
  const differing = texts.filter(
    (text) => !isMisjudged(source, text) && pattern.test(text) !== native.test(text),
  );
  expect({ source, differing }).toEqual({ source, differing: [] });
}

/** V8 also tries `\B` between the two halves of an astral character, where ECMA-262 has no position. */
function isMisjudged(source: string, text: string): boolean {
  return source.includes('\\B') && /[\u{10000}-\u{10ffff}]/u.test(text);
}
