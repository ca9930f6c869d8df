// Owns the hooks of tasks: kept with their task, bounded, and each with an entry of the outbox by which it is told.
// SPEC.md section 9 (#task-hooks).

import { writeJson } from '../../codec/json/write.ts';
import { equalBytes } from '../../crypto/bytes.ts';
import { SdlError } from '../../errors.ts';
import type { Operation, TallyOperation } from '../../stores/store.ts';
import type { NewHook, TaskHook } from '../hook.ts';
import { MAX_HOOKS } from '../hook.ts';
import { TaskDamage } from '../log/damage.ts';
import { NO_HOOKS, encodeHooks, hookName, hookNames, hooksAt, keepingHooks } from '../log/hooks.ts';
import type { HookCarrier, HookRecord, StoredHook } from '../log/hooks.ts';
import type { TaskRow } from '../log/row.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import type { TaskAuthority, TaskScope } from '../task.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { Shares } from './shares.ts';

/** A hook that the door has let in. */
export interface AskedHook extends NewHook {
  readonly face: string;
  readonly authority: TaskAuthority;
  /** Who asked for it, where that is not the owner: its rights are asked, too. */
  readonly carrier?: HookCarrier;
}

/** Where a hook stands, for who tells it. */
export interface HookPlace {
  readonly tenant: string;
  readonly owner: string;
  /** Of the task. */
  readonly id: string;
  /** Of its row in the store. */
  readonly key: string;
  readonly hook: StoredHook;
}

/** What goes with the next change of a task. */
export interface HookChange {
  readonly names: readonly string[];
  /** By which what is kept grows. */
  readonly bytes: number;
  readonly operations: readonly Operation[];
}

type Named = Pick<TaskRow, 'tenant' | 'owner' | 'id'>;

export class TaskHooks {
  readonly #options: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #shares: Shares;

  constructor(options: ResolvedEngineOptions, table: TaskTable, shares: Shares) {
    this.#options = options;
    this.#table = table;
    this.#shares = shares;
  }

  /** Those of one face, in the order in which they were made. Throws TASK_UNKNOWN. */
  async list(scope: TaskScope, id: string, face: string): Promise<readonly TaskHook[]> {
    const stored = await this.#find(scope, id);
    const { hooks } = await this.#recordOf(stored);
    return hooks.filter((hook) => hook.face === face);
  }

  /** It is told the task as it is now, and all that follows. Throws TASK_UNKNOWN, and LIMIT_RATE without room. */
  async set(scope: TaskScope, id: string, asked: AskedHook): Promise<TaskHook> {
    for (;;) {
      const stored = await this.#find(scope, id);
      const { row } = stored;
      const record = await this.#recordOf(stored);
      const joined = this.#joined(row, record, asked);
      const change = this.#changeOf(stored.key, row, record, joined, row.generation);
      if (await this.#write(stored, change)) return joined.hook;
    }
  }

  /** One that is not there changes nothing. Throws TASK_UNKNOWN. */
  async drop(scope: TaskScope, id: string, face: string, hookId: string): Promise<void> {
    for (;;) {
      const stored = await this.#find(scope, id);
      if (await this.#dropWhere(stored, (hook) => isNamed(hook, face, hookId))) return;
    }
  }

  /** The hook that an entry of the outbox is of; `undefined` when it is not there any more. */
  async at(key: string, made: string): Promise<StoredHook | undefined> {
    const { hooks } = await hooksAt(this.#table.store, key);
    return hooks.find((hook) => hook.made === made);
  }

  /** It wants to hear no more. */
  async dropMade(key: string, made: string): Promise<void> {
    for (;;) {
      const stored = await this.#table.at(key);
      if (stored === undefined) return;
      if (await this.#dropWhere(stored, (hook) => hook.made === made)) return;
    }
  }

  /** It was told all that will ever happen to its task. */
  async ended(key: string, { face, number }: StoredHook): Promise<void> {
    await this.#shares.release(key, hookName({ face, number }));
  }

  /** Of a task that is about to be made: it is told from its beginning. */
  first(key: string, task: Named, asked: AskedHook): HookChange {
    const joined = this.#joined(task, NO_HOOKS, asked);
    return this.#changeOf(key, task, undefined, joined, SUBMITTED);
  }

  /** Of a task that is about to change; `undefined` when an equal hook is there. Throws LIMIT_RATE without room. */
  async joining({ key, row }: StoredTask, asked: AskedHook): Promise<HookChange | undefined> {
    const record = row.hooks && (await hooksAt(this.#table.store, key));
    if (record?.hooks.some((hook) => isSame(hook, asked)) === true) return undefined;
    const joined = this.#joined(row, record ?? NO_HOOKS, asked);
    return this.#changeOf(key, row, record, joined, row.generation + 1);
  }

  /** Those who are told of the task hear of something new. */
  notice(key: string, { hooks = [] }: Pick<TaskRow, 'hooks'>): void {
    if (hooks.length > 0) this.#options.tellHooks.notice(key, hooks);
  }

  async #find(scope: TaskScope, id: string): Promise<StoredTask> {
    const stored = await this.#table.find(scope, id);
    if (stored === undefined) throw new SdlError('TASK_UNKNOWN', 'there is no task with this id');
    return stored;
  }

  async #recordOf({ key, row }: StoredTask): Promise<HookRecord> {
    return row.hooks === undefined ? NO_HOOKS : hooksAt(this.#table.store, key);
  }

  #joined({ id: taskId }: Named, { hooks, last }: HookRecord, asked: AskedHook): Joined {
    const { now, newId } = this.#options;
    const { face, facts, lane, authority, carrier } = asked;
    const isTaken = (name: string): boolean => hooks.some((one) => isNamed(one, face, name));
    const hasOwnName = asked.isNamedAfterTask !== true || isTaken(taskId);
    const id = asked.id ?? (hasOwnName ? newId() : taskId);
    const replaced = hooks.find((one) => isNamed(one, face, id));
    const others = hooks.filter((one) => one !== replaced);
    if (others.length >= MAX_HOOKS) {
      throw new SdlError('LIMIT_RATE', `a task has at most ${MAX_HOOKS} hooks`, {
        details: { max_hooks: MAX_HOOKS },
      });
    }
    const number = last + 1;
    const hook: StoredHook = {
      id,
      face,
      number,
      made: newId(),
      facts,
      ...(lane !== undefined && { lane }),
      authority,
      ...(carrier !== undefined && { carrier }),
      createdAt: now(),
    };
    return { hook, record: { hooks: [...others, hook], last: number }, replaced };
  }

  /** @param from the generation of the task that it is told first. */
  #changeOf(
    key: string,
    { tenant, owner, id }: Named,
    before: HookRecord | undefined,
    { record, hook, replaced }: Partial<Joined> & Pick<Joined, 'record'>,
    from = 0,
  ): HookChange {
    const { tellHooks } = this.#options;
    const value = encodeHooks(record);
    const place = (of: StoredHook): HookPlace => ({ tenant, owner, id, key, hook: of });
    return {
      names: hookNames(record),
      bytes: value.length - (before === undefined ? 0 : encodeHooks(before).length),
      operations: [
        keepingHooks(key, value),
        ...(replaced === undefined ? [] : tellHooks.dropping(place(replaced))),
        ...(hook === undefined ? [] : tellHooks.adding(place(hook), from)),
      ],
    };
  }

  /** False when the task has changed meanwhile. */
  async #dropWhere(stored: StoredTask, isDropped: (hook: StoredHook) => boolean): Promise<boolean> {
    const record = await this.#recordOf(stored);
    const replaced = record.hooks.find(isDropped);
    if (replaced === undefined) return true;
    const rest = { ...record, hooks: record.hooks.filter((hook) => hook !== replaced) };
    const change = this.#changeOf(stored.key, stored.row, record, { record: rest, replaced });
    return this.#write(stored, change);
  }

  /** Changes nothing of the task but its hooks. False when it has changed meanwhile: look again. */
  async #write(stored: StoredTask, { names, bytes, operations }: HookChange): Promise<boolean> {
    const { key, row } = stored;
    const next: TaskRow = { ...row, hooks: names, bytes: row.bytes + bytes };
    const { reserved, operations: reserving } = this.#shares.growth(next, bytes <= 0);
    const recording = this.#table.recording(stored, { ...next, reserved }, []);
    const all: readonly Operation[] = [...recording, ...operations, ...reserving];
    const done = await this.#table.transact(all);
    if (done.ok) {
      this.notice(key, next);
      return true;
    }
    if (done.failed === 0) return false;
    const refused: TallyOperation | undefined =
      reserving[done.failed - all.length + reserving.length];
    // The row has not changed since it was read, so its log cannot have: the two disagree.
    if (refused === undefined) throw new TaskDamage(key);
    if (await this.#shares.makeRoom(refused, row)) return false;
    throw await this.#shares.refusal(refused);
  }
}

/** The generation of a task that was begun and on which nobody has worked yet. */
const SUBMITTED = 1;

interface Joined {
  readonly hook: StoredHook;
  readonly record: HookRecord;
  readonly replaced: StoredHook | undefined;
}

function isNamed(hook: StoredHook, face: string, id: string): boolean {
  return hook.face === face && hook.id === id;
}

/** Who asks again for what is there already, and perhaps does not name it, would be told everything twice. */
function isSame(hook: StoredHook, { face, id, facts }: AskedHook): boolean {
  if (hook.face !== face || (id !== undefined && hook.id !== id)) return false;
  return equalBytes(writeJson(hook.facts), writeJson(facts));
}
