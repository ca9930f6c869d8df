// Owns base64url without padding, read strictly: one text for each byte string. SPEC.md section 6 (#sec-base64url).

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const NOT_A_DIGIT = 0x40;

const codeOfDigit = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const digitOfCode = new Uint8Array(128).fill(NOT_A_DIGIT);
for (const [digit, code] of codeOfDigit.entries()) digitOfCode[code] = digit;

const asciiDecoder = new TextDecoder();

/** Node converts long text several times as fast; asked for at run time, as browsers have none. */
const PlatformBuffer = globalThis.process?.getBuiltinModule?.('node:buffer')?.Buffer;
const LONG = 256;

export function encodeBase64url(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > LONG && PlatformBuffer !== undefined) return bufferOver(bytes).toString('base64url');
  const text = new Uint8Array(Math.ceil((length * 4) / 3));
  let at = 0;
  for (let from = 0; from < length; from += 3) {
    // A byte beyond the end reads as zero, and so do the unused bits of the last digit.
    const group = (bytes[from]! << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    // Writing beyond the end of a typed array does nothing: no padding.
    text[at++] = codeOfDigit[group >> 18]!;
    text[at++] = codeOfDigit[(group >> 12) & 63]!;
    text[at++] = codeOfDigit[(group >> 6) & 63]!;
    text[at++] = codeOfDigit[group & 63]!;
  }
  return asciiDecoder.decode(text);
}

/** The bytes, or `undefined` for any text that {@link encodeBase64url} would not have written. */
export function decodeBase64url(text: string): Uint8Array | undefined {
  const { length } = text;
  const spare = length % 4;
  if (spare === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  if (length > LONG && PlatformBuffer !== undefined) {
    // Node skips what it does not know and reads the other alphabet too, so the text is checked first.
    if (!/^[\w-]*$/.test(text) || !hasZeroSpareBits(text, spare)) return undefined;
    bufferOver(bytes).write(text, 'base64url');
    return bytes;
  }
  let at = 0;
  let from = 0;
  for (const whole = length - spare; from < whole; from += 4) {
    const a = digitAt(text, from);
    const b = digitAt(text, from + 1);
    const c = digitAt(text, from + 2);
    const d = digitAt(text, from + 3);
    if ((a | b | c | d) >= NOT_A_DIGIT) return undefined;
    bytes[at++] = (a << 2) | (b >> 4);
    bytes[at++] = (b << 4) | (c >> 2);
    bytes[at++] = (c << 6) | d;
  }
  if (spare === 0) return bytes;
  const a = digitAt(text, from);
  const b = digitAt(text, from + 1);
  const c = spare === 3 ? digitAt(text, from + 2) : 0;
  if ((a | b | c) >= NOT_A_DIGIT || !hasZeroSpareBits(text, spare)) return undefined;
  bytes[at++] = (a << 2) | (b >> 4);
  if (spare === 3) bytes[at] = (b << 4) | (c >> 2);
  return bytes;
}

/** Unused bits that are not zero would give one byte string several texts. */
function hasZeroSpareBits(text: string, spare: number): boolean {
  const unused = spare === 2 ? 15 : spare === 3 ? 3 : 0;
  return (digitAt(text, text.length - 1) & unused) === 0;
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return PlatformBuffer.from(buffer, byteOffset, byteLength);
}

function digitAt(text: string, at: number): number {
  return digitOfCode[text.charCodeAt(at)] ?? NOT_A_DIGIT;
}
