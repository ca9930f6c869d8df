// Owns the check of all stored tasks: the row of each, what it is listed by, and its log must say the same. It works on
// a store that is in use and on a copy of one, and only reads. SPEC.md section 8 (#task-ids).

import type { Entry, Store } from '../../stores/store.ts';
import { decodeRow, indexOf } from './row.ts';
import type { TaskRow } from './row.ts';
import { isTerminal } from '../task.ts';

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
  const report = new Report();
  for (let after: string | undefined; ;) {
    const { entries, next } = await store.list('task', { after, limit: 1_000 });
    for (const { key } of entries) report.add(key, await tracesOf(store, key));
    if (next === undefined) break;
    after = next;
  }
  for await (const key of loggedKeys(store)) {
    if ((await store.get('task', key)) === undefined) report.add(key, await tracesOf(store, key));
  }
  return report;
}

/** A copy of a store, told piece by piece, in whatever order. */
export interface TaskCopyCheck {
  entry(space: string, key: string, value: Uint8Array): void;
  record(log: string): void;
  /** When all was told. */
  report(): TaskReport;
}

export function createTaskCopyCheck(): TaskCopyCheck {
  const known = new Map<string, Traces>();
  const note = (key: string, change: (traces: Traces) => Partial<Traces>): void => {
    const traces = known.get(key) ?? NO_TRACES;
    known.set(key, { ...traces, ...change(traces) });
  };
  return {
    entry(space, key, value) {
      if (space === 'task') note(key, () => ({ row: rowIn(value) }));
    },
    record(log) {
      if (!log.startsWith(LOG_PREFIX)) return;
      note(log.slice(LOG_PREFIX.length), ({ length }) => ({ length: length + 1 }));
    },
    report() {
      const report = new Report();
      for (const [key, traces] of known) report.add(key, traces);
      return report;
    },
  };
}

/** What there is of one task. */
interface Traces {
  readonly row: Pick<TaskRow, 'state' | 'generation'> | 'none' | 'unreadable';
  readonly length: number;
  /** The store lists it as what it is. A copy does not say. */
  readonly isFound: boolean;
}

const NO_TRACES: Traces = { row: 'none', length: 0, isFound: true };

class Report implements TaskReport {
  tasks = 0;
  open = 0;
  readonly problems: TaskProblem[] = [];

  add(key: string, traces: Traces): void {
    const { row } = traces;
    if (row !== 'none') this.tasks += 1;
    if (typeof row === 'object' && !isTerminal(row.state)) this.open += 1;
    const what = problemOf(traces);
    if (what !== undefined && this.problems.length < MAX_PROBLEMS)
      this.problems.push({ key, what });
  }
}

function problemOf({ row, length, isFound: isListed }: Traces): string | undefined {
  if (row === 'none') return length === 0 ? undefined : `a log of ${length} events has no task`;
  if (row === 'unreadable') return 'its row cannot be read';
  const { state, generation } = row;
  if (length !== generation) return `its log has ${length} events, its row says ${generation}`;
  if (!isListed && isTerminal(state)) return 'it has ended and would never be removed';
  return isListed ? undefined : 'it is open and is not listed as that';
}

/** All of one moment. */
async function tracesOf(store: Store, key: string): Promise<Traces> {
  for (;;) {
    const before = await store.get('task', key);
    const length = await store.length(LOG_PREFIX + key);
    // Rows and logs change together: if the row is the same, all of it was of one moment.
    const after = await store.get('task', key);
    if (after?.version !== before?.version) continue;
    if (before === undefined) return { ...NO_TRACES, length };
    return { row: rowIn(before.value), length, isFound: isFound(before) };
  }
}

function isFound({ value, index, rank }: Entry): boolean {
  try {
    const row = decodeRow(value);
    const wanted = indexOf(row);
    const names = Object.keys(wanted);
    return rank === row.at && names.every((name) => index[name] === wanted[name]);
  } catch {
    return true;
  }
}

function rowIn(value: Uint8Array): Traces['row'] {
  try {
    const { state, generation } = decodeRow(value);
    return { state, generation };
  } catch {
    return 'unreadable';
  }
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
