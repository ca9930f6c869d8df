// Owns random bytes drawn in blocks: a nonce of twelve bytes costs a call into the system only once in hundreds.

const POOL_BYTES = 4_096;
const LARGEST_FROM_POOL = 256;
/** What `crypto.getRandomValues` fills at most in one call. */
const LARGEST_FILL = 65_536;

/** `fill` overwrites what it is given, at most 65,536 bytes, with bytes fit for keys. */
export function createRandomBytes(
  fill: (bytes: Uint8Array) => void,
): (length: number) => Uint8Array {
  let pool: Uint8Array | undefined;
  let used = 0;
  return (length) => {
    if (!Number.isSafeInteger(length) || length < 0) {
      throw new RangeError('"length" expected a count of bytes');
    }
    if (length > LARGEST_FROM_POOL) return fillInParts(length, fill);
    if (pool === undefined || used + length > POOL_BYTES) {
      pool ??= new Uint8Array(POOL_BYTES);
      fill(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    // What was handed out may be a key: no second copy of it stays here.
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  };
}

function fillInParts(length: number, fill: (bytes: Uint8Array) => void): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += LARGEST_FILL) {
    fill(bytes.subarray(start, start + LARGEST_FILL));
  }
  return bytes;
}
