// One task as the engine writes it: the transactions from its start to its end, as ready operations with new names.
// Stores and bare drivers are given the same ones, so that only who does the writes differs.

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Operation } from '../../../src/stores/store.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { EngineStart } from '../../../src/tasks/engine/contract.ts';
import { Shares, reservedFor } from '../../../src/tasks/engine/shares.ts';
import type { TaskChange } from '../../../src/tasks/event.ts';
import { TaskFeed } from '../../../src/tasks/log/feed.ts';
import type { TaskRow } from '../../../src/tasks/log/row.ts';
import { newRow, rowAfter, taskKey } from '../../../src/tasks/log/row.ts';
import { TaskTable, draftOf, firstDraft } from '../../../src/tasks/log/table.ts';
import { agentMessage, createMessage } from '../../../src/tasks/message.ts';
import type { TaskOrigin } from '../../../src/tasks/task.ts';
import { isTerminal } from '../../../src/tasks/task.ts';

/** As large as a store can be filled: only what a task costs is measured. */
export const NO_LIMITS = {
  maxTasks: 10_000_000,
  maxTasksPerOwner: 10_000_000,
  maxHeldBytes: Number.MAX_SAFE_INTEGER,
  maxHeldBytesPerOwner: Number.MAX_SAFE_INTEGER,
} as const;

const PROGRESS = ['reading the sources', 'comparing them', 'writing the summary'];
const SUMMARY = { name: 'summary', text: 'what was found. '.repeat(64) };

/** What every task of the benchmarks says on its way, one transaction each. */
export const REPORTS: readonly TaskChange[] = [
  ...PROGRESS.map((words, at): TaskChange => {
    const message = agentMessage(words, `said-${at}`);
    return { type: 'status', status: { state: 'working', message, fraction: (at + 1) / 4 } };
  }),
  {
    type: 'artifact',
    artifact: { id: 'a-1', name: SUMMARY.name, parts: [{ text: SUMMARY.text }] },
  },
];

export const COMPLETED: TaskChange = { type: 'status', status: { state: 'completed' } };

/** Submitted, working, the reports, completed. */
export const EVENTS_OF_TASK: number = REPORTS.length + 3;

export interface TaskName {
  readonly owner: string;
  readonly id: string;
}

const ASKED = {
  tenant: '',
  authority: { scheme: 'sdl' },
  message: createMessage({
    id: 'asked',
    role: 'user',
    parts: [
      {
        text: 'Summarise what changed between the two reports and say which of the numbers disagree.',
      },
      {
        data: {
          left: 'https://example.com/reports/2026-01',
          right: 'https://example.com/reports/2026-02',
        },
      },
    ],
  }),
  source: { face: 'bench', value: null },
} as const;
const SHARE = 'known';
const DIGEST = '0'.repeat(64);

/** What every such task asks for. */
export function startOf({ owner, id }: TaskName): EngineStart {
  return { ...ASKED, owner, share: SHARE, idempotency: { id, digest: DIGEST } };
}

/** The author of the same task. */
export const reportAll: OnTask = async function* (_task, ctx) {
  for (const [at, message] of PROGRESS.entries()) {
    yield ctx.progress({ message, fraction: (at + 1) / 4 });
  }
  yield ctx.artifact(SUMMARY);
};

const table = new TaskTable(createMemoryStore(), Date.now, 0);
const NO_HOOKS = { isTelling: () => Promise.resolve(false) };
const shares = new Shares(NO_LIMITS, NO_HOOKS, table, new TaskFeed(table), () => undefined);
const LEASE_MS = 30_000;
const HOLDER = '/018f0000-0000-7000-8000-000000000000';

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
  const origin: TaskOrigin = { ...ASKED, ...name, metadata: {}, createdAt: at };
  const made = `${HOLDER}#${name.id}`;
  const begin: TaskChange = {
    type: 'status',
    status: { state: 'working' },
    attempt: 1,
    deadline: at + 3_600_000,
  };
  const drafts = [
    firstDraft(origin, made),
    ...[begin, ...changes].map((change) => draftOf(change, at)),
  ];
  const unstarted = newRow(origin, {
    made,
    digest: DIGEST,
    priority: 0,
    share: SHARE,
    reserved: 0,
  });
  const after = rowAfter(unstarted, drafts)!;
  const row: TaskRow = {
    ...after,
    reserved: reservedFor(after.bytes),
    ...(!isTerminal(after.state) && { holder: { name: HOLDER, until: at + leaseMs } }),
  };
  return { key, row, operations: [...table.creation(key, row, drafts), ...shares.entry(row)] };
}

/** What records a change of a task, and the row after it. The row's version is not checked: it is only known later. */
export function recordOf(
  { key, row }: Omit<Begun, 'operations'>,
  change: TaskChange,
  at: number,
): Begun {
  const drafts = [draftOf(change, at)];
  const next = rowAfter(row, drafts)!;
  const { reserved, operations: growth } = shares.growth(next, true);
  const after: TaskRow = { ...next, reserved };
  const recording = table.recording({ key, row, version: 0 }, after, drafts);
  const unchecked = recording.map((operation) =>
    operation.type === 'put' ? withoutCondition(operation) : operation,
  );
  return { key, row: after, operations: [...unchecked, ...growth] };
}

/** All transactions of a task, in order. */
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

function withoutCondition({
  ifVersion: _version,
  ...put
}: Extract<Operation, { type: 'put' }>): Operation {
  return put;
}
