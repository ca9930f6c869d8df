// Owns how many live entries one agent may have in a space of a store: full is refused, and nothing is evicted.
// SPEC.md section 7 (#replay-quota, #session).

import { LRUCache } from 'lru-cache';

import { encodeBase64url } from '../../codec/base64url.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import { sha256 } from '../../crypto/sha256.ts';
import type { EntryIndex, EntryStore, WriteResult } from '../../stores/store.ts';

/** What this process knows of one agent's entries. */
interface Account {
  readonly index: { readonly agent: string };
  /** Not fewer than are live, of those that this process knows: writes may fail, and entries expire unseen. */
  bound: number;
  /** Written since the last count. */
  uncounted: number;
  readonly writing: Set<Promise<WriteResult>>;
  counting: Promise<void> | undefined;
}

const MAX_ACCOUNTS = 10_000;

/**
 * Counting costs time in proportion to the quota, so it is done once for many writes. The quota is exact within one
 * process; each further process on the same store may exceed it by an eighth.
 */
export class AgentQuota {
  readonly #store: Pick<EntryStore, 'count'>;
  readonly #space: string;
  readonly #limit: number;
  readonly #stride: number;
  readonly #accounts = new LRUCache<string, Account>({ max: MAX_ACCOUNTS });

  constructor(store: Pick<EntryStore, 'count'>, space: string, limit: number) {
    this.#store = store;
    this.#space = space;
    this.#limit = limit;
    this.#stride = Math.ceil(limit / 8);
  }

  /** Creates one more entry of the agent, or gives `undefined` when it has as many as it may. */
  async write(
    agentId: string,
    create: (index: EntryIndex) => Promise<WriteResult>,
  ): Promise<WriteResult | undefined> {
    const account = this.#accountOf(agentId);
    if (this.#isDue(account)) {
      await (account.counting ??= this.#count(account));
      if (account.bound >= this.#limit) return undefined;
    }
    account.bound += 1;
    account.uncounted += 1;
    const writing = create(account.index);
    account.writing.add(writing);
    try {
      return await writing;
    } finally {
      account.writing.delete(writing);
    }
  }

  /** The index field of an agent's entries. Agent ids may be longer than a field, their hashes are not. */
  fieldOf(agentId: string): string {
    return this.#accountOf(agentId).index.agent;
  }

  #isDue({ bound, uncounted }: Account): boolean {
    return bound >= this.#limit || uncounted >= this.#stride;
  }

  /** Waits for the writes under way, and it stays due until it is done, so that further ones wait: none is missed. */
  async #count(account: Account): Promise<void> {
    try {
      await Promise.allSettled(account.writing);
      const { index } = account;
      account.bound = await this.#store.count(this.#space, { index, atMost: this.#limit });
      account.uncounted = 0;
    } finally {
      account.counting = undefined;
    }
  }

  #accountOf(agentId: string): Account {
    const known = this.#accounts.get(agentId);
    if (known !== undefined) return known;
    const account: Account = {
      index: { agent: encodeBase64url(sha256(encodeUtf8(agentId))) },
      bound: Infinity,
      uncounted: 0,
      writing: new Set(),
      counting: undefined,
    };
    this.#accounts.set(agentId, account);
    return account;
  }
}
