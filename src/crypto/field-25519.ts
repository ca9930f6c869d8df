// Owns the coordinates that Ed25519 and X25519 share: 32 bytes little-endian, below p = 2^255 − 19, bit 255 apart.

export const P: bigint = 2n ** 255n - 19n;

export function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number((value >> BigInt(8 * index)) & 0xffn),
  );
}

export function fromLittleEndian(bytes: Uint8Array): bigint {
  let hex = '0x';
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    hex += bytes[index]!.toString(16).padStart(2, '0');
  }
  return BigInt(hex);
}

/** Whether the first 32 bytes, without bit 255, are the one encoding of their coordinate. */
export function isBelowP(bytes: Uint8Array): boolean {
  if ((bytes[31]! & 0x7f) !== 0x7f || bytes[0]! < 0xed) return true;
  for (let index = 1; index < 31; index += 1) if (bytes[index] !== 0xff) return true;
  return false;
}

/** Whether the first 32 bytes, without bit 255, are one of these coordinates. Public data only: it stops early. */
export function isOneOf(bytes: Uint8Array, coordinates: readonly Uint8Array[]): boolean {
  return coordinates.some((coordinate) => {
    for (let index = 0; index < 31; index += 1) {
      if (bytes[index] !== coordinate[index]) return false;
    }
    return (bytes[31]! & 0x7f) === coordinate[31];
  });
}
