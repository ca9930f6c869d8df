// Owns bytes that grow piece by piece at a cost that does not grow with them. What was handed out before stays as it is.

interface Backing {
  readonly buffer: ArrayBuffer;
  /** Up to where it is written. Only the view that ends there can grow in place. */
  used: number;
}

const backings = new WeakMap<Uint8Array, Backing>();

export function appendBytes(begun: Uint8Array, more: Uint8Array): Uint8Array {
  const length = begun.length + more.length;
  let backing = backings.get(begun);
  if (
    backing === undefined ||
    backing.used !== begun.length ||
    backing.buffer.byteLength < length
  ) {
    // Twice as much as needed: then most pieces find room.
    backing = { buffer: new ArrayBuffer(length * 2), used: begun.length };
    new Uint8Array(backing.buffer).set(begun);
  }
  new Uint8Array(backing.buffer).set(more, begun.length);
  backing.used = length;
  const grown = new Uint8Array(backing.buffer, 0, length);
  backings.set(grown, backing);
  return grown;
}
