// Owns lists of tasks, a page at a time, the newest first. SPEC.md section 8 (#task-ids).

import type { EntryIndex } from '../../stores/store.ts';
import { contextName, ownerName, phaseOf, stateName, summaryOf } from './row.ts';
import type { TaskRow, TaskSummary } from './row.ts';
import { pageOf } from './table.ts';
import type { TaskTable } from './table.ts';
import type { TaskScope, TaskState } from '../task.ts';

export interface ListTasks {
  /** @default any */
  readonly state?: TaskState;
  /** @default any */
  readonly contextId?: string;
  /** The `next` of an earlier page. @default from the newest */
  readonly cursor?: string;
  /** 1 to 1000. @default 50 */
  readonly limit?: number;
}

export interface TaskList {
  /** The newest first. */
  readonly tasks: readonly TaskSummary[];
  /** Undefined when there are no more. */
  readonly next: string | undefined;
}

/** Tasks that are looked at together when those before did not fill the page. */
const READ_ON = 200;
/** About how many tasks are read for one page. After that the page is returned even if it is not full. */
const LOOK_AT = 10_000;

/** @param scope `undefined` for the tasks of everybody. */
export async function listTasks(
  table: TaskTable,
  scope: TaskScope | undefined,
  options: ListTasks,
): Promise<TaskList> {
  const { state, contextId, cursor, limit = 50 } = options;
  const index = scope === undefined ? indexForAll(options) : indexFor(scope, options);
  const isWanted = (row: TaskRow): boolean =>
    !table.hasPassed(row) &&
    (state === undefined || row.state === state) &&
    (contextId === undefined || row.contextId === contextId);
  const found: TaskSummary[] = [];
  let after = cursor;
  let size = limit;
  for (let looked = 0; ;) {
    const listing = { index, after, limit: size, order: 'newest' } as const;
    const { tasks, next } = pageOf(await table.store.list('task', listing));
    const wanted = tasks.filter(({ row }) => isWanted(row));
    const room = limit - found.length;
    if (wanted.length > room) {
      // The cursor always points behind the last task that was read, so read again and stop at the last one that fits.
      size = tasks.indexOf(wanted[room - 1]!) + 1;
      continue;
    }
    found.push(...wanted.map(({ row }) => summaryOf(row)));
    looked += tasks.length;
    if (next === undefined || found.length === limit || looked >= LOOK_AT) {
      return { tasks: found, next };
    }
    after = next;
    size = READ_ON;
  }
}

/** What a store finds the tasks of one owner by. */
function indexFor(scope: TaskScope, { state, contextId }: ListTasks): EntryIndex {
  const name = ownerName(scope);
  return {
    ...(contextId !== undefined && { context: contextName(name, contextId) }),
    ...(state !== undefined && { state: stateName(name, state) }),
    ...(contextId === undefined && state === undefined && { owner: name }),
  };
}

function indexForAll({ state }: ListTasks): EntryIndex | undefined {
  return state === undefined ? undefined : { phase: phaseOf(state) };
}
