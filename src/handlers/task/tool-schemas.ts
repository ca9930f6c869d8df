// Owns the JSON Schemas of what the tools of tasks take and give. SPEC.md sections 8 and 9 (#task-ids, #state-task).

import type { JsonObject } from '../../codec/value.ts';
import { RULES } from '../../tasks/task.ts';

export const TASK_ID = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: 'the id of the task',
} as const;

export const CONTEXT_ID = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: 'only tasks of this context',
} as const;

export const OWNER = {
  type: 'string',
  minLength: 1,
  maxLength: 512,
  description: 'whose task, for administrators (default: the caller)',
} as const;

export const GENERATION = {
  type: 'integer',
  minimum: 0,
  maximum: 9_007_199_254_740_991,
} as const;

export const STATE: JsonObject = { enum: Object.keys(RULES) };

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

const FAILURE = membersOf({ code: TEXT, message: TEXT, retryable: { type: 'boolean' } }, [
  'code',
  'message',
]);
const PROGRESS = membersOf({ message: TEXT, fraction: { type: 'number' } }, ['message']);

/** A message: `parts` hold one of `text`, `data`, `bytes` (base64url) and `url` each. */
export const MESSAGE: JsonObject = membersOf(
  { id: TEXT, role: TEXT, parts: { type: 'array', items: { type: 'object' } } },
  ['parts'],
);

/** The document of a task as its owner sees it. */
export const TASK_DOCUMENT: JsonObject = membersOf(
  {
    status: STATE,
    goal: TEXT,
    task: membersOf({ id: TEXT, generation: COUNT }, ['id', 'generation']),
    progress: PROGRESS,
    question: {
      ...membersOf({ content: true, generation: COUNT, message: MESSAGE }, [
        'content',
        'generation',
      ]),
      description: 'what it asks, while it waits for its owner',
    },
    children: {
      type: 'array',
      items: { type: 'object' },
      description: 'the parts that other agents do',
    },
    artifacts: {
      type: 'array',
      items: { type: 'object' },
      description: 'its output, items as in artifact.v1',
    },
    answer: { ...membersOf({ message: MESSAGE }), description: 'its last words' },
    error: FAILURE,
    history: {
      type: 'array',
      items: MESSAGE,
      description: 'the last messages, if "history_length" was given',
    },
    request: { type: 'object', description: 'what was asked, if "request" was true' },
  },
  ['status', 'goal', 'task', 'artifacts'],
);

export const TASK_LIST: JsonObject = membersOf(
  {
    tasks: {
      type: 'array',
      items: membersOf(
        {
          owner: TEXT,
          id: TEXT,
          status: STATE,
          generation: COUNT,
          goal: TEXT,
          kind: TEXT,
          parent: TEXT,
          context_id: TEXT,
          progress: PROGRESS,
          error: FAILURE,
          created: TEXT,
          updated: TEXT,
        },
        ['owner', 'id', 'status', 'generation', 'goal', 'created', 'updated'],
      ),
    },
    next: { type: 'string', description: 'the cursor of the next page, if there is one' },
    total: { ...COUNT, description: 'how many there are on all pages' },
  },
  ['tasks', 'total'],
);

/** An object with these members, and perhaps others. */
export function membersOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required };
}
