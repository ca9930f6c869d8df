// Owns base58btc for the short byte strings of did:key. SPEC.md section 6 (#sec-kid-bound).

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The conversion costs the square of the length, and text from a peer reaches it before any signature. */
const MAX_BYTES = 64;
const MAX_CHARACTERS = 88;

const digitOfCharacter = new Map(Array.from(ALPHABET, (character, digit) => [character, digit]));

export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) {
    throw new RangeError(`"bytes" expected at most ${MAX_BYTES} bytes`);
  }
  const digits = convertBase(bytes, 256, 58);
  return digits.map((digit) => ALPHABET[digit]).join('');
}

/** The bytes, or `undefined` for text that is not base58btc or longer than 88 characters. */
export function decodeBase58(text: string): Uint8Array | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const digits: number[] = [];
  for (const character of text) {
    const digit = digitOfCharacter.get(character);
    if (digit === undefined) return undefined;
    digits.push(digit);
  }
  return Uint8Array.from(convertBase(digits, 58, 256));
}

/** Most significant digit first. Leading zeros are kept one for one, so that each byte string has one text. */
function convertBase(digits: ArrayLike<number>, from: number, to: number): number[] {
  let zeros = 0;
  while (zeros < digits.length && digits[zeros] === 0) zeros += 1;
  const converted: number[] = [];
  for (let at = zeros; at < digits.length; at += 1) {
    let carry = digits[at]!;
    for (let place = 0; place < converted.length; place += 1) {
      carry += converted[place]! * from;
      converted[place] = carry % to;
      carry = Math.floor(carry / to);
    }
    for (; carry > 0; carry = Math.floor(carry / to)) converted.push(carry % to);
  }
  for (let zero = 0; zero < zeros; zero += 1) converted.push(0);
  return converted.toReversed();
}
