// Owns what an owner can do with its tasks after it started them: tools over `toolcall.v1`. A task of somebody else
// looks like none. SPEC.md section 8 (#task-ids, #parts).

import type { JsonObject } from '../../codec/value.ts';
import type { TaskService } from '../../door/service.ts';
import type { TellSent } from '../../door/witness.ts';
import { SdlError } from '../../errors.ts';
import { writeMessage } from '../../tasks/part-json.ts';
import { isTerminal } from '../../tasks/task.ts';
import type { Task } from '../../tasks/task.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { defineTool } from '../tools/tool.ts';
import { requestOf, wholeDocument } from './document.ts';
import { listTool } from './list.ts';
import { ownerIn, unknownTask } from './owner.ts';
import { GENERATION, MESSAGE, OWNER, TASK_DOCUMENT, TASK_ID, membersOf } from './tool-schemas.ts';
import { watchTool } from './watch.ts';
import { plainWords, readWords } from './words.ts';

const REQUEST = { type: 'boolean', description: 'also what was asked' } as const;
const HISTORY = {
  type: 'integer',
  minimum: 0,
  maximum: 10_000,
  description: 'also so many of the last messages',
} as const;
const ASKED = { ...GENERATION, description: 'the generation of the question' } as const;
const REPLY = { description: 'the answer: any value' } as const;

/** For the tasks of the caller; `owner` names others, which the door allows to administrators. */
export function createTaskTools(
  tasks: TaskService,
  sent: TellSent = () => undefined,
): readonly Tool[] {
  return [
    getTool(tasks),
    listTool(tasks),
    watchTool(tasks, sent),
    cancelTool(tasks),
    replyTool(tasks),
    sendTool(tasks),
  ];
}

function getTool(tasks: TaskService): Tool {
  return defineTool({
    name: 'task.get',
    title: 'Look at a task',
    description: 'The state of a task, with its output so far; and what was asked, with "request".',
    args: membersOf({ id: TASK_ID, owner: OWNER, request: REQUEST, history_length: HISTORY }, [
      'id',
    ]),
    result: TASK_DOCUMENT,
    run: async (args, context) => {
      const { request, history_length: length } = args;
      const task = await tasks.get(context.call, args['id'] as string, ownerIn(args));
      if (task === undefined) throw unknownTask();
      return {
        ...wholeDocument(task, context),
        ...(request === true && { request: requestOf(task) }),
        ...(length !== undefined && { history: lastMessages(task, Number(length)) }),
      };
    },
  });
}

function cancelTool(tasks: TaskService): Tool {
  return defineTool({
    name: 'task.cancel',
    title: 'Cancel a task',
    description: 'Ends a task; one that has ended stays as it is.',
    args: membersOf({ id: TASK_ID, owner: OWNER }, ['id']),
    result: TASK_DOCUMENT,
    run: async (args, context) => {
      const canceled = await tasks.cancel(context.call, args['id'] as string, ownerIn(args));
      if (canceled === undefined) throw unknownTask();
      return wholeDocument(canceled.task, context);
    },
  });
}

function replyTool(tasks: TaskService): Tool {
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
      const { call } = context;
      const id = args['id'] as string;
      const answers = await questionFor(tasks, args, context);
      const words = plainWords(args['reply']!, messageId(context));
      const task = await tasks.message(call, id, words, { ...ownerIn(args), answers });
      return wholeDocument(task, context);
    },
  });
}

function sendTool(tasks: TaskService): Tool {
  return defineTool({
    name: 'task.send',
    title: 'Say something to a task',
    description: 'A message to a task: the answer to its question if it waits, else more to know.',
    args: membersOf({ id: TASK_ID, owner: OWNER, message: MESSAGE, generation: ASKED }, [
      'id',
      'message',
    ]),
    result: TASK_DOCUMENT,
    run: async (args, context) => {
      const { id, message, generation } = args;
      const words = readWords(message!, '/args/message', messageId(context));
      const task = await tasks.message(context.call, id as string, words, {
        ...ownerIn(args),
        ...(generation !== undefined && { answers: Number(generation) }),
      });
      return wholeDocument(task, context);
    },
  });
}

/** A reply never becomes a further message: without a question there is nothing to reply to. */
async function questionFor(
  tasks: TaskService,
  args: JsonObject,
  { call }: ToolContext,
): Promise<number> {
  const { id, generation } = args;
  if (generation !== undefined) return Number(generation);
  const task = await tasks.get(call, id as string, { ...ownerIn(args), includeArtifacts: false });
  if (task === undefined) throw unknownTask();
  const { state, asked } = task.status;
  if (asked !== undefined) return asked;
  if (isTerminal(state)) throw new SdlError('TASK_ENDED', `the task is ${state} already`);
  throw new SdlError('TASK_CONFLICT', 'the task does not wait for a reply');
}

/** Of who calls by a message that has one; else of the call. */
function messageId({ request, callId }: ToolContext): string {
  return request?.id ?? callId;
}

function lastMessages({ history }: Task, length: number): JsonObject[] {
  return history.slice(Math.max(0, history.length - length)).map(writeMessage);
}
