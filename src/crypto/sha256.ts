// Owns SHA-256: the platform's where Node's crypto is there, else @noble/hashes. SPEC.md section 4.6 (#content-hash).

import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

import { nodeCrypto } from './node-modules.ts';
import type { NodeCrypto } from './node-modules.ts';

export const sha256: (bytes: Uint8Array) => Uint8Array =
  nodeCrypto === undefined ? nobleSha256 : createNodeSha256(nodeCrypto);

export function createNodeSha256(node: NodeCrypto): (bytes: Uint8Array) => Uint8Array {
  // Other runtimes offer node:crypto without the one-shot form, which is a third faster on short input.
  return typeof node.hash === 'function'
    ? (bytes) => bytesOf(node.hash('sha256', bytes, 'binary'))
    : (bytes) => new Uint8Array(node.createHash('sha256').update(bytes).digest());
}

const HASH_BYTES = 32;

/** A text costs half of what a buffer does, and leaves nothing outside of the heap for the garbage collector. */
function bytesOf(binary: string): Uint8Array {
  const bytes = new Uint8Array(HASH_BYTES);
  for (let at = 0; at < HASH_BYTES; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Of text in UTF-8, in lower-case hexadecimal digits. */
export const sha256Hex: (text: string) => string = createSha256Hex(nodeCrypto);

function createSha256Hex(node: NodeCrypto | undefined): (text: string) => string {
  if (typeof node?.hash === 'function') return (text) => node.hash('sha256', text, 'hex');
  const encoder = new TextEncoder();
  return (text) => toHex(sha256(encoder.encode(text)));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (let at = 0; at < bytes.length; at += 1) hex += HEX[bytes[at]!]!;
  return hex;
}
