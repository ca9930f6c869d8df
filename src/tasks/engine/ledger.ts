// Owns how much the tasks of one engine hold: bounded by number and bytes, so that memory and disk are.
// SPEC.md section 13 (#admit).

import { SdlError } from '../../errors.ts';

export interface TaskLedgerOptions {
  /** Tasks that were started here and are kept, ended ones among them. @default 10000 */
  readonly maxTasks?: number;
  /** Bytes of their requests and events. @default 67108864 */
  readonly maxHeldBytes?: number;
}

interface Account {
  readonly owner: string;
  bytes: number;
}

export interface Reservation {
  readonly owner: string;
  readonly bytes: number;
  /** The ended tasks that have to go for it. */
  readonly dropped: readonly string[];
}

/** Ended tasks make room, the owner's own before those of others and the oldest first; others never do. */
export class TaskLedger {
  readonly #limits: Required<TaskLedgerOptions>;
  readonly #accounts = new Map<string, Account>();
  /** In the order in which they ended. */
  readonly #ended = new Set<string>();
  readonly #endedOf = new Map<string, Set<string>>();
  #reserved = 0;
  #bytes = 0;
  #endedBytes = 0;

  constructor(limits: Required<TaskLedgerOptions>) {
    this.#limits = limits;
  }

  /** Room for a task that is about to be made; LIMIT_RATE when there is none. */
  reserve(owner: string, bytes: number): Reservation {
    const dropped = this.#makeRoom(owner, 1, bytes);
    if (dropped === undefined) {
      const isFull = this.#open >= this.#limits.maxTasks;
      const reason = isFull ? 'too many tasks have not ended' : 'the tasks hold too many bytes';
      throw new SdlError('LIMIT_RATE', reason);
    }
    this.#reserved += 1;
    this.#bytes += bytes;
    return { owner, bytes, dropped };
  }

  /** The task was made, or was not. */
  settle({ owner, bytes }: Reservation, key: string | undefined): void {
    this.#reserved -= 1;
    if (key === undefined) this.#bytes -= bytes;
    else this.#accounts.set(key, { owner, bytes });
  }

  /** The ended tasks that have to go for more of one task; `undefined` when not even that makes room. */
  charge(key: string, bytes: number): readonly string[] | undefined {
    const account = this.#accounts.get(key);
    if (account === undefined) return [];
    const dropped = this.#makeRoom(account.owner, 0, bytes);
    if (dropped === undefined) return undefined;
    account.bytes += bytes;
    this.#bytes += bytes;
    return dropped;
  }

  /** Nobody works on the task here any more: it has ended, or it is gone or somebody else's. */
  settleRun(key: string, hasEnded: boolean): void {
    if (hasEnded) this.#markEnded(key);
    else this.forget(key);
  }

  /** The task is gone, or somebody else's. */
  forget(key: string): void {
    const account = this.#accounts.get(key);
    if (account === undefined) return;
    this.#accounts.delete(key);
    this.#bytes -= account.bytes;
    if (!this.#ended.delete(key)) return;
    this.#endedBytes -= account.bytes;
    const own = this.#endedOf.get(account.owner);
    own?.delete(key);
    if (own?.size === 0) this.#endedOf.delete(account.owner);
  }

  /** From now on the task may have to go. */
  #markEnded(key: string): void {
    const account = this.#accounts.get(key);
    if (account === undefined || this.#ended.has(key)) return;
    this.#ended.add(key);
    const own = this.#endedOf.get(account.owner);
    if (own === undefined) this.#endedOf.set(account.owner, new Set([key]));
    else own.add(key);
    this.#endedBytes += account.bytes;
  }

  /** Tasks that have not ended, with those that are about to be made. */
  get #open(): number {
    return this.#accounts.size + this.#reserved - this.#ended.size;
  }

  #makeRoom(owner: string, tasks: number, bytes: number): string[] | undefined {
    const { maxTasks, maxHeldBytes } = this.#limits;
    const dropped: string[] = [];
    const openBytes = this.#bytes - this.#endedBytes;
    if (this.#open + tasks > maxTasks || openBytes + bytes > maxHeldBytes) return undefined;
    while (
      this.#accounts.size + this.#reserved + tasks > maxTasks ||
      this.#bytes + bytes > maxHeldBytes
    ) {
      const [key] = this.#endedOf.get(owner) ?? this.#ended;
      this.forget(key!);
      dropped.push(key!);
    }
    return dropped;
  }
}
