// Owns how much room tasks have: a share per owner, one for all strangers together, and a reserve for the operator and
// known callers, counted in the store. Only an owner's own ended tasks make room, the one that ended first goes first.
// SPEC.md section 13 (#admit).

import { SdlError } from '../../errors.ts';
import type { Operation, TallyOperation } from '../../stores/store.ts';
import { TaskDamage } from '../log/damage.ts';
import type { TaskFeed } from '../log/feed.ts';
import type { TaskPhase, TaskRow } from '../log/row.ts';
import { ENDED_PHASES, ownerName } from '../log/row.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import type { ShareClass } from '../share.ts';
import { isTerminal } from '../task.ts';
import type { ResolvedEngineOptions } from './options.ts';

export interface ShareOptions {
  /** Tasks that are kept, ended ones among them. @default 10000 */
  readonly maxTasks?: number;
  /** The same of one owner. @default 1000 */
  readonly maxTasksPerOwner?: number;
  /** Bytes of requests and events of all tasks. @default 67108864 */
  readonly maxHeldBytes?: number;
  /** The same of one owner. @default a quarter of `maxHeldBytes` */
  readonly maxHeldBytesPerOwner?: number;
}

/** Set aside for every task when it starts; a larger one gets twice as much each time. */
const FLOOR_BYTES = 4_096;
/** Tasks that go in one transaction. */
const PURGE_BATCH = 100;
/** Ended tasks among which those that make room are looked for: first few, because most often they are enough. */
const LOOKS = [16, 1_000];
/** An owner with so many tasks loses one more than needed, one with twice as many two: the next starts find room then. */
const TASKS_A_SPARE = 16;
const MOST_SPARES = 15;
/** What nobody could be told of for so long after its end is told no more. */
const LONGEST_UNTOLD_MS = 604_800_000;

/** Of what a class may use at most: all but what is reserved for those above it, and strangers half. */
export function classLimit(whole: number, share: ShareClass): number {
  const reserve = Math.floor(whole / 8);
  if (share === 'operator') return whole;
  return share === 'known' ? whole - reserve : whole - 2 * reserve;
}

export function strangersLimit(whole: number): number {
  return Math.ceil(whole / 2);
}

/** What a task of so many bytes sets aside. */
export function reservedFor(bytes: number): number {
  let reserved = FLOOR_BYTES;
  while (reserved < bytes) reserved *= 2;
  return reserved;
}

export type Counted = Pick<TaskRow, 'tenant' | 'owner' | 'share' | 'reserved'>;

export class Shares {
  readonly #limits: Required<ShareOptions>;
  readonly #table: TaskTable;
  readonly #feed: TaskFeed;
  readonly #tellHooks: Pick<ResolvedEngineOptions['tellHooks'], 'isTelling'>;
  readonly #onError: (cause: unknown) => void;
  /** Ended tasks that are being removed to make room. */
  readonly #leaving = new Set<string>();

  constructor(
    limits: Required<ShareOptions>,
    tellHooks: Pick<ResolvedEngineOptions['tellHooks'], 'isTelling'>,
    table: TaskTable,
    feed: TaskFeed,
    onError: (cause: unknown) => void,
  ) {
    this.#limits = limits;
    this.#tellHooks = tellHooks;
    this.#table = table;
    this.#feed = feed;
    this.#onError = onError;
  }

  /** Operations that count one more task; each fails when there is no room for it. */
  entry(row: Counted): TallyOperation[] {
    return this.#tallies(row, 1, row.reserved, true);
  }

  /** Operations that give back all that the task has set aside. */
  leaving(row: Counted): TallyOperation[] {
    return this.#tallies(row, -1, -row.reserved, false);
  }

  /** What a task has to set aside now, with the operations for it. @param isFree it gets it in any case. */
  growth(
    row: TaskRow,
    isFree: boolean,
  ): { readonly reserved: number; readonly operations: readonly TallyOperation[] } {
    if (row.share === undefined || row.bytes <= row.reserved) {
      return { reserved: row.reserved, operations: [] };
    }
    const reserved = reservedFor(row.bytes);
    return { reserved, operations: this.#tallies(row, 0, reserved - row.reserved, !isFree) };
  }

  /** Why there is no room. @param tally the operation that failed. */
  async refusal({ name, count, maxCount = 0 }: TallyOperation): Promise<SdlError> {
    if (name === STRANGERS) {
      return new SdlError('LIMIT_RATE', 'strangers have used up their share of the tasks');
    }
    const tally = await this.#table.store.tally(name);
    const what = tally.count + count > maxCount ? 'too many tasks' : 'too many bytes in tasks';
    const whose = name === ALL ? 'the agent holds' : 'one owner has';
    return new SdlError('LIMIT_RATE', `${whose} ${what} that have not ended`);
  }

  /**
   * Removes tasks of this owner that have ended, those that ended first, and then those that only its hooks are still
   * told of, until the tally allows what it refused. False, and none removed, when all of them would not be enough.
   */
  async makeRoom(refused: TallyOperation, owner: Counted): Promise<boolean> {
    const { name, count, sum, maxCount = Infinity, maxSum = Infinity } = refused;
    const held = await this.#table.store.tally(name);
    const needed = { count: held.count + count - maxCount, bytes: held.sum + sum - maxSum };
    // Somebody else has made room.
    if (needed.count <= 0 && needed.bytes <= 0) return true;
    const whose = ownerName(owner);
    const own = await this.#table.store.tally(`${ALL}/owner/${whose}`);
    const spares = Math.min(MOST_SPARES, Math.floor(own.count / TASKS_A_SPARE));
    for (const limit of LOOKS) {
      const { tasks: ended } = await this.#table.firstEnded({ ended: whose }, limit);
      const isAll = ended.length < limit;
      const untold = isAll ? (await this.#table.firstEnded({ untold: whose }, limit)).tasks : [];
      const found = [...ended, ...untold];
      const leaving = enoughOf(
        found.filter(({ key }) => !this.#leaving.has(key)),
        needed,
        spares,
      );
      if (leaving !== undefined) return this.#removeNow(leaving);
      if (isAll && untold.length < limit) return false;
    }
    return false;
  }

  async #removeNow(tasks: readonly StoredTask[]): Promise<boolean> {
    for (const { key } of tasks) this.#leaving.add(key);
    try {
      await this.remove(tasks);
    } finally {
      for (const { key } of tasks) this.#leaving.delete(key);
    }
    return true;
  }

  /** Operations that remove the task and give back its share. */
  removal(stored: StoredTask): Operation[] {
    return [...this.#table.removal(stored), ...this.leaving(stored.row)];
  }

  /** Removes tasks that have ended; one that has changed meanwhile stays. Returns how many went. */
  async remove(tasks: readonly StoredTask[]): Promise<number> {
    let rest = tasks;
    while (rest.length > 0) {
      const removals = rest.map((stored) => this.removal(stored));
      const done = await this.#table.transact(removals.flat());
      if (done.ok) {
        for (const { key } of rest) this.#feed.forget(key);
        return rest.length;
      }
      const changed = ownerOf(removals, done.failed);
      rest = rest.filter((_task, at) => at !== changed);
    }
    return 0;
  }

  /** Removes what ended too long ago, in the order of ends: what is still kept costs nothing. */
  async purge(isStopped: () => boolean): Promise<number> {
    let removed = 0;
    for (const phase of [...ENDED_PHASES, 'untold'] as const) {
      removed += await this.#purge(phase, isStopped);
    }
    return removed;
  }

  /** A hook was told all. A task that was kept for it alone goes. @param told as the row names it. */
  async release(key: string, told: string): Promise<void> {
    const stored = await this.#table.at(key);
    if (stored?.row.isUntold !== true) return;
    const others = stored.row.hooks!.filter((name) => name !== told);
    if (!(await this.#tellHooks.isTelling(key, others))) await this.remove([stored]);
  }

  /** Takes those of which somebody is still to be told out of all lists, and returns the others. */
  async #withoutUntold(tasks: readonly StoredTask[]): Promise<readonly StoredTask[]> {
    const told: StoredTask[] = [];
    for (const stored of tasks) {
      const { key, row } = stored;
      const { hooks = [] } = row;
      const isTooOld = row.at <= this.#table.now() - LONGEST_UNTOLD_MS;
      if (isTooOld || hooks.length === 0 || !(await this.#tellHooks.isTelling(key, hooks))) {
        told.push(stored);
      } else if (row.isUntold !== true) {
        await this.#table.transact(this.#table.recording(stored, { ...row, isUntold: true }, []));
      }
    }
    return told;
  }

  async #purge(phase: TaskPhase, isStopped: () => boolean): Promise<number> {
    let removed = 0;
    for (let after: string | undefined; ;) {
      const { tasks, next } = await this.#table.firstEnded({ phase }, PURGE_BATCH, after);
      const { horizon } = this.#table;
      const due = tasks.filter(({ row }) => row.isUntold === true || row.at <= horizon);
      const open = due.filter(({ row }) => !isTerminal(row.state));
      for (const { key } of open) this.#onError(new TaskDamage(key, 'the row and the index'));
      const ended = due.filter(({ row }) => isTerminal(row.state));
      removed += await this.remove(await this.#withoutUntold(ended));
      if (due.length < tasks.length || next === undefined || isStopped()) return removed;
      after = next;
    }
  }

  #tallies(row: Counted, count: number, sum: number, isBounded: boolean): TallyOperation[] {
    const { share } = row;
    if (share === undefined) return [];
    const { maxTasks, maxTasksPerOwner, maxHeldBytes, maxHeldBytesPerOwner } = this.#limits;
    const tally = (name: string, maxCount: number, maxSum: number): TallyOperation => ({
      type: 'tally',
      name,
      count,
      sum,
      ...(isBounded && { maxCount, maxSum }),
    });
    const own = tally(`${ALL}/owner/${ownerName(row)}`, maxTasksPerOwner, maxHeldBytesPerOwner);
    const all = tally(ALL, classLimit(maxTasks, share), classLimit(maxHeldBytes, share));
    if (share !== 'stranger') return [own, all];
    return [own, tally(STRANGERS, strangersLimit(maxTasks), strangersLimit(maxHeldBytes)), all];
  }
}

const ALL = 'tasks';
const STRANGERS = 'tasks/strangers';

/** Which of the lists the operation is in. */
function ownerOf(lists: readonly (readonly Operation[])[], operation: number): number {
  let before = 0;
  return lists.findIndex((list) => (before += list.length) > operation);
}

/** The first ones that give back so much, and some to spare; `undefined` when all of them do not. */
function enoughOf(
  tasks: readonly StoredTask[],
  needed: { readonly count: number; readonly bytes: number },
  spares: number,
): readonly StoredTask[] | undefined {
  let { count, bytes } = needed;
  const enough = tasks.findIndex(({ row }) => {
    if (row.share === undefined) return false;
    count -= 1;
    bytes -= row.reserved;
    return count <= 0 && bytes <= 0;
  });
  return enough < 0 ? undefined : tasks.slice(0, enough + 1 + spares);
}
