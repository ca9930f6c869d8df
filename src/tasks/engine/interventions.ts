// Owns changes of a task that do not come from the run that works on it: what its owner says, cancels, and ends of tasks
// that nobody works on. SPEC.md section 8 (#task-answer).

import { SdlError } from '../../errors.ts';
import type { Operation } from '../../stores/store.ts';
import type { TaskChange } from '../event.ts';
import type { CarrierChange } from '../log/carriers.ts';
import { joiningCarrier } from '../log/carriers.ts';
import { TaskDamage } from '../log/damage.ts';
import type { TaskFeed } from '../log/feed.ts';
import type { Folded } from '../log/fold.ts';
import { rowAfter, summaryOf } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import { draftOf, eventsOf } from '../log/table.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import type { Message } from '../message.ts';
import { messageWeight } from '../message.ts';
import { isTerminal } from '../task.ts';
import type { Task, TaskScope } from '../task.ts';
import type { EngineMessageOptions } from './contract.ts';
import type { Holding } from './holding.ts';
import type { HookChange, TaskHooks } from './hooks.ts';
import type { ResolvedEngineOptions } from './options.ts';
import { earliest } from './run.ts';
import { isSaid } from './said.ts';
import type { Shares } from './shares.ts';
import type { TaskWorker } from './worker.ts';
import { CANCELED } from './worker.ts';

export interface InterventionServices {
  readonly engine: ResolvedEngineOptions;
  readonly table: TaskTable;
  readonly feed: TaskFeed;
  readonly holding: Holding;
  readonly shares: Shares;
  readonly hooks: TaskHooks;
  readonly worker: () => TaskWorker;
  /** The task of a row that was just read; it may have gone since. */
  readonly load: (stored: StoredTask) => Promise<Folded | undefined>;
  readonly isClosing: () => boolean;
}

/** What goes with a change. */
interface Beside {
  readonly patch?: Partial<TaskRow>;
  readonly hook?: HookChange | undefined;
  readonly carrier?: CarrierChange | undefined;
}

export class Interventions {
  readonly #services: InterventionServices;

  constructor(services: InterventionServices) {
    this.#services = services;
  }

  /** Answers a question, or says more. Throws TASK_UNKNOWN, TASK_ENDED, TASK_CONFLICT and LIMIT_RATE. */
  async message(
    scope: TaskScope,
    id: string,
    message: Message,
    { answers, hook, carrier }: EngineMessageOptions,
  ): Promise<Task> {
    const { engine, table, holding, hooks, worker, load, isClosing } = this.#services;
    const { now, maxRunMs, maxOutputBytes, isAllowed } = engine;
    for (;;) {
      const stored = await table.find(scope, id);
      const folded = stored && (await load(stored));
      if (stored === undefined || folded === undefined) throw unknownTask();
      const { task } = folded;
      const { asked } = task.status;
      if (isSaid(folded, message, answers)) {
        if (hook !== undefined) await hooks.set(scope, id, hook);
        return task;
      }
      if (isTerminal(task.status.state)) throw endedTask();
      if (answers !== undefined && answers !== asked) {
        throw new SdlError('TASK_CONFLICT', 'the task does not wait for this reply');
      }
      if (messageWeight(message) > maxOutputBytes) {
        throw new SdlError('LIMIT_RATE', 'the message is larger than a task may take');
      }
      if (!isAllowed(task)) {
        await this.cancel(stored);
        throw endedTask();
      }
      const change: TaskChange =
        asked === undefined
          ? { type: 'message', message }
          : {
              type: 'message',
              message,
              answers: asked,
              deadline: earliest(now() + maxRunMs, stored.row.latest),
            };
      const isReleased = asked !== undefined && holding.isFree(stored.row);
      const row = await this.record(stored, change, {
        patch: isReleased ? { isReleased: true, holder: undefined } : {},
        hook: hook && (await hooks.joining(stored, hook)),
        carrier: carrier && joiningCarrier(stored.row, carrier),
      });
      if (row === undefined) continue;
      if (isReleased && !isClosing()) worker().enqueue({ key: stored.key, row });
      const after = await table.at(stored.key);
      return (after && (await load(after))?.task) ?? task;
    }
  }

  /** Tries again until the task has ended; false when that was before, or by another call. */
  async cancel(stored: StoredTask): Promise<boolean> {
    for (let found: StoredTask | undefined = stored; found !== undefined;) {
      if (isTerminal(found.row.state)) return false;
      if ((await this.record(found, CANCELED)) !== undefined) return true;
      found = await this.#services.table.at(stored.key);
    }
    return false;
  }

  /**
   * Records a change that does not come from the run. `undefined` when the task has changed in between, or does not
   * allow it: look again. Throws {@link TaskDamage}, and LIMIT_RATE without room.
   */
  async record(
    stored: StoredTask,
    change: TaskChange,
    { patch = {}, hook, carrier }: Beside = {},
  ): Promise<TaskRow | undefined> {
    const { engine, table, feed, shares, hooks, worker } = this.#services;
    const { key, row } = stored;
    const drafts = [draftOf(change, engine.now())];
    const next = rowAfter(row, drafts);
    if (next === undefined) return undefined;
    if (hook !== undefined) {
      next.hooks = hook.names;
      next.bytes += hook.bytes;
    }
    if (carrier !== undefined) {
      next.carriers = carrier.keys;
      next.bytes += carrier.bytes;
    }
    const { reserved, operations: reserving } = shares.growth(next, change.type !== 'message');
    const after: TaskRow = { ...next, reserved, ...patch };
    const isEnd = isTerminal(after.state);
    const operations = [
      ...table.recording(stored, after, drafts),
      ...(isEnd ? this.ending(key, after) : []),
      ...(hook?.operations ?? []),
      ...(carrier?.operations ?? []),
      ...reserving,
    ];
    const done = await table.transact(operations);
    if (!done.ok) {
      if (done.failed === 0) return undefined;
      const refused = reserving[done.failed - operations.length + reserving.length];
      // The row has not changed since it was read, so its log cannot have grown: the two disagree.
      if (refused === undefined) throw new TaskDamage(key);
      if (await shares.makeRoom(refused, row)) return undefined;
      throw await shares.refusal(refused);
    }
    feed.publish(key, row.made, eventsOf(drafts, row.generation), after.bytes - row.bytes);
    if (isEnd) this.ended(key, after);
    hooks.notice(key, after);
    await worker().notice(key, after);
    return after;
  }

  /** What goes with the end of a task. */
  ending(key: string, { tenant, owner, id, hasParts }: TaskRow): readonly Operation[] {
    const { tellEnd } = this.#services.engine;
    return hasParts === true ? tellEnd.operations({ tenant, owner, id, key }) : [];
  }

  /** A task was ended from outside, not by the run that works on it. */
  ended(key: string, row: TaskRow): void {
    const { engine, worker } = this.#services;
    engine.census.countEnd(row.state);
    // If somebody works on the task, that run reports the end itself.
    if (!worker().isAtWorkOn(key)) engine.onState?.(summaryOf(row));
    if (row.hasParts === true) engine.tellEnd.stored();
  }
}

export function unknownTask(): SdlError {
  return new SdlError('TASK_UNKNOWN', 'the sender has no task with this id');
}

function endedTask(): SdlError {
  return new SdlError('TASK_ENDED', 'the task has ended');
}
