// Owns `task.list`: the last status first, a page at a time. SPEC.md section 8 (#task-ids).

import type { JsonObject } from '../../codec/value.ts';
import type { ListTasks, TaskService } from '../../door/service.ts';
import { EVERY_OWNER } from '../../door/service.ts';
import { formatTimestamp, parseTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';
import type { TaskSummary } from '../../tasks/summary.ts';
import type { TaskState } from '../../tasks/task.ts';
import type { Tool } from '../tools/tool.ts';
import { defineTool } from '../tools/tool.ts';
import { progressOf } from './document.ts';
import { CONTEXT_ID, OWNER, STATE, TASK_LIST, membersOf } from './tool-schemas.ts';

/** As the owner in a list, on this wire alone: everybody. */
const ANY_OWNER = '*';

const SINCE = { type: 'string', description: 'only tasks whose last status is not older' } as const;

export function listTool(tasks: TaskService): Tool {
  return defineTool({
    name: 'task.list',
    title: 'List tasks',
    description: 'The tasks of the caller, the last status first, a page at a time.',
    args: membersOf({
      owner: { ...OWNER, description: `whose tasks, for administrators ("${ANY_OWNER}": of all)` },
      state: STATE,
      context_id: CONTEXT_ID,
      since: SINCE,
      cursor: { type: 'string', maxLength: 256, description: '"next" of the page before' },
      limit: { type: 'integer', minimum: 1, maximum: 200, description: 'tasks of a page' },
    }),
    result: TASK_LIST,
    run: async (args, { call }) => {
      const page = await tasks.list(call, filterIn(args)).catch(refusedCursor);
      const { next, total } = page;
      return {
        tasks: page.tasks.map(summaryDocument),
        ...(next !== undefined && { next }),
        total,
      };
    },
  });
}

function filterIn({ owner, state, context_id, since, cursor, limit }: JsonObject): ListTasks {
  return {
    ...(owner !== undefined && { owner: owner === ANY_OWNER ? EVERY_OWNER : (owner as string) }),
    ...(state !== undefined && { state: state as TaskState }),
    ...(context_id !== undefined && { contextId: context_id as string }),
    ...(since !== undefined && { since: momentOf(since as string) }),
    ...(cursor !== undefined && { cursor: cursor as string }),
    ...(limit !== undefined && { pageSize: Number(limit) }),
  };
}

function momentOf(since: string): number {
  const moment = parseTimestamp(since);
  if (moment !== undefined) return moment;
  throw new SdlError('PAYLOAD_INVALID', '/args/since must be a UTC timestamp', {
    details: { path: '/args/since' },
  });
}

/** Also one of a version before the last status came first. */
function refusedCursor(thrown: unknown): never {
  if (!(thrown instanceof SdlError) || thrown.code !== 'PAYLOAD_INVALID') throw thrown;
  const message = 'the cursor is of another list: begin again with the first page';
  throw new SdlError('PAYLOAD_INVALID', message, {
    details: { ...thrown.details, path: '/args/cursor', message },
    cause: thrown,
  });
}

function summaryDocument(summary: TaskSummary): JsonObject {
  const { owner, id, status, generation, text, kind, parent, contextId, createdAt } = summary;
  const { state, at, failure } = status;
  const progress = progressOf(status);
  return {
    owner,
    id,
    status: state,
    generation,
    goal: text,
    ...(kind !== undefined && { kind }),
    ...(parent !== undefined && { parent }),
    ...(contextId !== undefined && { context_id: contextId }),
    ...(progress !== undefined && { progress }),
    ...(failure !== undefined && { error: { ...failure } }),
    created: formatTimestamp(createdAt),
    updated: formatTimestamp(at),
  };
}
