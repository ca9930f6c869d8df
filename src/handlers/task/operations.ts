// Owns what an owner can do with its tasks after it started them: tools over `toolcall.v1`. A task of somebody else
// looks like none. SPEC.md section 8 (#task-ids).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer } from '../../content.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';
import type { TaskEngine } from '../../tasks/engine/engine.ts';
import type { TaskSummary } from '../../tasks/log/row.ts';
import { isResting } from '../../tasks/task.ts';
import type { Task, TaskState } from '../../tasks/task.ts';
import { answer } from '../answer.ts';
import { wholeDocument } from './document.ts';
import {
  CONTEXT_ID,
  GENERATION,
  OWNER,
  STATE,
  TASK_DOCUMENT,
  TASK_ID,
  TASK_LIST,
  membersOf,
} from './tool-schemas.ts';
import { TaskUpdates } from './updates.ts';
import { defineTool } from '../tools/tool.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';

/** As the owner in a list: everybody. */
const ANY_OWNER = '*';

const REQUEST = { type: 'boolean', description: 'also what was asked' } as const;
const AFTER = {
  ...GENERATION,
  description: 'events after this generation (default: all)',
} as const;
const ASKED = { ...GENERATION, description: 'the generation of the question' } as const;
const REPLY = { description: 'the answer: any value' } as const;

export interface TaskToolOptions {
  /** Agents that look after the tasks of everybody: for them, and only signed, `owner` says whose. @default none */
  readonly admins?: readonly string[];
}

/** Whose tasks a call is about. */
type OwnerOf = (args: JsonObject, context: ToolContext) => string;

/** `task.get`, `task.list`, `task.watch`, `task.cancel` and `task.reply`, each for the caller's own tasks. */
export function createTaskTools(
  engine: TaskEngine,
  { admins = [] }: TaskToolOptions = {},
): readonly Tool[] {
  const known = new Set(admins);
  const ownerOf: OwnerOf = ({ owner }, { peer, keyThumbprint }) => {
    if (owner === undefined || owner === peer.agentId) return peer.agentId;
    if (keyThumbprint !== undefined && known.has(peer.agentId)) return owner as string;
    throw new SdlError('NOT_AUTHORIZED', 'only an administrator may see the tasks of others');
  };
  return [
    getTool(engine, ownerOf),
    listTool(engine, ownerOf),
    watchTool(engine, ownerOf),
    cancelTool(engine, ownerOf),
    replyTool(engine, ownerOf),
  ];
}

function getTool(engine: TaskEngine, ownerOf: OwnerOf): Tool {
  return defineTool({
    name: 'task.get',
    title: 'Look at a task',
    description: 'The state of a task, with its output so far; and what was asked, with "request".',
    args: membersOf({ id: TASK_ID, owner: OWNER, request: REQUEST }, ['id']),
    result: TASK_DOCUMENT,
    run: async (args, context) => {
      const task = await engine.get(ownerOf(args, context), args['id'] as string);
      const document = documentOf(task);
      if (args['request'] === true) return { ...document, request: task!.request.payload };
      return document;
    },
  });
}

function listTool(engine: TaskEngine, ownerOf: OwnerOf): Tool {
  return defineTool({
    name: 'task.list',
    title: 'List tasks',
    description: 'The tasks of the caller, the newest first, a page at a time.',
    args: membersOf({
      owner: { ...OWNER, description: `whose tasks, for administrators ("${ANY_OWNER}": of all)` },
      state: STATE,
      context_id: CONTEXT_ID,
      cursor: { type: 'string', maxLength: 64, description: '"next" of the page before' },
      limit: { type: 'integer', minimum: 1, maximum: 200, description: 'tasks of a page' },
    }),
    result: TASK_LIST,
    run: async (args, context) => {
      const { state, context_id: contextId, cursor, limit } = args;
      const owner = ownerOf(args, context);
      const { tasks, next } = await engine.list(owner === ANY_OWNER ? undefined : owner, {
        ...(state !== undefined && { state: state as TaskState }),
        ...(contextId !== undefined && { contextId: contextId as string }),
        ...(cursor !== undefined && { cursor: cursor as string }),
        ...(limit !== undefined && { limit: Number(limit) }),
      });
      return { tasks: tasks.map(summaryDocument), ...(next !== undefined && { next }) };
    },
  });
}

function watchTool(engine: TaskEngine, ownerOf: OwnerOf): Tool {
  return defineTool({
    name: 'task.watch',
    title: 'Follow a task',
    description: 'The events of a task after a generation, until it ends or waits for its owner.',
    args: membersOf({ id: TASK_ID, owner: OWNER, after: AFTER }, ['id']),
    result: TASK_DOCUMENT,
    isRead: true,
    run: (args, context) => watch(engine, ownerOf(args, context), args, context),
  });
}

function cancelTool(engine: TaskEngine, ownerOf: OwnerOf): Tool {
  return defineTool({
    name: 'task.cancel',
    title: 'Cancel a task',
    description: 'Ends a task; one that has ended stays as it is.',
    args: membersOf({ id: TASK_ID, owner: OWNER }, ['id']),
    result: TASK_DOCUMENT,
    run: async (args, context) => {
      const task = await engine.cancel(ownerOf(args, context), args['id'] as string);
      return documentOf(task);
    },
  });
}

function replyTool(engine: TaskEngine, ownerOf: OwnerOf): Tool {
  return defineTool({
    name: 'task.reply',
    title: 'Answer a task',
    description: 'Answers the question of a task that waits for its owner.',
    args: membersOf({ id: TASK_ID, owner: OWNER, reply: REPLY, generation: ASKED }, [
      'id',
      'reply',
    ]),
    result: TASK_DOCUMENT,
    run: async (args, context) => {
      const { id, reply, generation } = args;
      const options = generation === undefined ? {} : { generation: Number(generation) };
      const owner = ownerOf(args, context);
      return documentOf(await engine.reply(owner, id as string, reply!, options));
    },
  });
}

async function* watch(
  engine: TaskEngine,
  owner: string,
  { id, after: afterGiven = 0 }: JsonObject,
  { signal, afterGeneration = 0 }: ToolContext,
): AsyncGenerator<Answer, JsonValue> {
  const now = await engine.get(owner, id as string);
  if (now === undefined) throw unknownTask();
  const after = Math.max(Number(afterGiven), afterGeneration);
  const updates = new TaskUpdates(now);
  for await (const event of engine.events(owner, id as string, 0, signal)) {
    const { ct, payload, generation } = updates.tell(event)();
    const isNew = event.generation > after;
    if (isNew) yield answer(ct, payload, generation);
    // A caller that has already seen the task waiting wants the events after that, so only a new rest ends the watch.
    if (isNew && isResting(updates.task.state) && event.generation >= now.generation) break;
  }
  // The task was removed before all its events were sent.
  if (updates.task.generation < now.generation) throw unknownTask();
  return documentOf(updates.task);
}

function documentOf(task: Task | undefined): JsonObject {
  if (task === undefined) throw unknownTask();
  return wholeDocument(task);
}

function unknownTask(): SdlError {
  return new SdlError('TASK_UNKNOWN', 'the sender has no task with this id');
}

function summaryDocument(summary: TaskSummary): JsonObject {
  const { owner, id, state, generation, goal, kind, parent, contextId, createdAt, updatedAt } =
    summary;
  const { progress, failure } = summary;
  return {
    owner,
    id,
    status: state,
    generation,
    goal,
    ...(kind !== undefined && { kind }),
    ...(parent !== undefined && { parent }),
    ...(contextId !== undefined && { context_id: contextId }),
    ...(progress !== undefined && { progress: { ...progress } }),
    ...(failure !== undefined && { error: { ...failure } }),
    created: formatTimestamp(createdAt),
    updated: formatTimestamp(updatedAt),
  };
}
