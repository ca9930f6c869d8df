// Owns what an owner can do with its tasks after it started them: tools over `toolcall.v1`. A task of somebody else
// looks like none. SPEC.md section 8 (#task-ids).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { Answer } from '../content.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import type { TaskSummary } from '../tasks/task-row.ts';
import { RULES, isResting } from '../tasks/task.ts';
import type { Task, TaskState } from '../tasks/task.ts';
import { answer } from './answer.ts';
import { wholeDocument } from './task-document.ts';
import { TaskStory } from './task-events.ts';
import { defineTool } from './tool.ts';
import type { Tool, ToolContext } from './tool.ts';

const TASK_ID = { type: 'string', minLength: 1, maxLength: 256 } as const;
const GENERATION = { type: 'integer', minimum: 0, maximum: 9_007_199_254_740_991 } as const;
const STATES = Object.keys(RULES);

/** `task.get`, `task.list`, `task.watch`, `task.cancel` and `task.reply`, each for the caller's own tasks. */
export function createTaskTools(engine: TaskEngine): readonly Tool[] {
  return [
    getTool(engine),
    listTool(engine),
    watchTool(engine),
    cancelTool(engine),
    replyTool(engine),
  ];
}

function getTool(engine: TaskEngine): Tool {
  return defineTool({
    name: 'task.get',
    description: 'The state of a task, with its output so far.',
    args: argsOf({ id: TASK_ID }, ['id']),
    run: async ({ id }, { peer }) => documentOf(await engine.get(peer.agentId, id as string)),
  });
}

function listTool(engine: TaskEngine): Tool {
  return defineTool({
    name: 'task.list',
    description: 'The tasks of the caller, the newest first, a page at a time.',
    args: argsOf({
      state: { enum: STATES },
      context_id: TASK_ID,
      cursor: { type: 'string', maxLength: 64 },
      limit: { type: 'integer', minimum: 1, maximum: 200 },
    }),
    run: async ({ state, context_id: contextId, cursor, limit }, { peer }) => {
      const { tasks, next } = await engine.list(peer.agentId, {
        ...(state !== undefined && { state: state as TaskState }),
        ...(contextId !== undefined && { contextId: contextId as string }),
        ...(cursor !== undefined && { cursor: cursor as string }),
        ...(limit !== undefined && { limit: Number(limit) }),
      });
      return { tasks: tasks.map(summaryDocument), ...(next !== undefined && { next }) };
    },
  });
}

function watchTool(engine: TaskEngine): Tool {
  return defineTool({
    name: 'task.watch',
    description: 'The events of a task after a generation, until it ends or waits for its owner.',
    args: argsOf({ id: TASK_ID, after: GENERATION }, ['id']),
    run: ({ id, after = 0 }, context) => watch(engine, id as string, Number(after), context),
  });
}

function cancelTool(engine: TaskEngine): Tool {
  return defineTool({
    name: 'task.cancel',
    description: 'Ends a task; one that has ended stays as it is.',
    args: argsOf({ id: TASK_ID }, ['id']),
    run: async ({ id }, { peer }) => documentOf(await engine.cancel(peer.agentId, id as string)),
  });
}

function replyTool(engine: TaskEngine): Tool {
  return defineTool({
    name: 'task.reply',
    description: 'Answers the question of a task that waits for its owner.',
    args: argsOf({ id: TASK_ID, reply: true, generation: GENERATION }, ['id', 'reply']),
    run: async ({ id, reply, generation }, { peer }) => {
      const options = generation === undefined ? {} : { generation: Number(generation) };
      return documentOf(await engine.reply(peer.agentId, id as string, reply!, options));
    },
  });
}

async function* watch(
  engine: TaskEngine,
  id: string,
  afterGiven: number,
  { peer, signal, afterGeneration = 0 }: ToolContext,
): AsyncGenerator<Answer, JsonValue> {
  const now = await engine.get(peer.agentId, id);
  if (now === undefined) throw unknownTask();
  const after = Math.max(afterGiven, afterGeneration);
  const story = new TaskStory(now);
  for await (const event of engine.events(peer.agentId, id, 0, signal)) {
    const { ct, payload, generation } = story.tell(event)();
    const isNew = event.generation > after;
    if (isNew) yield answer(ct, payload, generation);
    // Who knows that the task waits wants to know what comes then.
    if (isNew && isResting(story.task.state) && event.generation >= now.generation) break;
  }
  return documentOf(story.task);
}

function documentOf(task: Task | undefined): JsonObject {
  if (task === undefined) throw unknownTask();
  return wholeDocument(task);
}

function unknownTask(): SdlError {
  return new SdlError('TASK_UNKNOWN', 'its sender has no task of this id');
}

function summaryDocument(summary: TaskSummary): JsonObject {
  const { id, state, generation, goal, kind, parent, contextId, createdAt, updatedAt } = summary;
  return {
    id,
    status: state,
    generation,
    goal,
    ...(kind !== undefined && { kind }),
    ...(parent !== undefined && { parent }),
    ...(contextId !== undefined && { context_id: contextId }),
    created: formatTimestamp(createdAt),
    updated: formatTimestamp(updatedAt),
  };
}

function argsOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required };
}
