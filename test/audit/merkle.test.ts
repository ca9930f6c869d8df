// The Merkle tree against a recursive one that follows the definition to the letter.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Frontier } from '../../src/audit/merkle.ts';
import { EMPTY_TREE, grow, leafHash, nodeHash, rootOf } from '../../src/audit/merkle.ts';
import {
  completeSubtrees,
  consistencyRanges,
  inclusionRanges,
  verifyConsistency,
  verifyInclusion,
} from '../../src/audit/merkle-proof.ts';
import { sha256, toHex } from '../../src/crypto/sha256.ts';
import { utf8 } from '../support/wire/bytes.ts';

const LEAVES = Array.from({ length: 70 }, (_, at) => leafHash(utf8(`entry ${at}`), sha256));

/** MTH of RFC 9162 section 2.1.1, over hashes of leaves. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array());
  if (leaves.length === 1) return leaves[0]!;
  const middle = split(leaves.length);
  return nodeHash(naiveRoot(leaves.slice(0, middle)), naiveRoot(leaves.slice(middle)), sha256);
}

/** PATH of section 2.1.3.1. */
function naiveInclusion(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const middle = split(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...naiveInclusion(index, left), naiveRoot(right)]
    : [...naiveInclusion(index - middle, right), naiveRoot(left)];
}

/** SUBPROOF of section 2.1.4.1. */
function naiveConsistency(size: number, leaves: readonly Uint8Array[], whole = true): Uint8Array[] {
  if (size === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  const middle = split(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return size <= middle
    ? [...naiveConsistency(size, left, whole), naiveRoot(right)]
    : [...naiveConsistency(size - middle, right, false), naiveRoot(left)];
}

function split(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function treeAt(size: number): Frontier {
  return grow(EMPTY_TREE, LEAVES.slice(0, size), sha256);
}

const rootAt = (size: number): Uint8Array => naiveRoot(LEAVES.slice(0, size));
const atSize = (size: number): { size: number; root: Uint8Array } => ({ size, root: rootAt(size) });
const hashesOf = (ranges: readonly { from: number; to: number }[]): Uint8Array[] =>
  ranges.map(({ from, to }) => naiveRoot(LEAVES.slice(from, to)));

/** Size and place of a leaf. */
const placed = fc
  .integer({ min: 1, max: LEAVES.length })
  .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 })));

/** The list with one thing wrong. */
function spoiled(path: readonly Uint8Array[], how: number): Uint8Array[] {
  const copy = path.map((hash) => new Uint8Array(hash));
  const at = how % Math.max(1, copy.length);
  if (copy.length === 0 || how % 3 === 0) return [...copy, new Uint8Array(32)];
  if (how % 3 === 1) return copy.toSpliced(at, 1);
  copy[at]![how % 32]! ^= 1;
  return copy;
}

describe('#audit the Merkle tree of RFC 9162', () => {
  test('hashes leaves and nodes with their prefixes, as other logs do', () => {
    expect(toHex(rootOf(EMPTY_TREE, sha256))).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(toHex(leafHash(new Uint8Array(), sha256))).toBe(
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    );
    const [left, right] = [sha256(utf8('l')), sha256(utf8('r'))];
    const joined = Uint8Array.from([1, ...left, ...right]);
    expect(nodeHash(left, right, sha256)).toEqual(sha256(joined));
  });

  test('grown leaf by leaf it has the root of the definition at every size', () => {
    for (let size = 0; size <= LEAVES.length; size += 1) {
      expect(rootOf(treeAt(size), sha256)).toEqual(rootAt(size));
    }
  });

  test('names every subtree that a leaf completes, and the frontier is made of complete ones', () => {
    let tree = EMPTY_TREE;
    for (const [at, leaf] of LEAVES.entries()) {
      tree = grow(tree, [leaf], sha256, (level, hash) => {
        expect(hash).toEqual(naiveRoot(LEAVES.slice(at + 1 - 2 ** level, at + 1)));
      });
      expect(tree.peaks).toEqual(hashesOf(completeSubtrees({ from: 0, to: at + 1 })));
    }
  });

  test('inclusion paths are those of the definition and hold', () => {
    fc.assert(
      fc.property(placed, ([size, index]) => {
        const path = hashesOf(inclusionRanges(index, size));
        expect(path).toEqual(naiveInclusion(index, LEAVES.slice(0, size)));
        expect(verifyInclusion(LEAVES[index]!, index, path, atSize(size), sha256)).toBe(true);
      }),
    );
  });

  test('no inclusion path holds for another leaf, place, size or root, or with a hash changed, missing or more', () => {
    fc.assert(
      fc.property(placed, fc.nat(1_000), ([size, index], how) => {
        const tree = atSize(size);
        const path = hashesOf(inclusionRanges(index, size));
        const leaf = LEAVES[index]!;
        const holds = (
          other: Uint8Array,
          place: number,
          hashes: readonly Uint8Array[],
          of: typeof tree,
        ): boolean => verifyInclusion(other, place, hashes, of, sha256);
        expect(holds(LEAVES[(index + 1) % LEAVES.length]!, index, path, tree)).toBe(false);
        if (size > 1) expect(holds(leaf, (index + 1) % size, path, tree)).toBe(false);
        expect(holds(leaf, index + size, path, tree)).toBe(false);
        expect(holds(leaf, index, spoiled(path, how), tree)).toBe(false);
        expect(holds(leaf, index, path, { size, root: sha256(tree.root) })).toBe(false);
      }),
    );
  });

  test('consistency paths are those of the definition and hold', () => {
    fc.assert(
      fc.property(placed, ([size, at]) => {
        const earlier = at + 1;
        const path = hashesOf(consistencyRanges(earlier, size));
        expect(path).toEqual(naiveConsistency(earlier, LEAVES.slice(0, size)));
        expect(verifyConsistency(atSize(earlier), atSize(size), path, sha256)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('no consistency path holds for a tree that did not grow out of the earlier one', () => {
    fc.assert(
      fc.property(placed, fc.nat(1_000), ([size, at], how) => {
        const [earlier, tree] = [atSize(at + 1), atSize(size)];
        const path = hashesOf(consistencyRanges(earlier.size, size));
        const forged = { size: earlier.size, root: sha256(earlier.root) };
        const grown = { size, root: sha256(tree.root) };
        expect(verifyConsistency(forged, tree, path, sha256)).toBe(false);
        expect(verifyConsistency(earlier, grown, path, sha256)).toBe(false);
        expect(verifyConsistency(earlier, tree, spoiled(path, how), sha256)).toBe(false);
        if (earlier.size < size) expect(verifyConsistency(tree, earlier, path, sha256)).toBe(false);
      }),
    );
  });

  test('every tree grew out of the empty one, and of no other of size 0', () => {
    expect(consistencyRanges(0, 9)).toEqual([]);
    expect(verifyConsistency(atSize(0), atSize(9), [], sha256)).toBe(true);
    expect(verifyConsistency({ size: 0, root: rootAt(1) }, atSize(9), [], sha256)).toBe(false);
    expect(verifyConsistency(atSize(0), atSize(9), [rootAt(1)], sha256)).toBe(false);
  });

  test('sizes beyond 32 bits are split like others', () => {
    const size = 2 ** 40 + 3;
    expect(completeSubtrees({ from: 0, to: size })).toEqual([
      { from: 0, to: 2 ** 40 },
      { from: 2 ** 40, to: 2 ** 40 + 2 },
      { from: 2 ** 40 + 2, to: size },
    ]);
    expect(inclusionRanges(2 ** 40, size)).toEqual([
      { from: 2 ** 40 + 1, to: 2 ** 40 + 2 },
      { from: 2 ** 40 + 2, to: size },
      { from: 0, to: 2 ** 40 },
    ]);
    const path = Array.from({ length: 3 }, (_, at) => LEAVES[at]!);
    const pair = nodeHash(LEAVES[9]!, LEAVES[0]!, sha256);
    const root = nodeHash(LEAVES[2]!, nodeHash(pair, LEAVES[1]!, sha256), sha256);
    expect(verifyInclusion(LEAVES[9]!, 2 ** 40, path, { size, root }, sha256)).toBe(true);
  });
});
