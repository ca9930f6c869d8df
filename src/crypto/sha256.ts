// Owns SHA-256: the platform's where Node's crypto is there, else @noble/hashes. SPEC.md section 4.6 (#content-hash).

import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

// Asked for at run time, so that bundles for browsers and workers carry no import of node:crypto.
const node = globalThis.process?.getBuiltinModule?.('node:crypto');

export const sha256: (bytes: Uint8Array) => Uint8Array =
  node === undefined
    ? nobleSha256
    : (bytes) => new Uint8Array(node.createHash('sha256').update(bytes).digest());

export function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}
