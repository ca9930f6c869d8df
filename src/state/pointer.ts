// Owns what a patch accepts as a JSON pointer and as an index. RFC 6901; SPEC.md section 9 (#state).

import { pointerTokens } from '../codec/pointer.ts';

const SLASH = 0x2f;
/** An index with more is beyond the end of every array. */
const MAX_INDEX_DIGITS = 15;
const BAD_ESCAPE = /~(?![01])/;

/** Whether the text has more tokens than `most`, found out without cutting it up. */
export function hasMoreTokens(text: string, most: number): boolean {
  let at = text.indexOf('/');
  for (let tokens = 1; at !== -1; tokens += 1) {
    if (tokens > most) return true;
    at = text.indexOf('/', at + 1);
  }
  return false;
}

/** The tokens from the root down, or `undefined` when the text is no JSON pointer. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (text.charCodeAt(0) !== SLASH) return undefined;
  return BAD_ESCAPE.test(text) ? undefined : pointerTokens(text);
}

/** The array index that a token stands for, or `undefined`: no sign, no leading zero, no `-`. */
export function parseIndex(token: string): number | undefined {
  const first = token.charCodeAt(0);
  if (first === 0x30) return token.length === 1 ? 0 : undefined;
  if (token.length === 0 || token.length > MAX_INDEX_DIGITS) return undefined;
  let index = 0;
  for (let at = 0; at < token.length; at += 1) {
    const digit = token.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    index = index * 10 + digit;
  }
  return index;
}
