// Owns checks on byte strings that are keys, tags and digests: length, and equality in constant time.

/** TypeError unless `bytes` has this length; for our own keys, never for what a peer sent. */
export function expectLength(option: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new TypeError(`"${option}" expected ${length} bytes`);
}

/** Whether both hold the same bytes, in a time that depends on the length alone. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) difference |= one[index]! ^ other[index]!;
  return difference === 0;
}
