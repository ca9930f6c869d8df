// Owns the check of stored tasks as a whole: that the row, the log and the end of each say the same. It reads only, and
// others may go on working on them. SPEC.md section 8 (#task-ids).

import type { Store } from '../stores/store.ts';
import { decodeRow } from './task-row.ts';
import { isTerminal } from './task.ts';

export interface TaskReport {
  readonly tasks: number;
  /** Those that have not ended. */
  readonly open: number;
  /** The first 100. */
  readonly problems: readonly TaskProblem[];
}

export interface TaskProblem {
  /** The key of the task in the store. */
  readonly key: string;
  readonly what: string;
}

const MAX_PROBLEMS = 100;
const LOG_PREFIX = 'task:';

/** Needs a store with an inventory. */
export async function checkTasks(store: Store): Promise<TaskReport> {
  const problems: TaskProblem[] = [];
  const note = (key: string, what: string | undefined): void => {
    if (what !== undefined && problems.length < MAX_PROBLEMS) problems.push({ key, what });
  };
  const counts = { tasks: 0, open: 0 };
  for (let after: string | undefined; ;) {
    const { entries, next } = await store.list('task', { after, limit: 1_000 });
    for (const { key, value } of entries) {
      counts.tasks += 1;
      if (!isTerminal(decodeRow(value).state)) counts.open += 1;
      note(key, await problemOf(store, key));
    }
    if (next === undefined) break;
    after = next;
  }
  for await (const key of loggedKeys(store)) note(key, await orphanage(store, key));
  return { ...counts, problems };
}

async function problemOf(store: Store, key: string): Promise<string | undefined> {
  for (;;) {
    const before = await store.get('task', key);
    if (before === undefined) return undefined;
    const length = await store.length(LOG_PREFIX + key);
    const end = await store.get('task-end', key);
    // Rows and logs change together: if the row is the same, all of it was of one moment.
    const after = await store.get('task', key);
    if (after?.version !== before.version) continue;
    const { state, generation } = decodeRow(before.value);
    if (length !== generation) {
      return `its log has ${length} events, its row says ${generation}`;
    }
    if (isTerminal(state) && end === undefined) return 'it has ended and would never be removed';
    if (!isTerminal(state) && end !== undefined) return 'it is open and would be removed as ended';
    return undefined;
  }
}

async function orphanage(store: Store, key: string): Promise<string | undefined> {
  if ((await store.get('task', key)) !== undefined) return undefined;
  const length = await store.length(LOG_PREFIX + key);
  // It may have been removed, or made, between the two looks.
  if (length === 0 || (await store.get('task', key)) !== undefined) return undefined;
  return `a log of ${length} events has no task`;
}

async function* loggedKeys(store: Store): AsyncGenerator<string> {
  for (let after = LOG_PREFIX; ;) {
    const names = (await store.inventory?.('logs', { after })) ?? [];
    for (const name of names) {
      if (!name.startsWith(LOG_PREFIX)) return;
      yield name.slice(LOG_PREFIX.length);
    }
    const last = names.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
