// Owns the grammar of a JSON number, by hand: a message can hold a quarter of a million of them. SPEC.md section 4.2 (#json).

/** Bits of what {@link scanNumber} found; none for an integer. */
const HAS_FRACTION = 1;
export const HAS_EXPONENT = 2;

const MALFORMED = -1;

/** What the number that starts at `start` and fills the text up to `end` has, or -1 when it is malformed. */
export function scanNumber(text: string, start: number, end: number): number {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  const whole = skipDigits(text, at, end);
  if (whole === at || (whole > at + 1 && text.charCodeAt(at) === 0x30)) return MALFORMED;
  at = whole;
  let found = 0;
  if (at < end && text.charCodeAt(at) === 0x2e) {
    const behind = skipDigits(text, at + 1, end);
    if (behind === at + 1) return MALFORMED;
    at = behind;
    found |= HAS_FRACTION;
  }
  if (at < end && (text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    const from = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    const behind = skipDigits(text, from, end);
    if (behind === from) return MALFORMED;
    at = behind;
    found |= HAS_EXPONENT;
  }
  return at === end ? found : MALFORMED;
}

function skipDigits(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
