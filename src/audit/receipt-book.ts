// Owns the receipts that a requester keeps: each with the bundle that lists the key under it, so that it proves the
// answer when the peer has other keys, or is gone. SPEC.md section 10 (#receipt-kept).

import { readJson } from '../codec/json/read.ts';
import { writeJson } from '../codec/json/write.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import type { JsonObject } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { requireText, requireTimestamp } from '../envelope/fields.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import { requireMembers } from '../security/identity/document-fields.ts';
import { checkInteger } from '../stores/operation.ts';
import type { Entry, Store } from '../stores/store.ts';
import { auditHash } from './entry.ts';
import { writeEvidence } from './evidence.ts';
import type { Receipt } from './receipt.ts';
import { readReceipt } from './receipt.ts';
import type { ReceivedAnswer, SignedReceipt } from './receipt-check.ts';
import { checkReceipt } from './receipt-check.ts';

export interface ReceiptBookOptions {
  /** Closing it is for its owner. */
  readonly store: Pick<Store, 'add' | 'count' | 'delete' | 'list' | 'purge'>;
  readonly crypto: CryptoProvider;
  /** How long a receipt is kept. @default 90 days */
  readonly keepMs?: number;
  /** How many are kept, give or take a few hundred; the oldest go first. @default 10000 */
  readonly max?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Not verified again: `verifyEvidence` does that. */
export interface KeptReceipt {
  /** The request's `id`. */
  readonly id: string;
  /** The request's content type. */
  readonly ct: string;
  /** When it was kept. */
  readonly time: string;
  readonly kid: string;
  readonly receipt: Receipt;
  /** To hand on: the receipt, and the bundle that lists its key. */
  readonly evidence: JsonObject;
}

export interface ListReceipts {
  /** Those of this agent. @default all */
  readonly peer?: string | undefined;
  /** The `next` of an earlier page. */
  readonly after?: string | undefined;
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
}

export interface ReceiptPage {
  /** The newest first. */
  readonly receipts: readonly KeptReceipt[];
  readonly next: string | undefined;
}

export interface ReceiptBook {
  /**
   * Resolves once the receipt of the answer is durable, or with the reason why it is not worth keeping. The same answer
   * again changes nothing. Throws only where the store fails.
   */
  keep(answer: ReceivedAnswer): Promise<SdlError | undefined>;
  list(options?: ListReceipts): Promise<ReceiptPage>;
  /** For the request with this id; one is sent to one agent, so there is hardly ever more than one. */
  find(id: string): Promise<readonly KeptReceipt[]>;
}

const DEFAULT_KEEP_MS = 90 * 86_400_000;
const DEFAULT_MAX = 10_000;

export function createReceiptBook(options: ReceiptBookOptions): ReceiptBook {
  const { store, crypto, keepMs = DEFAULT_KEEP_MS, max = DEFAULT_MAX, now = Date.now } = options;
  checkInteger('keepMs', keepMs, 1);
  checkInteger('max', max, 1);
  return new StoredReceiptBook({ store, crypto, keepMs, max, now });
}

const SPACE = 'receipt';
/** How many may be added before the oldest are looked for; a page of values is read for it. */
const TRIM_EVERY = 256;

class StoredReceiptBook implements ReceiptBook {
  readonly #options: Required<ReceiptBookOptions>;
  #added = 0;

  constructor(options: Required<ReceiptBookOptions>) {
    this.#options = options;
  }

  async keep(answer: ReceivedAnswer): Promise<SdlError | undefined> {
    const { store, crypto, keepMs, now } = this.#options;
    let signed: SignedReceipt;
    try {
      signed = await checkReceipt(answer, crypto);
    } catch (thrown) {
      if (thrown instanceof SdlError) return thrown;
      throw thrown;
    }
    const { id } = answer;
    // An agent's id may be longer than a field of the index can be.
    const peer = this.#peerName(signed.receipt.node);
    const isNew = await store.add(SPACE, `${peer} ${id}`, {
      value: writeKept(answer, signed, formatTimestamp(now())),
      index: { request: id, peer },
      expiresAt: now() + keepMs,
    });
    // With the first one too: a process may live for one exchange.
    if (isNew && this.#added++ % TRIM_EVERY === 0) await this.#trim();
    return undefined;
  }

  async list({ peer, after, limit }: ListReceipts = {}): Promise<ReceiptPage> {
    const index = peer === undefined ? {} : { peer: this.#peerName(peer) };
    const page = await this.#options.store.list(SPACE, { index, after, limit, order: 'newest' });
    return { receipts: page.entries.map(readKept), next: page.next };
  }

  async find(id: string): Promise<readonly KeptReceipt[]> {
    const page = await this.#options.store.list(SPACE, { index: { request: id } });
    return page.entries.map(readKept);
  }

  #peerName(agentId: string): string {
    return auditHash(encodeUtf8(agentId), this.#options.crypto.sha256);
  }

  /** Looks at the oldest before it counts: what another process removes meanwhile is then not removed twice. */
  async #trim(): Promise<void> {
    const { store, max } = this.#options;
    await store.purge();
    while ((await store.count(SPACE, { atMost: max + 1 })) > max) {
      const { entries } = await store.list(SPACE, { limit: TRIM_EVERY });
      const tooMany = (await store.count(SPACE, { atMost: max + TRIM_EVERY })) - max;
      for (const { key } of entries.slice(0, Math.max(0, tooMany))) await store.delete(SPACE, key);
    }
  }
}

const MEMBERS = ['id', 'ct', 'time', 'kid', 'receipt', 'bundle'];

function writeKept(
  { id, ct, bundle }: ReceivedAnswer,
  { receipt, kid }: SignedReceipt,
  time: string,
): Uint8Array {
  return writeJson({ id, ct, time, kid, ...writeEvidence({ receipt }, kid, bundle) });
}

function readKept({ value }: Entry): KeptReceipt {
  try {
    const kept = requireMembers(readJson(value), MEMBERS, '');
    const { bundle } = kept;
    requireTimestamp(kept['time'], '/time');
    const receipt = readReceipt(kept['receipt']);
    return {
      id: requireText(kept['id'], 256, '/id'),
      ct: requireText(kept['ct'], 128, '/ct'),
      time: kept['time'] as string,
      kid: requireText(kept['kid'], 256, '/kid'),
      receipt,
      evidence: { receipt, ...(bundle !== undefined && { bundle }) },
    };
  } catch (cause) {
    if (!(cause instanceof SdlError)) throw cause;
    throw new SdlError('INTERNAL', 'a kept receipt is damaged: restore the store from a copy', {
      cause,
    });
  }
}
