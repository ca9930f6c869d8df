// Owns HKDF-SHA256 (RFC 5869) over a provider's HMAC. SPEC.md section 6 (#sec-encrypt).

type Hmac = (key: Uint8Array, bytes: Uint8Array) => Uint8Array;

const BLOCK_BYTES = 32;
const MOST_BYTES = 255 * BLOCK_BYTES;

export function hkdf(
  hmac: Hmac,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Uint8Array {
  if (!Number.isInteger(length) || length < 0 || length > MOST_BYTES) {
    throw new RangeError(`"length" expected an integer from 0 to ${MOST_BYTES}`);
  }
  // An empty salt stands for 32 zero bytes; as an HMAC key both are the same.
  const pseudoRandomKey = hmac(salt, secret);
  const output = new Uint8Array(length);
  let block: Uint8Array = new Uint8Array(0);
  for (let counter = 1, offset = 0; offset < length; counter += 1, offset += BLOCK_BYTES) {
    const input = new Uint8Array(block.length + info.length + 1);
    input.set(block);
    input.set(info, block.length);
    input[input.length - 1] = counter;
    block = hmac(pseudoRandomKey, input);
    output.set(block.subarray(0, length - offset), offset);
  }
  return output;
}
