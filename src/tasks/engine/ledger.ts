// Owns how much the tasks of one engine hold. Their number and bytes are bounded, so that memory and disk are bounded.
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
  /** The ended tasks that must be removed to make this room. */
  readonly dropped: readonly string[];
}

/** Only ended tasks are removed to make room: the owner's own before those of others, the oldest first. */
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

  /** The ended tasks to remove so that one task can grow; `undefined` when there is no room even then. */
  charge(key: string, bytes: number): readonly string[] | undefined {
    const account = this.#accounts.get(key);
    if (account === undefined) return [];
    const dropped = this.#makeRoom(account.owner, 0, bytes);
    if (dropped === undefined) return undefined;
    account.bytes += bytes;
    this.#bytes += bytes;
    return dropped;
  }

  /** This engine has stopped working on the task: it has ended, was removed, or belongs to another engine now. */
  settleRun(key: string, hasEnded: boolean): void {
    if (hasEnded) this.#markEnded(key);
    else this.forget(key);
  }

  /** The task was removed, or another engine has it now. */
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

  /** From now on the task may be removed to make room. */
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
