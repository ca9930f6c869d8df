// Owns message ids: UUID version 7, so that ids sort by time. SPEC.md section 2 (#envelope-id).

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
  const hex = toHex(bytes);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
