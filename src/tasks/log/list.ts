// Owns lists of tasks, a page at a time, last status first. SPEC.md section 8 (#task-ids).

import type { EntryIndex } from '../../stores/store.ts';
import type { TaskFilter, TaskPage } from '../request.ts';
import type { TaskSummary } from '../summary.ts';
import type { TaskScope } from '../task.ts';
import { contextName, ownerName, phaseOf, summaryOf } from './row.ts';
import type { TaskPhase, TaskRow } from './row.ts';
import { rowsOf } from './table.ts';
import type { TaskTable } from './table.ts';

/** Tasks that are looked at together when those before did not fill the page. */
const READ_ON = 200;
/** About how many tasks are read for one page. After that the page is returned even if it is not full. */
const LOOK_AT = 10_000;

/** In no list. */
const UNLISTED: readonly TaskPhase[] = ['direct', 'untold'];

/** @param scope `undefined` for the tasks of everybody. */
export async function listTasks(
  table: TaskTable,
  scope: TaskScope | undefined,
  filter: TaskFilter,
): Promise<TaskPage> {
  const { cursor, since, pageSize = 50 } = filter;
  const index = scope === undefined ? indexForAll(filter) : indexFor(scope, filter);
  const isWanted = wantedBy(table, filter);
  const found: TaskSummary[] = [];
  let after = cursor;
  let size = pageSize;
  for (let looked = 0; ;) {
    const listing = { index, after, since, limit: size, order: 'highest' } as const;
    const { tasks, next } = rowsOf(await table.store.list('task', listing));
    const wanted = tasks.filter(({ row }) => isWanted(row));
    const room = pageSize - found.length;
    if (wanted.length > room) {
      // The cursor always points behind the last task that was read, so read again and stop at the last one that fits.
      size = tasks.indexOf(wanted[room - 1]!) + 1;
      continue;
    }
    found.push(...wanted.map(({ row }) => summaryOf(row)));
    looked += tasks.length;
    if (next === undefined || found.length === pageSize || looked >= LOOK_AT) {
      const total = await countTasks(table, scope, filter, index);
      return { tasks: found, ...(next !== undefined && { next }), total };
    }
    after = next;
    size = READ_ON;
  }
}

function wantedBy(table: TaskTable, { state, contextId }: TaskFilter): (row: TaskRow) => boolean {
  return (row) =>
    row.direct !== true &&
    !table.hasPassed(row) &&
    (state === undefined || row.state === state) &&
    (contextId === undefined || row.contextId === contextId);
}

async function countTasks(
  table: TaskTable,
  scope: TaskScope | undefined,
  filter: TaskFilter,
  index: EntryIndex | undefined,
): Promise<number> {
  const { store } = table;
  const { state, contextId, since } = filter;
  if (state === undefined && scope !== undefined) return store.count('task', { index, since });
  if (state === undefined && contextId === undefined) {
    let all = await store.count('task', { since });
    for (const phase of UNLISTED) all -= await store.count('task', { index: { phase }, since });
    return all;
  }
  // No index answers this: the rows do. One owner has few, and of everybody only an administrator asks.
  const isWanted = wantedBy(table, filter);
  let total = 0;
  for (let after: string | undefined; ;) {
    const listing = { index, after, since, limit: 1_000, order: 'highest' } as const;
    const { tasks, next } = rowsOf(await store.list('task', listing));
    total += tasks.filter(({ row }) => isWanted(row)).length;
    if (next === undefined) return total;
    after = next;
  }
}

/** What a store finds the tasks of one owner by: the rarest first. */
function indexFor(scope: TaskScope, { state, contextId }: TaskFilter): EntryIndex {
  const owner = ownerName(scope);
  return {
    ...(contextId === undefined ? { owner } : { context: contextName(owner, contextId) }),
    ...(state !== undefined && { phase: phaseOf({ state }) }),
  };
}

function indexForAll({ state }: TaskFilter): EntryIndex | undefined {
  return state === undefined ? undefined : { phase: phaseOf({ state }) };
}
