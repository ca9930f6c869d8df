// Owns how the agents that do parts of a task hear of its end: what must be told is stored together with the end, in the
// outbox, and told by any node until each has heard. SPEC.md section 9 (#task-delegation).

import { decodeUtf8 } from '../codec/utf8.ts';
import type { Deliverer } from '../outbox/deliverer.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Entry, Operation, Store } from '../stores/store.ts';
import type { Task, TaskScope } from '../tasks/task.ts';
import { isTerminal } from '../tasks/task.ts';

/** The kind of such entries in the outbox. */
export const DELEGATION_END = 'delegation-end';

/** A task with parts that ends. */
interface EndingTask {
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  /** Of its row in the store. */
  readonly key: string;
}

/** For `tellEnd` of the task engine. */
export interface TellEnd {
  /** They go into the transaction that ends the task. */
  operations(task: EndingTask): readonly Operation[];
  /** Called after it. */
  stored(): void;
}

export function createTellEnd(outbox: Pick<Outbox, 'adding' | 'notice'>): TellEnd {
  return {
    operations: (task) => [adding(outbox, task)],
    stored: () => outbox.notice(),
  };
}

function adding(outbox: Pick<Outbox, 'adding'>, { tenant, owner, id, key }: EndingTask): Operation {
  return outbox.adding(DELEGATION_END, key, { tenant, owner, id });
}

export interface EndServices {
  /** The task as it stands now; `undefined` when it is gone. */
  readonly taskNow: (scope: TaskScope, id: string) => Promise<Task | undefined>;
  /** Tells all who may still work on it. False when one could not be told. */
  readonly endParts: (task: Task, signal: AbortSignal) => Promise<boolean>;
}

export function createEndDeliverer({ taskNow, endParts }: EndServices): Deliverer {
  return {
    deliver: async ({ facts }, signal) => {
      const { tenant, owner, id } = facts as unknown as EndingTask;
      const task = await taskNow({ tenant, owner }, id);
      // If the task was removed, or another one has taken its id, nobody knows any more which agents to tell.
      if (task === undefined || !isTerminal(task.status.state)) return 'done';
      return (await endParts(task, signal)) ? 'done' : 'later';
    },
  };
}

/** Where versions before 0.2.0 kept the keys of ended tasks whose parts had not heard of it. */
const MARKS_SPACE = 'task-parts';
const PAGE = 200;

/** What an earlier version had to tell goes into the outbox. It may be called again, and by several nodes. */
export async function adoptEndMarks(store: Store, outbox: Pick<Outbox, 'adding'>): Promise<void> {
  for (let after: string | undefined; ;) {
    const page = await store.list(MARKS_SPACE, { after, limit: PAGE });
    for (const { key, version: ifVersion } of page.entries) {
      const row = await store.get('task', key);
      const task = row && endingTaskIn(row);
      await store.transact([
        // It fails when another node was faster.
        { type: 'delete', space: MARKS_SPACE, key, ifVersion },
        ...(task === undefined ? [] : [adding(outbox, task)]),
      ]);
    }
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** From the members that rows of all versions have; `undefined` for one that cannot be read. */
function endingTaskIn({ key, value }: Entry): EndingTask | undefined {
  try {
    const { tenant, owner, id } = JSON.parse(decodeUtf8(value)) as EndingTask;
    return { tenant, owner, id, key };
  } catch {
    return undefined;
  }
}
