// Owns which tasks are held in memory, and for how long: bounded by number and bytes, in all and for each owner,
// so that no owner uses up the room of another. SPEC.md section 13 (#admit).

import { SdlError } from '../errors.ts';
import { isTerminal } from './task.ts';
import type { Task } from './task.ts';

export interface TaskBookOptions {
  /** Tasks that are held, ended ones among them. @default 10000 */
  readonly maxTasks?: number;
  /** The same for one owner. @default 1000 */
  readonly maxTasksPerOwner?: number;
  /** Bytes of requests and events of all tasks that are held. @default 67108864 */
  readonly maxHeldBytes?: number;
  /** How long a task can be asked for after its end. @default 3600000 */
  readonly retentionMs?: number;
}

/** What the book must know of what it holds. */
export interface BookEntry {
  readonly task: Task;
  /** Bytes that it is charged with. Only the book changes it. */
  heldBytes: number;
}

/** Ended tasks make room, the oldest first and the owner's own before those of others; running ones never do. */
export class TaskBook<Entry extends BookEntry> {
  readonly #limits: Required<TaskBookOptions>;
  readonly #now: () => number;
  readonly #owners = new Map<string, Map<string, Entry>>();
  /** In the order in which they ended. */
  readonly #ended = new Set<Entry>();
  #size = 0;
  #heldBytes = 0;

  constructor(limits: Required<TaskBookOptions>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** `undefined` for the task of another owner just as for none. */
  find(owner: string, id: string): Entry | undefined {
    this.#purgeOld();
    return this.#owners.get(owner)?.get(id);
  }

  /** Throws LIMIT_RATE when there is no room for it. */
  add(entry: Entry): void {
    this.#purgeOld();
    const { owner, id } = entry.task;
    const { maxTasks, maxTasksPerOwner } = this.#limits;
    if ((this.#owners.get(owner)?.size ?? 0) >= maxTasksPerOwner && !this.#dropOne(owner)) {
      throw full('too many tasks of one owner have not ended');
    }
    if (this.#size >= maxTasks && !this.#dropOne(owner) && !this.#dropOne()) {
      throw full('too many tasks have not ended');
    }
    if (!this.#makeRoom(owner, entry.heldBytes)) throw full('the tasks hold too many bytes');
    const own = this.#owners.get(owner) ?? new Map<string, Entry>();
    this.#owners.set(owner, own.set(id, entry));
    this.#size += 1;
    this.#heldBytes += entry.heldBytes;
  }

  /** Charges a task that runs with more bytes; false, and nothing changed, when there is no room for them. */
  charge(entry: Entry, bytes: number): boolean {
    if (!this.#makeRoom(entry.task.owner, bytes)) return false;
    entry.heldBytes += bytes;
    this.#heldBytes += bytes;
    return true;
  }

  /** From now on the task may be dropped. */
  markEnded(entry: Entry): void {
    if (isTerminal(entry.task.state)) this.#ended.add(entry);
  }

  #makeRoom(owner: string, bytes: number): boolean {
    const { maxHeldBytes } = this.#limits;
    if (bytes > maxHeldBytes) return false;
    while (this.#heldBytes + bytes > maxHeldBytes) {
      if (!this.#dropOne(owner) && !this.#dropOne()) return false;
    }
    return true;
  }

  #purgeOld(): void {
    const latest = this.#now() - this.#limits.retentionMs;
    for (const entry of this.#ended) {
      if (entry.task.updatedAt > latest) return;
      this.#drop(entry);
    }
  }

  #dropOne(owner?: string): boolean {
    for (const entry of this.#ended) {
      if (owner !== undefined && entry.task.owner !== owner) continue;
      this.#drop(entry);
      return true;
    }
    return false;
  }

  #drop(entry: Entry): void {
    const { owner, id } = entry.task;
    const own = this.#owners.get(owner);
    own?.delete(id);
    if (own?.size === 0) this.#owners.delete(owner);
    this.#ended.delete(entry);
    this.#size -= 1;
    this.#heldBytes -= entry.heldBytes;
  }
}

function full(reason: string): SdlError {
  return new SdlError('LIMIT_RATE', reason);
}
