// Owns items that come in chunks: put together per sender, in any order, within bounds of number, size and time.
// SPEC.md section 9 (#content-types).

import { equalBytes } from '../../crypto/bytes.ts';
import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import { checkInteger } from '../../stores/operation.ts';
import { digestOf } from './build.ts';
import type { ArtifactChunk, ArtifactItem } from './read.ts';
import { itemWith } from './read.ts';

export interface ArtifactAssemblerOptions {
  /** Bytes of one item. @default 67108864 */
  readonly maxItemBytes?: number;
  /** Chunks of one item. @default 10000 */
  readonly maxChunks?: number;
  /** Items of one sender that are not whole yet. @default 16 */
  readonly maxOpenPerSender?: number;
  /** What all chunks that wait for others may cost: their bytes, and 128 each. @default 268435456 */
  readonly maxWaitingBytes?: number;
  /** From the first chunk to come to the last one. @default 600000 */
  readonly maxWaitMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

interface OpenItem {
  readonly sender: string;
  readonly untilMs: number;
  readonly chunks: Map<number, Uint8Array>;
  bytes: number;
  highestIndex: number;
  /** From the last chunk, once it is there. */
  end?: { readonly index: number; readonly digest: ContentHash };
}

/** What a chunk costs beside its bytes: empty ones are not free. */
const CHUNK_COST = 128;

const DEFAULTS = {
  maxItemBytes: 67_108_864,
  maxChunks: 10_000,
  maxOpenPerSender: 16,
  maxWaitingBytes: 268_435_456,
  maxWaitMs: 600_000,
} as const;

export class ArtifactAssembler {
  readonly #limits: Required<Omit<ArtifactAssemblerOptions, 'now'>>;
  readonly #now: () => number;
  /** In the order in which they were begun, and so in the order in which their time is up. */
  readonly #open = new Map<string, OpenItem>();
  readonly #openBySender = new Map<string, number>();
  #waitingBytes = 0;

  constructor({ now = Date.now, ...limits }: ArtifactAssemblerOptions = {}) {
    this.#limits = { ...DEFAULTS, ...limits };
    for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
      checkInteger(name, this.#limits[name], 1);
    }
    this.#now = now;
  }

  /** What the chunks that wait for others cost: their bytes, and 128 each. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Items of a sender that are not whole yet. */
  openItems(sender: string): number {
    this.#dropLate();
    return this.#openBySender.get(sender) ?? 0;
  }

  /**
   * The whole item, once this chunk was the last that was missing; an item that is no chunk as it is. A chunk that
   * comes twice changes nothing. Throws PAYLOAD_INVALID for chunks that contradict each other or the digest, LIMIT_BYTES
   * and LIMIT_ARRAY for an item that is too large, each of which drops the item, and LIMIT_RATE when too much waits.
   */
  add(sender: string, item: ArtifactItem): ArtifactItem | undefined {
    const { chunk, bytes, name } = item;
    if (chunk === undefined || bytes === undefined) return item;
    this.#dropLate();
    const key = JSON.stringify([sender, name]);
    const open = this.#open.get(key) ?? this.#begin(key, sender);
    if (this.#isRepeated(open, item)) return undefined;
    const refusal = this.#refusalOf(open, chunk, bytes.length);
    if (refusal !== undefined) {
      // What is merely too early may come again; what can never become whole need not wait.
      if (refusal.code !== 'LIMIT_RATE' || open.chunks.size === 0) this.#drop(key, open);
      throw refusal;
    }
    this.#keep(open, chunk, bytes);
    if (open.end === undefined || open.chunks.size <= open.end.index) return undefined;
    this.#drop(key, open);
    return wholeItem(item, open);
  }

  #begin(key: string, sender: string): OpenItem {
    const count = this.#openBySender.get(sender) ?? 0;
    if (count >= this.#limits.maxOpenPerSender) {
      throw new SdlError('LIMIT_RATE', 'the sender has too many artifacts that are not complete');
    }
    const untilMs = this.#now() + this.#limits.maxWaitMs;
    const open: OpenItem = { sender, untilMs, chunks: new Map(), bytes: 0, highestIndex: -1 };
    this.#open.set(key, open);
    this.#openBySender.set(sender, count + 1);
    return open;
  }

  #isRepeated({ chunks, end }: OpenItem, { chunk, bytes }: ArtifactItem): boolean {
    const earlier = chunks.get(chunk!.index);
    if (earlier === undefined) return false;
    const isEnd = end?.index === chunk!.index;
    return equalBytes(earlier, bytes!) && chunk!.digest === (isEnd ? end.digest : undefined);
  }

  #refusalOf(
    { chunks, end, bytes, highestIndex }: OpenItem,
    { index, digest }: ArtifactChunk,
    length: number,
  ): SdlError | undefined {
    const { maxChunks, maxItemBytes, maxWaitingBytes } = this.#limits;
    if (index >= maxChunks) return limit('LIMIT_ARRAY', maxChunks);
    if (bytes + length > maxItemBytes) return limit('LIMIT_BYTES', maxItemBytes);
    if (chunks.has(index)) return misfit('a chunk came twice with different content');
    if (digest !== undefined && end !== undefined) return misfit('an item has two last chunks');
    const lastIndex = digest === undefined ? end?.index : index;
    if (lastIndex !== undefined && Math.max(index, highestIndex) > lastIndex) {
      return misfit('a chunk comes after the last one');
    }
    if (this.#waitingBytes + length + CHUNK_COST <= maxWaitingBytes) return undefined;
    return new SdlError('LIMIT_RATE', 'too many chunks wait for others');
  }

  #keep(open: OpenItem, { index, digest }: ArtifactChunk, bytes: Uint8Array): void {
    if (digest !== undefined) open.end = { index, digest };
    open.chunks.set(index, bytes);
    open.bytes += bytes.length;
    open.highestIndex = Math.max(open.highestIndex, index);
    this.#waitingBytes += bytes.length + CHUNK_COST;
  }

  #dropLate(): void {
    const nowMs = this.#now();
    for (const [key, open] of this.#open) {
      if (open.untilMs > nowMs) return;
      this.#drop(key, open);
    }
  }

  #drop(key: string, { sender, bytes, chunks }: OpenItem): void {
    this.#open.delete(key);
    this.#waitingBytes -= bytes + chunks.size * CHUNK_COST;
    const left = this.#openBySender.get(sender)! - 1;
    if (left === 0) this.#openBySender.delete(sender);
    else this.#openBySender.set(sender, left);
  }
}

function wholeItem(lastToCome: ArtifactItem, open: OpenItem): ArtifactItem {
  const bytes = new Uint8Array(open.bytes);
  let at = 0;
  for (let index = 0; index < open.chunks.size; index += 1) {
    const piece = open.chunks.get(index)!;
    bytes.set(piece, at);
    at += piece.length;
  }
  if (digestOf(bytes) !== open.end!.digest) throw misfit('the item is not what its digest says');
  return itemWith(lastToCome, bytes);
}

function limit(code: 'LIMIT_ARRAY' | 'LIMIT_BYTES', most: number): SdlError {
  return new SdlError(code, `an item exceeds ${most}`, { details: { limit: most } });
}

function misfit(reason: string): SdlError {
  return new SdlError('PAYLOAD_INVALID', reason, { details: { path: '/items' } });
}
