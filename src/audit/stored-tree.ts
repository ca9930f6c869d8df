// Owns where the audit log lives in a store, and its tree: the roots of full blocks are kept, so that a start or a
// proof on millions of entries reads a few hundred. SPEC.md section 10 (#audit).

import { encodeUtf8 } from '../codec/utf8.ts';
import { SdlError } from '../errors.ts';
import type { Store } from '../stores/store.ts';
import { STORE_LIMITS } from '../stores/store.ts';
import { auditHash } from './entry.ts';
import type { Frontier, Sha256 } from './merkle.ts';
import { foldHashes, foldPeaks, leafHash } from './merkle.ts';
import type { LeafRange } from './merkle-proof.ts';
import { completeSubtrees } from './merkle-proof.ts';

/** The roots of subtrees with 2^8, 2^16, 2^24, … leaves are kept, each level in a log of its own. */
export const LEVEL_STEP = 8;
export const BLOCK: number = 2 ** LEVEL_STEP;

/** The names of the logs of one node. */
export interface LogNames {
  readonly entries: string;
  readonly heads: string;
  readonly level: (level: number) => string;
  /** Where the entries on an envelope's id stand. */
  readonly byId: (id: string) => string;
  /** Where the entries stand whose ids, made for them, begin so. */
  readonly byTime: (time: string) => string;
}

export function logNames(node: string, sha256: Sha256): LogNames {
  // An id and an agent id together may be longer than a name can be.
  const owner = auditHash(encodeUtf8(node), sha256);
  return {
    entries: `audit:${node}`,
    heads: `audit-heads:${node}`,
    level: (level) => `audit-tree-${level}:${node}`,
    byId: (id) => `audit-id:${owner}:${id}`,
    byTime: (time) => `audit-time:${owner}:${time}`,
  };
}

export class StoredTree {
  readonly #store: Store;
  readonly #names: LogNames;
  readonly #sha256: Sha256;

  constructor(store: Store, names: LogNames, sha256: Sha256) {
    this.#store = store;
    this.#names = names;
    this.#sha256 = sha256;
  }

  /** The tree over the first entries. */
  async frontier(size: number): Promise<Frontier> {
    return { size, peaks: await this.#peaks({ from: 0, to: size }) };
  }

  /** The root over a range that the tree splits into. */
  async hash(range: LeafRange): Promise<Uint8Array> {
    return foldPeaks(await this.#peaks(range), this.#sha256);
  }

  async hashes(ranges: readonly LeafRange[]): Promise<Uint8Array[]> {
    const hashes: Uint8Array[] = [];
    for (const range of ranges) hashes.push(await this.hash(range));
    return hashes;
  }

  async #peaks(range: LeafRange): Promise<Uint8Array[]> {
    const peaks: Uint8Array[] = [];
    for (const part of completeSubtrees(range)) peaks.push(await this.#subtree(part));
    return peaks;
  }

  async #subtree({ from, to }: LeafRange): Promise<Uint8Array> {
    let [level, unit] = [0, 1];
    while (unit * BLOCK <= to - from) {
      level += LEVEL_STEP;
      unit *= BLOCK;
    }
    const range = { from: from / unit, to: to / unit };
    if (level > 0) {
      const kept = await readRange(this.#store, this.#names.level(level), range);
      return foldHashes(kept, this.#sha256);
    }
    const entries = await readRange(this.#store, this.#names.entries, range);
    return foldHashes(
      entries.map((entry) => leafHash(entry, this.#sha256)),
      this.#sha256,
    );
  }
}

/** Exactly these records. */
export async function readRange(
  store: Store,
  log: string,
  { from, to }: LeafRange,
): Promise<Uint8Array[]> {
  const values: Uint8Array[] = [];
  while (from + values.length < to) {
    const at = from + values.length;
    const records = await store.read(log, at, Math.min(to - at, STORE_LIMITS.page));
    if (records[0]?.position !== at) throw damaged('records are missing');
    for (const { value } of records) values.push(value);
  }
  return values;
}

export function damaged(how: string, cause?: unknown): SdlError {
  return new SdlError(
    'INTERNAL',
    `the audit log is damaged: ${how}; keep the store as it is and verify the log`,
    { cause },
  );
}
