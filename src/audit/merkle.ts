// Owns the Merkle tree hash of RFC 6962 and RFC 9162, grown leaf by leaf from the hashes of its right edge.
// SPEC.md section 10 (#audit).

import type { CryptoProvider } from '../crypto/provider.ts';

export type Sha256 = CryptoProvider['sha256'];

export const HASH_BYTES = 32;

/** A tree of a size: the roots of the complete subtrees that it is made of, the largest first. */
export interface Frontier {
  readonly size: number;
  readonly peaks: readonly Uint8Array[];
}

export const EMPTY_TREE: Frontier = Object.freeze({ size: 0, peaks: Object.freeze([]) });

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The prefixes keep a leaf from passing for a node. */
export function leafHash(entry: Uint8Array, sha256: Sha256): Uint8Array {
  return sha256(concat(LEAF, entry));
}

export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  return sha256(concat(NODE, left, right));
}

/**
 * The tree with one leaf more. `onComplete` is told every subtree that this leaf completes: it has 2^`level` leaves
 * and ends with this one.
 */
export function grow(
  tree: Frontier,
  leaf: Uint8Array,
  sha256: Sha256,
  onComplete?: (level: number, hash: Uint8Array) => void,
): Frontier {
  const peaks = [...tree.peaks];
  let hash = leaf;
  let level = 0;
  // Sizes may be beyond 32 bits, where the operators on bits end.
  for (let rest = tree.size; rest % 2 === 1; rest = (rest - 1) / 2) {
    hash = nodeHash(peaks.pop()!, hash, sha256);
    level += 1;
    onComplete?.(level, hash);
  }
  peaks.push(hash);
  return { size: tree.size + 1, peaks };
}

export function rootOf(tree: Frontier, sha256: Sha256): Uint8Array {
  return foldPeaks(tree.peaks, sha256);
}

/** The root over complete subtrees, each smaller than the one before it. */
export function foldPeaks(peaks: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  let root = peaks.at(-1);
  if (root === undefined) return sha256(new Uint8Array());
  for (let at = peaks.length - 2; at >= 0; at -= 1) root = nodeHash(peaks[at]!, root, sha256);
  return root;
}

/** The root over hashes of leaves, or of subtrees of one size. */
export function foldHashes(hashes: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  let tree = EMPTY_TREE;
  for (const hash of hashes) tree = grow(tree, hash, sha256);
  return rootOf(tree, sha256);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
