// Owns the bytes of entries that are written together, and their hashes as leaves: one piece of memory and one pass for
// all of them. SPEC.md section 10 (#audit).

import { encodeUtf8 } from '../codec/utf8.ts';
import type { Sha256 } from './merkle.ts';
import { LEAF } from './merkle.ts';

interface Leaves {
  /** The bytes of each entry. */
  readonly values: Uint8Array[];
  readonly hashes: Uint8Array[];
}

const MARK = String.fromCharCode(LEAF);

/** @param texts of JSON, in which no such character stands: what is before each is also what is hashed before it. */
export function encodeLeaves(texts: readonly string[], sha256: Sha256): Leaves {
  const bytes = encodeUtf8(MARK + texts.join(MARK));
  const values: Uint8Array[] = [];
  const hashes: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const next = bytes.indexOf(LEAF, start + 1);
    const end = next < 0 ? bytes.length : next;
    values.push(bytes.subarray(start + 1, end));
    hashes.push(sha256(bytes.subarray(start, end)));
    start = end;
  }
  return { values, hashes };
}
