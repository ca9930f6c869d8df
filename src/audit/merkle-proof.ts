// Owns proofs on a Merkle tree: that a leaf is in it, and that it grew out of an earlier one (RFC 9162 section 2.1).
// SPEC.md section 10 (#audit).

import { equalBytes } from '../crypto/bytes.ts';
import type { Sha256 } from './merkle.ts';
import { HASH_BYTES, nodeHash } from './merkle.ts';

/** Leaves `from` up to, not including, `to`. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** The root that a tree of this size is said to have. */
export interface TreeRoot {
  readonly size: number;
  readonly root: Uint8Array;
}

/** More than any tree of a safe size needs: a longer path is no proof and costs nothing. */
export const MAX_PATH = 64;

/** The subtrees whose hashes prove that a leaf is in a tree of this size, in the order of the proof. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + powerBelow(to - from);
    if (index < middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  return ranges.toReversed();
}

/** The subtrees whose hashes prove that a tree of this size begins with the earlier one, in the order of the proof. */
export function consistencyRanges(earlier: number, size: number): LeafRange[] {
  if (earlier === 0) return [];
  const ranges: LeafRange[] = [];
  let [from, to] = [0, size];
  while (earlier < to) {
    const middle = from + powerBelow(to - from);
    if (earlier <= middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  // From 0 on it is the earlier tree itself, whose root the reader of the proof has.
  if (from > 0) ranges.push({ from, to });
  return ranges.toReversed();
}

/** The complete subtrees that a range is made of, the largest first. Only for ranges that a tree splits into. */
export function completeSubtrees({ from, to }: LeafRange): LeafRange[] {
  const parts: LeafRange[] = [];
  for (let at = from; at < to;) {
    const size = powerUpTo(to - at);
    parts.push({ from: at, to: at + size });
    at += size;
  }
  return parts;
}

/** Does the path lead from this leaf at this index to the root? */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  path: readonly Uint8Array[],
  tree: TreeRoot,
  sha256: Sha256,
): boolean {
  if (index >= tree.size || !isPath(path)) return false;
  let hash = leaf;
  const climb = new Climb(index, tree.size - 1);
  for (const sibling of path) {
    if (climb.isDone) return false;
    hash = climb.step() ? nodeHash(sibling, hash, sha256) : nodeHash(hash, sibling, sha256);
  }
  return climb.isDone && equalBytes(hash, tree.root);
}

/** Does the path show that the tree begins with the leaves of the earlier one? */
export function verifyConsistency(
  earlier: TreeRoot,
  tree: TreeRoot,
  path: readonly Uint8Array[],
  sha256: Sha256,
): boolean {
  if (earlier.size > tree.size || !isPath(path)) return false;
  if (earlier.size === 0) {
    return path.length === 0 && equalBytes(earlier.root, sha256(new Uint8Array()));
  }
  if (earlier.size === tree.size) return path.length === 0 && equalBytes(earlier.root, tree.root);
  const [first, ...rest] =
    powerUpTo(earlier.size) === earlier.size ? [earlier.root, ...path] : path;
  if (first === undefined) return false;
  let [before, after] = [first, first];
  const climb = new Climb(earlier.size - 1, tree.size - 1);
  climb.skipRight();
  for (const sibling of rest) {
    if (climb.isDone) return false;
    if (climb.step()) {
      before = nodeHash(sibling, before, sha256);
      after = nodeHash(sibling, after, sha256);
    } else {
      after = nodeHash(after, sibling, sha256);
    }
  }
  return climb.isDone && equalBytes(before, earlier.root) && equalBytes(after, tree.root);
}

/** The way from a node up to the root, beside the way up of the last node of each level. */
class Climb {
  #node: number;
  #last: number;

  constructor(node: number, last: number) {
    this.#node = node;
    this.#last = last;
  }

  get isDone(): boolean {
    return this.#last === 0;
  }

  /** One sibling up; true when that sibling stands on the left. */
  step(): boolean {
    if (this.#node % 2 === 0 && this.#node < this.#last) {
      this.#up();
      return false;
    }
    // The last node of a level without a sibling goes up as it is, until it is a right one.
    while (this.#node % 2 === 0 && this.#node > 0) this.#up();
    this.#up();
    return true;
  }

  /** Up to the largest complete subtree that ends here. */
  skipRight(): void {
    while (this.#node % 2 === 1) this.#up();
  }

  #up(): void {
    this.#node = Math.floor(this.#node / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

function isPath(path: readonly Uint8Array[]): boolean {
  return path.length <= MAX_PATH && path.every((hash) => hash.length === HASH_BYTES);
}

/** The largest power of two that is smaller: where a tree of that size splits. */
function powerBelow(size: number): number {
  return powerUpTo(size - 1);
}

function powerUpTo(size: number): number {
  let power = 1;
  while (power * 2 <= size) power *= 2;
  return power;
}
