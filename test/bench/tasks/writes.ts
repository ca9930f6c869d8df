// One task as the engine writes it: the transactions from its start to its end, as ready operations with new names.
// Stores and bare drivers are given the same ones, so that only who does the writes differs.

import { encodeUtf8 } from '../../../src/codec/utf8.ts';
import type { Operation } from '../../../src/stores/store.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskChange } from '../../../src/tasks/events.ts';
import { parseTaskRequest, fingerprintOf } from '../../../src/tasks/request.ts';
import { newRow, taskKey } from '../../../src/tasks/log/row.ts';
import type { TaskRow } from '../../../src/tasks/log/row.ts';
import { TaskTable, draftOf, rowAfter } from '../../../src/tasks/log/table.ts';
import { isTerminal, unstartedTask } from '../../../src/tasks/task.ts';
import type { TaskRequest } from '../../../src/tasks/task.ts';

/** What every task of the benchmarks says after it began, one transaction each. */
export const REPORTS: readonly TaskChange[] = [
  { type: 'progress', progress: { message: 'reading the sources', fraction: 0.25 } },
  { type: 'progress', progress: { message: 'comparing them', fraction: 0.5 } },
  { type: 'progress', progress: { message: 'writing the summary', fraction: 0.75 } },
  {
    type: 'artifact',
    artifact: {
      name: 'summary',
      mediaType: 'text/plain',
      content: 'what was found. '.repeat(64),
      append: false,
    },
  },
];

export const COMPLETED: TaskChange = { type: 'status', state: 'completed' };

/** Submitted, working, the reports, completed. */
export const EVENTS_OF_TASK: number = REPORTS.length + 3;

/** What every such task asks for. */
export const REQUEST: TaskRequest = parseTaskRequest({
  goal: 'Summarise what changed between the two reports and say which of the numbers disagree.',
  inputs: {
    left: 'https://example.com/reports/2026-01',
    right: 'https://example.com/reports/2026-02',
  },
  constraints: { time_budget_s: 30 },
});

/** The author of the same task. */
export const reportAll: OnTask = async function* (_task, ctx) {
  for (const report of REPORTS) {
    if (report.type === 'progress') yield ctx.progress(report.progress);
    else if (report.type === 'artifact') {
      const { name, content } = report.artifact;
      yield ctx.artifact({ name, text: content as string });
    }
  }
};

export interface TaskName {
  readonly owner: string;
  readonly id: string;
}

const table = new TaskTable(createMemoryStore(), Date.now, 0);
const DIGEST = fingerprintOf(REQUEST).digest;
const LEASE_MS = 30_000;
const NODE = encodeUtf8('018f0000-0000-7000-8000-000000000000');

export interface Begun {
  readonly key: string;
  readonly row: TaskRow;
  readonly operations: readonly Operation[];
}

/** A task that has begun, and what has happened since: the transaction that makes it, and its row. */
export function beginOf(
  name: TaskName,
  at: number,
  changes: readonly TaskChange[] = [],
  leaseMs: number = LEASE_MS,
): Begun {
  const key = taskKey(name, name.id);
  const origin = unstartedTask({ ...name, request: REQUEST, createdAt: at });
  const begin: TaskChange = {
    type: 'status',
    state: 'working',
    attempt: 1,
    deadline: at + 3_600_000,
  };
  const submitted = draftOf({ type: 'status', state: 'submitted' }, at);
  const drafts = [begin, ...changes].map((change) => draftOf(change, at));
  const row = rowAfter(newRow(origin, DIGEST), [submitted, ...drafts])!;
  const creation = table.creation(key, origin, row, drafts);
  if (isTerminal(row.state)) {
    const [, , end] = table.recording(key, row, row, []);
    return { key, row, operations: [...creation, end!] };
  }
  const expiresAt = at + leaseMs;
  const lease: Operation = { type: 'add', space: 'task-lease', key, value: NODE, expiresAt };
  return { key, row, operations: [...creation, lease] };
}

/** What records the change of a task, and the row after it. */
export function recordOf(
  { key, row }: Omit<Begun, 'operations'>,
  change: TaskChange,
  at: number,
): Begun {
  const drafts = [draftOf(change, at)];
  const after = rowAfter(row, drafts)!;
  const isEnd = change.type === 'status';
  const release: Operation = { type: 'delete', space: 'task-lease', key };
  const recording = table.recording(key, row, after, drafts);
  return { key, row: after, operations: isEnd ? [release, ...recording] : recording };
}

/** All transactions of a task, in order. The lease's version is not checked: it is only known later. */
export function writesOf(name: TaskName): (readonly Operation[])[] {
  const at = Date.now();
  let last = beginOf(name, at);
  const writes = [last.operations];
  for (const change of [...REPORTS, COMPLETED]) {
    last = recordOf(last, change, at);
    writes.push(last.operations);
  }
  return writes;
}
