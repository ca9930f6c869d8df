// Owns how entries get into the log: many at once in one transaction, in order, beside other processes on the same
// store. SPEC.md section 10 (#audit).

import { writeJcs } from '../codec/canonical-jcs.ts';
import type { Operation, Store } from '../stores/store.ts';
import { STORE_LIMITS } from '../stores/store.ts';
import type { HeadContext, SignedHead } from './head.ts';
import { signHead } from './head.ts';
import type { IndexedId } from './id-index.ts';
import { indexOperations } from './id-index.ts';
import { encodeLeaves } from './leaves.ts';
import type { Frontier } from './merkle.ts';
import { grow, leafHash } from './merkle.ts';
import type { LogNames } from './stored-tree.ts';
import { BLOCK, LEVEL_STEP, damaged } from './stored-tree.ts';

interface Waiting extends IndexedId {
  /** Of the entry. */
  readonly text: string;
  readonly resolve: (seq: number) => void;
  readonly reject: (reason: unknown) => void;
}

/** The batch in a store, and what it makes of the tree. */
interface Draft {
  readonly operations: readonly Operation[];
  readonly tree: Frontier;
  readonly head: SignedHead | undefined;
}

/** Where the platform has no such moment, it is that of the next promise. */
const atTheEndOfTheTurn: (run: () => void) => void =
  typeof setImmediate === 'function' ? (run) => void setImmediate(run) : queueMicrotask;

export class Appender {
  readonly #store: Store;
  readonly #names: LogNames;
  readonly #context: HeadContext;
  #tree: Frontier;
  #headSize: number;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** @param headSize the size of the longest log that a stored head speaks of. */
  constructor(
    store: Store,
    names: LogNames,
    context: HeadContext,
    tree: Frontier,
    headSize: number,
  ) {
    this.#store = store;
    this.#names = names;
    this.#context = context;
    this.#tree = tree;
    this.#headSize = headSize;
  }

  /** What is durable, as far as this process knows. */
  get tree(): Frontier {
    return this.#tree;
  }

  append(text: string, id: string, isOwn: boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ text, id, isOwn, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** A fresh head over everything in the store. The first of each size is stored before anybody sees it. */
  async head(): Promise<SignedHead> {
    await this.catchUp();
    const head = await signHead(this.#tree, this.#context);
    if (head.size > this.#headSize) {
      await this.#store.append(this.#names.heads, [writeJcs(head)]);
      this.#headSize = Math.max(this.#headSize, head.size);
    }
    return head;
  }

  /** Resolves when everything that was handed over is durable or refused. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /**
   * Takes in what other processes wrote. From what this process knows, not from the tree in the store: what was
   * changed there never gets signed.
   */
  async catchUp(): Promise<void> {
    const { sha256 } = this.#context.crypto;
    let tree = this.#tree;
    for (;;) {
      const records = await this.#store.read(this.#names.entries, tree.size, STORE_LIMITS.page);
      if (records.length === 0) break;
      const { size } = tree;
      if (records.some(({ position }, at) => position !== size + at)) {
        throw damaged('records are missing');
      }
      const leaves = records.map(({ value }) => leafHash(value, sha256));
      tree = grow(tree, leaves, sha256);
    }
    this.#adopt(tree);
  }

  async #run(): Promise<void> {
    // Whatever else is recorded in this turn goes into the same batch: one for all messages that came at once.
    await new Promise<void>(atTheEndOfTheTurn);
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BLOCK);
      try {
        const first = await this.#commit(batch);
        for (const [at, { resolve }] of batch.entries()) resolve(first + at);
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    this.#running = undefined;
  }

  async #commit(batch: readonly Waiting[]): Promise<number> {
    for (;;) {
      const before = this.#tree;
      const { operations, tree, head } = await this.#draft(batch, before);
      const done = await this.#store.transact(operations, { isGiven: true });
      if (done.ok) {
        this.#adopt(tree);
        if (head !== undefined) this.#headSize = Math.max(this.#headSize, head.size);
        return before.size;
      }
      if (done.failed > 0) throw damaged('its tree has another length');
      if (done.found < before.size) throw damaged('it has become shorter');
      // Another process was first, or an earlier transaction of ours went through although it failed.
      await this.catchUp();
      if (this.#tree.size < done.found) throw damaged('records are missing');
    }
  }

  async #draft(batch: readonly Waiting[], before: Frontier): Promise<Draft> {
    const { sha256 } = this.#context.crypto;
    const full = new Map<number, Uint8Array[]>();
    const texts = batch.map(({ text }) => text);
    const { values, hashes: leaves } = encodeLeaves(texts, sha256);
    const tree = grow(before, leaves, sha256, (level, hash) => {
      if (level % LEVEL_STEP > 0) return;
      full.set(level, [...(full.get(level) ?? []), hash]);
    });
    const operations: Operation[] = [
      { type: 'append', log: this.#names.entries, values, ifLength: before.size },
    ];
    for (const [level, hashes] of full) {
      const ifLength = Math.floor(before.size / 2 ** level);
      operations.push({ type: 'append', log: this.#names.level(level), values: hashes, ifLength });
    }
    operations.push(...indexOperations(this.#names, batch, before.size));
    // A full block gets a head, so that no long tail is ever without one.
    const head = full.size > 0 ? await signHead(tree, this.#context) : undefined;
    if (head !== undefined) {
      operations.push({ type: 'append', log: this.#names.heads, values: [writeJcs(head)] });
    }
    return { operations, tree, head };
  }

  /** Reading and writing may overlap: what is known only grows. */
  #adopt(tree: Frontier): void {
    if (tree.size > this.#tree.size) this.#tree = tree;
  }
}
