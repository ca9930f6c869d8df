// Owns how the text of a JSON pointer becomes tokens. RFC 6901; SPEC.md section 9 (#state).

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
  const tokens = text.slice(1).split('/');
  if (!text.includes('~')) return tokens;
  return BAD_ESCAPE.test(text) ? undefined : tokens.map(unescape);
}

function unescape(token: string): string {
  if (!token.includes('~')) return token;
  // `~1` goes first: `~01` stands for the two characters `~1`. Not replaceAll: it is slow where there are many.
  return token.split('~1').join('/').split('~0').join('~');
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
