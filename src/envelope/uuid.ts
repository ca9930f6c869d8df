// Owns ids: UUID version 7 for messages, so that ids sort by time; version 8 for what is to get the same id again.
// SPEC.md sections 2 and 8 (#envelope-id, #task-ids).

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
  return written(bytes);
}

/** From a digest of at least 16 bytes: the form is that of other ids, the content is ours. */
export function uuidV8(digest: Uint8Array): string {
  const bytes = digest.slice(0, 16);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0xa0 | (bytes[8]! & 0x0f);
  return written(bytes);
}

const DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** The characters of one id; the hyphens among them stay. */
const units: number[] = Array.from('00000000-0000-0000-0000-000000000000', (unit) =>
  unit.charCodeAt(0),
);

/** In one piece: a text put together of pieces leaves each of them behind, and there are ids in every message. */
function written(bytes: Uint8Array): string {
  let at = 0;
  for (let index = 0; index < 16; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) at += 1;
    const byte = bytes[index]!;
    units[at++] = DIGITS[byte >> 4]!;
    units[at++] = DIGITS[byte & 0x0f]!;
  }
  return String.fromCharCode(...units);
}
