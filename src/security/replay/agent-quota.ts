// Owns how many live entries one agent, all strangers and everybody together may have in a space of a store: full is
// refused, and nothing is evicted. SPEC.md sections 7 and 13 (#replay-quota, #session, #budget).

import { LRUCache } from 'lru-cache';

import type { BudgetMeter, ShareClass } from '../../budget/index.ts';
import { classLimit, strangersLimit } from '../../budget/index.ts';
import { encodeBase64url } from '../../codec/base64url.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import { sha256 } from '../../crypto/sha256.ts';
import type { EntryIndex, EntryStore, WriteResult } from '../../stores/store.ts';

/** What this process knows of entries that are counted together. */
interface Account {
  /** By which they are counted; `undefined` for all of the space. */
  readonly index: EntryIndex | undefined;
  readonly limit: number;
  /** Not fewer than are live, of those that this process knows: writes may fail, and entries expire unseen. */
  bound: number;
  /** Written since the last count. */
  uncounted: number;
  readonly writing: Set<Promise<WriteResult>>;
  counting: Promise<void> | undefined;
}

export interface QuotaLimits {
  readonly perAgent: number;
  /** Of everybody together. @default no bound */
  readonly all?: number | undefined;
  /** Counts what is refused. @default nobody does */
  readonly meter?: BudgetMeter | undefined;
}

const MAX_ACCOUNTS = 10_000;
const STRANGERS: EntryIndex = { share: 'stranger' };

/**
 * Counting costs time in proportion to the quota, so it is done once for many writes. The quota is exact within one
 * process; each further process on the same store may exceed it by an eighth.
 */
export class AgentQuota {
  readonly #store: Pick<EntryStore, 'count'>;
  readonly #space: string;
  readonly #limits: QuotaLimits;
  readonly #accounts = new LRUCache<string, Account & { readonly index: { agent: string } }>({
    max: MAX_ACCOUNTS,
  });
  readonly #everybody: Account | undefined;
  readonly #strangers: Account | undefined;

  constructor(store: Pick<EntryStore, 'count'>, space: string, limits: QuotaLimits) {
    const { all } = limits;
    this.#store = store;
    this.#space = space;
    this.#limits = limits;
    if (all === undefined) return;
    this.#everybody = account(undefined, all);
    this.#strangers = account(STRANGERS, strangersLimit(all));
  }

  /** Creates one more entry of the agent, or gives `undefined` when there is no room for it. */
  async write(
    agentId: string,
    share: ShareClass,
    create: (index: EntryIndex) => Promise<WriteResult>,
  ): Promise<WriteResult | undefined> {
    const own = this.#accountOf(agentId);
    const isStranger = share === 'stranger' && this.#strangers !== undefined;
    const accounts: Account[] = [own];
    if (this.#everybody !== undefined) accounts.push(this.#everybody);
    if (isStranger) accounts.push(this.#strangers);
    const isFull = (each: Account): boolean =>
      each.bound >= (each === this.#everybody ? classLimit(each.limit, share) : each.limit);
    for (const each of accounts) {
      const isDue = isFull(each) || each.uncounted >= Math.ceil(each.limit / 8);
      if (isDue) await (each.counting ??= this.#count(each));
    }
    // From here to the counts below nothing comes in between.
    if (accounts.some(isFull)) {
      this.#limits.meter?.refused(share);
      return undefined;
    }
    const writing = create(isStranger ? { ...own.index, ...STRANGERS } : own.index);
    for (const each of accounts) {
      each.bound += 1;
      each.uncounted += 1;
      each.writing.add(writing);
    }
    try {
      return await writing;
    } finally {
      for (const each of accounts) each.writing.delete(writing);
    }
  }

  /** The index field of an agent's entries. Agent ids may be longer than a field, their hashes are not. */
  fieldOf(agentId: string): string {
    return this.#accountOf(agentId).index.agent;
  }

  /** Waits for the writes under way, and it stays due until it is done, so that further ones wait: none is missed. */
  async #count(each: Account): Promise<void> {
    try {
      await Promise.allSettled(each.writing);
      const { index, limit } = each;
      each.bound = await this.#store.count(this.#space, { index, atMost: limit });
      each.uncounted = 0;
    } finally {
      each.counting = undefined;
    }
  }

  #accountOf(agentId: string): Account & { readonly index: { readonly agent: string } } {
    const known = this.#accounts.get(agentId);
    if (known !== undefined) return known;
    const index = { agent: encodeBase64url(sha256(encodeUtf8(agentId))) };
    const made = { ...account(index, this.#limits.perAgent), index };
    this.#accounts.set(agentId, made);
    return made;
  }
}

function account(index: EntryIndex | undefined, limit: number): Account {
  return { index, limit, bound: Infinity, uncounted: 0, writing: new Set(), counting: undefined };
}
