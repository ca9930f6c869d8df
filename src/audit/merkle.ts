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

/** The prefixes keep a leaf from passing for a node. */
export const LEAF = 0;
const NODE = 1;
/** What a node is hashed from: there is one for nearly every leaf. */
const nodeInput = new Uint8Array(1 + 2 * HASH_BYTES);
nodeInput[0] = NODE;

export function leafHash(entry: Uint8Array, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(1 + entry.length);
  bytes[0] = LEAF;
  bytes.set(entry, 1);
  return sha256(bytes);
}

/** Of two hashes. */
export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + HASH_BYTES);
  return sha256(nodeInput);
}

/**
 * The tree with these leaves more. `onComplete` is told every subtree that a leaf completes: it has 2^`level` leaves
 * and ends with that one.
 */
export function grow(
  tree: Frontier,
  leaves: readonly Uint8Array[],
  sha256: Sha256,
  onComplete?: (level: number, hash: Uint8Array) => void,
): Frontier {
  const peaks = [...tree.peaks];
  let { size } = tree;
  for (const leaf of leaves) {
    let hash = leaf;
    let level = 0;
    // Sizes may be beyond 32 bits, where the operators on bits end.
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
      hash = nodeHash(peaks.pop()!, hash, sha256);
      level += 1;
      onComplete?.(level, hash);
    }
    peaks.push(hash);
    size += 1;
  }
  return { size, peaks };
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
  return rootOf(grow(EMPTY_TREE, hashes, sha256), sha256);
}
