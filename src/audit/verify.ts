// Owns the check of a whole audit log: every entry, every head, and what others have kept of it. It needs no secret
// and runs on a damaged log too. SPEC.md section 10 (#audit).

import { encodeBase64url } from '../codec/base64url.ts';
import { readJson } from '../codec/json/read.ts';
import type { JsonValue } from '../codec/value.ts';
import { equalBytes } from '../crypto/bytes.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { toSdlError } from '../errors.ts';
import type { LogRecord, Store } from '../stores/store.ts';
import type { AuditEntry } from './entry.ts';
import { decodeEntry, hasOwnId, idOf } from './entry.ts';
import { verifyHead } from './head.ts';
import { isIndexed } from './id-index.ts';
import { EMPTY_TREE, grow, leafHash, rootOf } from './merkle.ts';
import { Pairing } from './pairing.ts';
import type { Receipt } from './receipt.ts';
import { verifyReceipt } from './receipt.ts';
import type { LogNames } from './stored-tree.ts';
import { BLOCK, LEVEL_STEP, logNames } from './stored-tree.ts';

/** What others have kept. Only this shows that a log and its heads were cut back or removed together. */
export interface AuditWitnesses {
  /** Heads that were handed out. @default none */
  readonly heads?: readonly JsonValue[];
  /** @default none */
  readonly receipts?: readonly JsonValue[];
}

export interface VerifyAuditLogOptions extends AuditWitnesses {
  readonly store: Store;
  /** The agent whose log it is. */
  readonly node: string;
  readonly crypto: CryptoProvider;
  /** Every key, by kid, that ever signed heads of this log. */
  readonly publicKeys: ReadonlyMap<string, Uint8Array>;
}

export interface AuditProblem {
  /** The entry, or the size of the head, that shows it. */
  readonly seq: number;
  readonly what: string;
}

export interface AuditReport {
  readonly ok: boolean;
  /** Entries that were read. */
  readonly size: number;
  /** The first 100. */
  readonly problems: readonly AuditProblem[];
  /** Requests without a reply: still at work, or ended by a crash. */
  readonly unanswered: number;
}

/** Reads the whole log. Throws for a witness that is not the node's word; whatever is wrong with the log is reported. */
export async function verifyAuditLog(options: VerifyAuditLogOptions): Promise<AuditReport> {
  const check = new LogCheck(options);
  await check.takeWitnesses(options);
  return check.run();
}

/** A signed word on the root at a size. */
interface Claim {
  readonly size: number;
  readonly root: string;
  readonly by: string;
}

const MAX_PROBLEMS = 100;
/** Entries that are checked before everybody else has a turn. */
const PAGE = 128;

class LogCheck {
  readonly #options: VerifyAuditLogOptions;
  readonly #names: LogNames;
  readonly #problems: AuditProblem[] = [];
  readonly #pairing = new Pairing();
  readonly #receipts = new Map<number, Receipt[]>();
  /** By level; the roots of full blocks as the entries give them. */
  readonly #blocks = new Map<number, Uint8Array[]>();
  #claims: Claim[] = [];
  #storedHeadSize = 0;
  #tree = EMPTY_TREE;

  constructor(options: VerifyAuditLogOptions) {
    this.#options = options;
    this.#names = logNames(options.node, options.crypto.sha256);
  }

  async takeWitnesses({ heads = [], receipts = [] }: AuditWitnesses): Promise<void> {
    const { crypto } = this.#options;
    for (const witness of heads) {
      const { size, root } = await verifyHead(witness, this.#options, crypto);
      this.#claims.push({ size, root, by: 'a head that was handed out' });
    }
    for (const witness of receipts) {
      const receipt = await verifyReceipt(witness, this.#options, crypto);
      const { size, root } = receipt.head;
      this.#claims.push({ size, root, by: 'a receipt' });
      this.#receipts.set(receipt.seq, [...(this.#receipts.get(receipt.seq) ?? []), receipt]);
    }
  }

  async run(): Promise<AuditReport> {
    const { store } = this.#options;
    // Before the entries: what is written meanwhile may be beyond these heads, but not behind them.
    await this.#readHeads();
    const length = await store.length(this.#names.entries);
    this.#claims.sort((a, b) => a.size - b.size);
    this.#checkClaims();
    await this.#walk(this.#names.entries, (record) => this.#checkEntry(record));
    const { size } = this.#tree;
    if (size < length) this.#report(size, 'records are missing from here on');
    for (const claim of this.#claims) {
      this.#report(claim.size, `the log is shorter than ${claim.by} says: entries were removed`);
    }
    if (this.#storedHeadSize < size - (size % BLOCK)) {
      this.#report(this.#storedHeadSize, 'the signed heads after this size are missing');
    }
    for (const [level, hashes] of this.#blocks) await this.#checkBlocks(level, hashes);
    const problems = this.#problems;
    return { ok: problems.length === 0, size, problems, unanswered: this.#pairing.open };
  }

  async #readHeads(): Promise<void> {
    await this.#walk(this.#names.heads, async ({ value }) => {
      try {
        const head = await verifyHead(readJson(value), this.#options, this.#options.crypto);
        this.#claims.push({ size: head.size, root: head.root, by: 'a stored head' });
        this.#storedHeadSize = Math.max(this.#storedHeadSize, head.size);
      } catch (thrown) {
        const { reason } = toSdlError(thrown);
        this.#report(
          this.#storedHeadSize,
          `the stored head after this size is no proof: ${reason}`,
        );
      }
    });
  }

  async #checkEntry({ position, value }: LogRecord): Promise<void> {
    const { sha256 } = this.#options.crypto;
    this.#tree = grow(this.#tree, [leafHash(value, sha256)], sha256, (level, hash) => {
      if (level % LEVEL_STEP > 0) return;
      const hashes = this.#blocks.get(level);
      if (hashes === undefined) this.#blocks.set(level, [hash]);
      else hashes.push(hash);
    });
    this.#checkClaims();
    let entry: AuditEntry;
    try {
      entry = decodeEntry(value);
    } catch (thrown) {
      this.#report(position, `no entry: ${toSdlError(thrown).reason}`);
      return;
    }
    const indexed = { id: idOf(entry), isOwn: hasOwnId(entry) };
    if (!(await isIndexed(this.#options.store, this.#names, indexed, position))) {
      this.#report(position, 'the index does not lead to this entry');
    }
    const what = this.#pairing.take(position, entry);
    if (what !== undefined) this.#report(position, what);
    for (const receipt of this.#receipts.get(position) ?? []) {
      if (!isFor(receipt, entry)) this.#report(position, 'a receipt was given for another reply');
    }
  }

  /** Those on the tree as it is now. */
  #checkClaims(): void {
    const { size } = this.#tree;
    if (this.#claims[0]?.size !== size) return;
    const root = encodeBase64url(rootOf(this.#tree, this.#options.crypto.sha256));
    while (this.#claims[0]?.size === size) {
      const claim = this.#claims.shift()!;
      if (claim.root === root) continue;
      this.#report(size, `${claim.by} has another root: an entry before this size was changed`);
    }
  }

  async #checkBlocks(level: number, hashes: readonly Uint8Array[]): Promise<void> {
    let at = 0;
    await this.#walk(this.#names.level(level), ({ value }) => {
      const hash = hashes[at];
      // There may be more by now: the log goes on growing.
      if (hash !== undefined && !equalBytes(hash, value)) {
        this.#report(at * 2 ** level, `the stored tree differs at level ${level}`);
      }
      at += 1;
    });
    if (at < hashes.length) this.#report(at * 2 ** level, `the stored tree ends at level ${level}`);
  }

  /** Until the end, or until a record is missing. */
  async #walk(log: string, take: (record: LogRecord) => void | Promise<void>): Promise<void> {
    for (let next = 0; ;) {
      const records = await this.#options.store.read(log, next, PAGE);
      if (records.length === 0) return;
      for (const record of records) {
        if (record.position !== next) return;
        await take(record);
        next += 1;
      }
      // A timer, not a microtask: a store in this process may answer without ever leaving the turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  #report(seq: number, what: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ seq, what });
  }
}

function isFor({ req, res, verdict }: Receipt, entry: AuditEntry): boolean {
  return (
    entry.kind === 'reply' && entry.req === req && entry.res === res && entry.verdict === verdict
  );
}
