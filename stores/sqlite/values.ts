// Owns how texts and bytes enter and leave SQLite.

/** A byte order mark is a part of a name like any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Node's encoder, because it does not allocate for every short name. */
export function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The driver's buffers are fresh copies; only their class is not ours. */
export function bytesOf(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
