// Owns how the octets of a task_id name a task of the engine: readable where they can be, never two for one.
// SPEC.md section 19 (#swp-task-id).

import { createHash } from 'node:crypto';

const PLAIN = /^[A-Za-z0-9._-]{1,128}$/;
/** So many octets in base64url and the mark before them are 256 characters, as long as an id may be. */
const MAX_WRITTEN_BYTES = 189;

export function engineId(taskId: Uint8Array): string {
  const octets = Buffer.from(taskId.buffer, taskId.byteOffset, taskId.length);
  const text = octets.toString('latin1');
  if (PLAIN.test(text)) return text;
  if (octets.length <= MAX_WRITTEN_BYTES) return `swp:${octets.toString('base64url')}`;
  return `swp#${createHash('sha256').update(octets).digest('base64url')}`;
}

/** Two Tasks are equal when their octets are. */
export function taskDigest(kind: string, input: Uint8Array): string {
  const name = Buffer.from(kind);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length);
  return createHash('sha256').update(length).update(name).update(input).digest('hex');
}
