// Owns the audit log of a node: an append-only Merkle log of hashes, kept whole in a store. To drop old entries, close
// it, keep its last head and go on with another store. SPEC.md section 10 (#audit).

import { readJson } from '../codec/json/read.ts';
import { equalBytes } from '../crypto/bytes.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { isText } from '../envelope/fields.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import { checkInteger } from '../stores/operation.ts';
import type { Store } from '../stores/store.ts';
import { Appender } from './appender.ts';
import type { NewAuditEntry } from './entry.ts';
import { hasOwnId, idOf, writeEntry } from './entry.ts';
import type { AuditSigner, HeadContext, NodeKeys, SignedHead } from './head.ts';
import { readHead, treeOf, verifyHead } from './head.ts';
import type { GrowthDocument, ProofDocument } from './proof.ts';
import { Prover } from './prover.ts';
import type { Receipt, ReceiptContent } from './receipt.ts';
import { signReceipt } from './receipt.ts';
import { StoredTree, damaged, logNames, readRange } from './stored-tree.ts';
import type { AuditReport, AuditWitnesses } from './verify.ts';
import { verifyAuditLog } from './verify.ts';

export interface AuditLogOptions {
  /** Other processes may write to the same log. Closing the log does not close the store. */
  readonly store: Store;
  /** The agent id whose log it is. */
  readonly node: string;
  readonly crypto: CryptoProvider;
  /** The key that signs heads and receipts now; asked for each of them. */
  readonly signer: () => AuditSigner;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export interface AuditVerifyOptions extends AuditWitnesses {
  /** Keys, by kid, that signed heads before the present one. @default none */
  readonly publicKeys?: ReadonlyMap<string, Uint8Array>;
}

/** What is asked of it knows of everything that was recorded in this process before. */
export interface AuditLog {
  /** Resolves with the entry's place once it is durable. Entries stand in the order of the calls. */
  record(entry: NewAuditEntry): Promise<number>;
  /** A fresh head over the whole log. Who keeps it will notice if the log is ever cut back or rewritten. */
  head(): Promise<SignedHead>;
  /** For a reply that is recorded. @param signer the key that signs the reply. @default that of now */
  receipt(content: ReceiptContent, signer?: AuditSigner): Promise<Receipt>;
  /** What the log holds on the request or event with this id; `undefined` if nothing. */
  prove(id: string): Promise<ProofDocument | undefined>;
  /** The ids of requests and events that begin so, among the newest 10,000 entries. */
  findIds(prefix: string): Promise<readonly string[]>;
  /** That the log only grew since it had this size. */
  proveGrowth(size: number): Promise<GrowthDocument>;
  /** Reads and checks the whole log. */
  verify(options?: AuditVerifyOptions): Promise<AuditReport>;
  /** Waits for what was recorded and leaves a head. Every later record fails; closing again does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the log of a node, or starts it. Fails with INTERNAL when the log is not the one that its last head was signed
 * for: to go on would sign what somebody else wrote. `verifyAuditLog` then says what is wrong.
 */
export async function createAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { store, node, crypto, signer, now = Date.now } = options;
  if (!isText(node, 512)) throw new TypeError('"node" expected an agent id');
  const context: HeadContext = { node, crypto, signer, now };
  const names = logNames(node, crypto.sha256);
  const stored = new StoredTree(store, names, crypto.sha256);
  const heads = await store.length(names.heads);
  const size = await store.length(names.entries);
  let headSize = 0;
  if (heads > 0) {
    const [last] = await readRange(store, names.heads, { from: heads - 1, to: heads });
    const head = await checkLastHead(last!, context);
    if (head.size > size) throw damaged('entries were removed since its last head');
    const root = await stored.hash({ from: 0, to: head.size });
    if (!equalBytes(root, treeOf(head).root)) throw damaged('it is not that of its last head');
    headSize = head.size;
  }
  const appender = new Appender(store, names, context, await stored.frontier(size), headSize);
  // What a crash left without a head gets one now.
  if (size > headSize) await appender.head();
  return new StoredAuditLog(store, context, appender, new Prover(store, names, crypto.sha256));
}

class StoredAuditLog implements AuditLog {
  readonly #store: Store;
  readonly #context: HeadContext;
  readonly #appender: Appender;
  readonly #prover: Prover;
  #closing: Promise<void> | undefined;

  constructor(store: Store, context: HeadContext, appender: Appender, prover: Prover) {
    this.#store = store;
    this.#context = context;
    this.#appender = appender;
    this.#prover = prover;
  }

  record(entry: NewAuditEntry): Promise<number> {
    try {
      if (this.#closing !== undefined) throw new SdlError('INTERNAL', 'the audit log is closed');
      const text = writeEntry(entry, formatTimestamp(this.#context.now()));
      return this.#appender.append(text, idOf(entry), hasOwnId(entry));
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  async head(): Promise<SignedHead> {
    await this.#appender.idle();
    return this.#appender.head();
  }

  async receipt(content: ReceiptContent, signer?: AuditSigner): Promise<Receipt> {
    const { seq } = content;
    // Another process may have written it.
    if (seq >= this.#appender.tree.size) await this.#appender.catchUp();
    const { tree } = this.#appender;
    checkInteger('seq', seq, 0, tree.size - 1);
    const context = signer === undefined ? {} : { signer: () => signer };
    return signReceipt(content, tree, { ...this.#context, ...context });
  }

  async prove(id: string): Promise<ProofDocument | undefined> {
    await this.#appender.idle();
    const places = await this.#prover.find(id);
    if (places.length === 0) return undefined;
    return this.#prover.prove(id, places, await this.#appender.head());
  }

  async findIds(prefix: string): Promise<readonly string[]> {
    await this.#appender.idle();
    return this.#prover.findIds(prefix);
  }

  async proveGrowth(size: number): Promise<GrowthDocument> {
    const head = await this.head();
    checkInteger('size', size, 0, head.size);
    return this.#prover.proveGrowth(size, head);
  }

  async verify(options: AuditVerifyOptions = {}): Promise<AuditReport> {
    const { publicKeys = [], ...witnesses } = options;
    await this.#appender.idle();
    const { node, crypto } = this.#context;
    const keys = new Map([...publicKeys, ...keysOf(this.#context).publicKeys]);
    return verifyAuditLog({ ...witnesses, store: this.#store, node, crypto, publicKeys: keys });
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.head();
  }
}

/** A head of an earlier key is taken by its root alone: that key is not at hand. */
async function checkLastHead(value: Uint8Array, context: HeadContext): Promise<SignedHead> {
  try {
    const head = readHead(readJson(value), '');
    const keys = keysOf(context);
    return keys.publicKeys.has(head.kid) ? await verifyHead(head, keys, context.crypto) : head;
  } catch (cause) {
    throw damaged('its last head is none', cause);
  }
}

function keysOf({ node, crypto, signer }: HeadContext): NodeKeys {
  const { kid, secretKey } = signer();
  return { node, publicKeys: new Map([[kid, crypto.ed25519PublicKey(secretKey)]]) };
}
