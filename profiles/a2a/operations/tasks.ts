// Owns looking at tasks, listing them and ending them. SPEC.md section 20 (#a2a-semantics, #a2a-lists).

import type { CallContext, Task, TaskPage, WholeTaskPage } from '../../../src/door/index.ts';
import { FOREIGN_MARK, SdlError } from '../../../src/door/index.ts';
import { invalidInput, noSuchTask, refusal } from '../errors/a2a-error.ts';
import { isSealedId, isSealedTask } from '../sealed-tasks/source.ts';
import type { Desk } from './desk.ts';
import type { ListInput, ListedTasks, TaskInput } from './inputs.ts';

export async function getTask(
  { tasks }: Desk,
  call: CallContext,
  { id }: TaskInput,
): Promise<Task> {
  const task = await tasks.get(call, id);
  if (task === undefined) throw noSuchTask();
  return task;
}

/** One that was canceled before is told as it is. */
export async function cancelTask(
  { tasks }: Desk,
  call: CallContext,
  { id }: TaskInput,
): Promise<Task> {
  const canceled = await tasks.cancel(call, id);
  if (canceled === undefined) throw noSuchTask();
  const { task, hasEnded } = canceled;
  if (!hasEnded || task.status.state === 'canceled') return task;
  throw refusal('TASK_NOT_CANCELABLE', 'TASK_ENDED', 'the task has ended: it cannot be canceled');
}

/** Last status first. What is not asked for is not read. */
export async function listTasks(
  { tasks, sealed }: Desk,
  call: CallContext,
  input: ListInput,
): Promise<ListedTasks> {
  const { contextId, state, pageSize, pageToken, since, historyLength = 0 } = input;
  const filter = {
    pageSize,
    ...(contextId !== undefined && { contextId }),
    ...(state !== undefined && { state }),
    ...(since !== undefined && { since }),
    ...(pageToken !== undefined && { cursor: pageToken }),
  };
  const isWhole = historyLength > 0 || input.includeArtifacts;
  const page: TaskPage & Partial<WholeTaskPage> = await (
    isWhole ? tasks.list(call, { ...filter, isWhole }) : tasks.list(call, filter)
  ).catch((thrown: unknown) => {
    // The token is all that the lists of the door cannot take.
    const isToken = thrown instanceof SdlError && thrown.code === 'PAYLOAD_INVALID';
    throw isToken
      ? invalidInput([{ field: 'pageToken', description: 'was not made here' }])
      : thrown;
  });
  return {
    tasks: await shownTasks(sealed, call, page.whole ?? page.tasks),
    nextPageToken: page.next ?? '',
    pageSize,
    totalSize: page.total,
  };
}

/** Those of an agent that seals: nothing that it was told in envelopes is shown outside them. */
async function shownTasks(
  sealed: Desk['sealed'],
  call: CallContext,
  tasks: ListedTasks['tasks'],
): Promise<ListedTasks['tasks']> {
  if (sealed === undefined || call.principal.id.startsWith(FOREIGN_MARK)) return tasks;
  return Promise.all(
    tasks.map(async (task) => {
      if (!isSealedId(task.id)) return task;
      const { state, at } = task.status;
      if (!('source' in task)) return { ...task, status: { state, at } };
      return isSealedTask(task) ? sealed.task(call, task.id) : task;
    }),
  );
}
