// Owns the place of a delegated task: its id, its deadline, and the request that both stand in. They are the same for the
// same part of the same task, so that a later attempt finds what an earlier one began. SPEC.md section 8 (#task-ids).

import type { TaskInput } from '../client/task-content.ts';
import { writeJson } from '../codec/json/write.ts';
import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import type { JsonObject } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { sha256 } from '../crypto/sha256.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { uuidV8 } from '../envelope/uuid.ts';
import type { ChildInput, DelegateOptions, TaskChild } from '../tasks/delegation.ts';
import { TaskError } from '../tasks/error.ts';
import type { Task } from '../tasks/task.ts';
import { FOLLOW_S } from './child-task.ts';
import { hasFailed } from './child-tree.ts';

/** So that a list of them fits into every state of the task. */
const MAX_CHILDREN = 64;

export interface PlaceRequest {
  readonly task: Task;
  /** Who is to do it. */
  readonly agentId: string;
  readonly input: ChildInput;
  readonly options: Pick<DelegateOptions, 'id' | 'deadline'>;
  /** The ids of what this attempt has given on. */
  readonly asked: ReadonlySet<string>;
  /** Of the task. */
  readonly deadline: number;
  readonly nowMs: number;
}

export interface ChildPlace {
  readonly id: string;
  readonly deadline: number | undefined;
  /** An earlier attempt gave it on, and it is worth joining. */
  readonly isKnown: boolean;
  /** Everything but the grants, which are no part of what makes two tasks equal. */
  readonly input: TaskInput;
}

export function placeOf(request: PlaceRequest): ChildPlace {
  const { task, agentId, input, options, asked, nowMs } = request;
  const latest = Math.min(request.deadline, options.deadline ?? Infinity);
  if (Number.isNaN(latest)) {
    throw new RangeError('"deadline" expected milliseconds since the epoch');
  }
  const text = decodeUtf8(writeJson(input as unknown as JsonObject));
  const { tenant, owner, createdAt } = task;
  for (let nth = 0; ; nth += 1) {
    const parts = [tenant, owner, task.id, createdAt, agentId, nth, text];
    const id = options.id ?? uuidV8(sha256(encodeUtf8(JSON.stringify(parts))));
    const known = task.children.find((child) => child.agentId === agentId && child.id === id);
    const isSpent = asked.has(id) || (known !== undefined && isOver(known, nowMs));
    if (isSpent && options.id === undefined) continue;
    if (known === undefined) assertRoom(task, asked);
    const own = Number.isFinite(latest) ? Math.floor(latest) : undefined;
    // It is joined only by what it was begun with.
    const deadline = known === undefined ? own : known.deadline;
    return { id, deadline, isKnown: known !== undefined, input: inputOf(request, id, deadline) };
  }
}

/** Another attempt must begin it anew. */
function isOver({ status, deadline }: TaskChild, nowMs: number): boolean {
  return hasFailed(status) || (deadline !== undefined && deadline <= nowMs);
}

function assertRoom({ children }: Task, asked: ReadonlySet<string>): void {
  if (new Set([...children.map(({ id }) => id), ...asked]).size < MAX_CHILDREN) return;
  const words = `a task is given on in at most ${MAX_CHILDREN} parts`;
  throw new TaskError(words, { code: 'TOO_MANY_PARTS' });
}

function inputOf(
  { task, input }: PlaceRequest,
  id: string,
  deadline: number | undefined,
): TaskInput {
  const context = input.context ?? {};
  const named = isJsonObject(context['task']) ? context['task'] : {};
  const { id: parent, contextId } = task;
  return {
    ...input,
    constraints: { ...input.constraints, time_budget_s: FOLLOW_S },
    context: {
      ...context,
      task: {
        ...named,
        id,
        parent,
        ...(contextId !== undefined && { context_id: contextId }),
        ...(deadline !== undefined && { deadline: formatTimestamp(deadline) }),
      },
    },
  };
}
