// Owns the making of proofs from the stored log. The stored tree is not trusted: a proof that does not hold is never
// handed out. SPEC.md section 10 (#audit).

import { encodeBase64url } from '../codec/base64url.ts';
import { readJson } from '../codec/json/read.ts';
import type { JsonObject } from '../codec/value.ts';
import type { Store } from '../stores/store.ts';
import { idOf, readEntry } from './entry.ts';
import type { SignedHead } from './head.ts';
import { treeOf } from './head.ts';
import { findIds, findPlaces } from './id-index.ts';
import type { Sha256 } from './merkle.ts';
import { leafHash } from './merkle.ts';
import {
  consistencyRanges,
  inclusionRanges,
  verifyConsistency,
  verifyInclusion,
} from './merkle-proof.ts';
import type { GrowthDocument, ProofDocument, ProvenEntry } from './proof.ts';
import { MAX_PROVEN } from './proof.ts';
import type { LogNames } from './stored-tree.ts';
import { StoredTree, damaged, readRange } from './stored-tree.ts';

export class Prover {
  readonly #store: Store;
  readonly #names: LogNames;
  readonly #sha256: Sha256;
  readonly #tree: StoredTree;

  constructor(store: Store, names: LogNames, sha256: Sha256) {
    this.#store = store;
    this.#names = names;
    this.#sha256 = sha256;
    this.#tree = new StoredTree(store, names, sha256);
  }

  /** Where the entries on this id stand. */
  async find(id: string): Promise<number[]> {
    return findPlaces(this.#store, this.#names, id, MAX_PROVEN);
  }

  async findIds(prefix: string): Promise<string[]> {
    return findIds(this.#store, this.#names, prefix);
  }

  /** @param head made after the places were found, so that it covers them. */
  async prove(id: string, places: readonly number[], head: SignedHead): Promise<ProofDocument> {
    const entries: ProvenEntry[] = [];
    for (const seq of places) entries.push(await this.#proveEntry(id, seq, head));
    return { id, head, entries };
  }

  async proveGrowth(size: number, head: SignedHead): Promise<GrowthDocument> {
    const earlier = { size, root: await this.#tree.hash({ from: 0, to: size }) };
    const path = await this.#tree.hashes(consistencyRanges(size, head.size));
    if (!verifyConsistency(earlier, treeOf(head), path, this.#sha256)) {
      throw damaged(`the first ${size} entries are not those of the head`);
    }
    return { size, head, path: path.map(encodeBase64url) };
  }

  async #proveEntry(id: string, seq: number, head: SignedHead): Promise<ProvenEntry> {
    if (!(seq < head.size)) throw damaged('its index leads beyond its end');
    const [value] = await readRange(this.#store, this.#names.entries, { from: seq, to: seq + 1 });
    const entry = readJson(value!) as JsonObject;
    if (idOf(readEntry(entry, '')) !== id) throw damaged('its index leads to another message');
    const path = await this.#tree.hashes(inclusionRanges(seq, head.size));
    const leaf = leafHash(value!, this.#sha256);
    if (!verifyInclusion(leaf, seq, path, treeOf(head), this.#sha256)) {
      throw damaged(`entry ${seq} is not that of the head`);
    }
    return { seq, entry, path: path.map(encodeBase64url) };
  }
}
