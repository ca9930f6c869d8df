// Owns ids: UUID version 7 for messages, so that ids sort by time; version 8 for what is to get the same id again.
// SPEC.md sections 2 and 8 (#envelope-id, #task-ids).

import { toHex } from '../crypto/sha256.ts';

export type RandomBytes = (length: number) => Uint8Array;

export function uuidV7(epochMs: number, randomBytes: RandomBytes): string {
  const bytes = randomBytes(16);
  let time = epochMs;
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return written(toHex(bytes));
}

/** From a digest of at least 16 bytes: the form is that of other ids, the content is ours. */
export function uuidV8(digest: Uint8Array): string {
  const hex = toHex(digest);
  return written(`${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17, 32)}`);
}

function written(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
