// Owns the member orders of the canonical forms. SPEC.md sections 4.3 to 4.5 (#jcs, #python-json, #cbor-canonical).

type IsAfter = (a: string, b: string) => boolean;

/** Up to here insertion beats the set-up of a sort. */
const FEW_NAMES = 24;

/** By UTF-16 unit, as RFC 8785 wants. Sorts in place. */
export function inUtf16Order(names: string[]): string[] {
  return names.length > FEW_NAMES ? names.sort() : insert(names, isAfterByUnit);
}

/** By code point, as Python sorts. Sorts in place. */
export function inCodePointOrder(names: string[]): string[] {
  // The two orders differ only where a surrogate meets U+E000–U+FFFF.
  return names.some(hasSurrogate) ? names.sort(compareCodePoints) : inUtf16Order(names);
}

/** By length, then by unit: the order of encoded CBOR names where every unit is a byte. Sorts in place. */
export function inAsciiLengthOrder(names: string[]): string[] {
  if (names.length <= FEW_NAMES) return insert(names, isAfterByLength);
  return names.sort((a, b) => (isAfterByLength(a, b) ? 1 : -1));
}

/** By length in UTF-8, then bytewise, which is the order of code points. Sorts in place. */
export function inUtf8LengthOrder(names: string[]): string[] {
  return names.sort((a, b) => utf8Length(a) - utf8Length(b) || compareCodePoints(a, b));
}

/** Orders two well-formed strings by code point. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return raiseSurrogate(left) - raiseSurrogate(right);
  }
  return a.length - b.length;
}

/** UTF-8 bytes of well-formed text; each half of a surrogate pair counts 2 of the pair's 4. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    bytes += unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3;
  }
  return bytes;
}

function insert(names: string[], isAfter: IsAfter): string[] {
  for (let index = 1; index < names.length; index += 1) {
    const name = names[index]!;
    let slot = index;
    for (; slot > 0 && isAfter(names[slot - 1]!, name); slot -= 1) names[slot] = names[slot - 1]!;
    names[slot] = name;
  }
  return names;
}

function isAfterByUnit(a: string, b: string): boolean {
  return a > b;
}

function isAfterByLength(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

function hasSurrogate(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (isSurrogate(text.charCodeAt(index))) return true;
  }
  return false;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** Lifts surrogates above every other unit, where the characters that they encode belong. */
function raiseSurrogate(unit: number): number {
  if (isSurrogate(unit)) return unit + 0x2000;
  return unit >= 0xe000 ? unit - 0x800 : unit;
}
