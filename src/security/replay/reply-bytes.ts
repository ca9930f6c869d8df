// Owns how many bytes of kept replies one agent may have in a store. SPEC.md section 7 (#replay-quota).

import { LRUCache } from 'lru-cache';

import type { EntryIndex, EntryStore, WriteResult } from '../../stores/store.ts';
import { STORE_LIMITS } from '../../stores/store.ts';

/** Replies up to here are not charged for: the quota of nonces bounds them already. */
const FREE_BYTES = 8_192;
/** What larger ones are charged for, so that a store, which can only count, can add up: powers of two. */
const CHARGES: readonly number[] = Array.from(
  { length: Math.log2(STORE_LIMITS.valueBytes / FREE_BYTES) },
  (_, step) => FREE_BYTES * 2 ** (step + 1),
);
/** A sender that is full is not counted again for each of its messages. */
const RECOUNT_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

/** What this process knows of the replies of one agent. */
interface Account {
  readonly agent: string;
  /** Not fewer bytes than are kept, of those that this process knows. */
  bound: number;
  /** Charged since the last count began. */
  uncounted: number;
  countedAtMs: number;
  readonly writing: Set<Promise<WriteResult>>;
  counting: Promise<void> | undefined;
}

/**
 * The charge of a reply stands in the index of its entry, so it lasts as long as the entry does and costs no write of
 * its own. A sender is full once the limit is reached: what runs at that moment is still kept.
 */
export class ReplyBytes {
  readonly #store: Pick<EntryStore, 'count'>;
  readonly #space: string;
  readonly #limit: number;
  readonly #stride: number;
  readonly #now: () => number;
  readonly #accounts = new LRUCache<string, Account>({ max: MAX_ACCOUNTS });

  constructor(store: Pick<EntryStore, 'count'>, space: string, limit: number, now: () => number) {
    this.#store = store;
    this.#space = space;
    this.#limit = limit;
    this.#stride = Math.ceil(limit / 8);
    this.#now = now;
  }

  /** `agent` is the index field by which the agent's entries are counted. */
  async hasRoom(agent: string): Promise<boolean> {
    const account = this.#accountOf(agent);
    if (this.#isDue(account)) await (account.counting ??= this.#count(account));
    return account.bound < this.#limit;
  }

  /** Writes an entry with a reply of this many bytes under the index that it is given. */
  async keep(
    agent: string,
    bytes: number,
    write: (index: EntryIndex) => Promise<WriteResult>,
  ): Promise<void> {
    if (bytes <= FREE_BYTES) {
      await write({ agent });
      return;
    }
    const account = this.#accountOf(agent);
    const charge = CHARGES.find((step) => bytes <= step) ?? bytes;
    account.bound += charge;
    account.uncounted += charge;
    const writing = write({ agent, charged: agent, charge: chargeField(agent, charge) });
    account.writing.add(writing);
    try {
      await writing;
    } finally {
      account.writing.delete(writing);
    }
  }

  #isDue({ bound, uncounted, countedAtMs }: Account): boolean {
    if (bound < this.#limit) return uncounted >= this.#stride;
    return this.#now() - countedAtMs >= RECOUNT_MS;
  }

  /** What is being written when it begins is waited for; what is charged after that is added, seen or not. */
  async #count(account: Account): Promise<void> {
    try {
      account.uncounted = 0;
      await Promise.allSettled(account.writing);
      account.bound = (await this.#keptBytes(account.agent)) + account.uncounted;
      account.countedAtMs = this.#now();
    } finally {
      account.counting = undefined;
    }
  }

  async #keptBytes(agent: string): Promise<number> {
    // Most agents have no reply that is charged for: one look tells.
    const any = await this.#store.count(this.#space, { index: { charged: agent }, atMost: 1 });
    if (any === 0) return 0;
    const sums = CHARGES.map(async (charge) => {
      const index = { charge: chargeField(agent, charge) };
      const atMost = Math.ceil(this.#limit / charge);
      return charge * (await this.#store.count(this.#space, { index, atMost }));
    });
    return (await Promise.all(sums)).reduce((total, sum) => total + sum, 0);
  }

  #accountOf(agent: string): Account {
    const known = this.#accounts.get(agent);
    if (known !== undefined) return known;
    const account: Account = {
      agent,
      bound: Infinity,
      uncounted: 0,
      countedAtMs: -Infinity,
      writing: new Set(),
      counting: undefined,
    };
    this.#accounts.set(agent, account);
    return account;
  }
}

/** One field for agent and charge, so that counting walks nothing else. */
function chargeField(agent: string, charge: number): string {
  return `${agent}.${charge}`;
}
