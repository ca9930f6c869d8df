// Owns what of a task can be given to an agent of another dialect: a message and its conversation. What else `task.v1`
// can say is refused with words, rather than dropped. SPEC.md section 20 (#a2a-client-tasks).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonArray, isJsonObject } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import type { MessageContent } from '../../tasks/message.ts';
import { createMessage } from '../../tasks/message.ts';
import { readMessage } from '../../tasks/part-json.ts';
import type { Part } from '../../tasks/part.ts';
import type { ForeignRequest } from './dialect.ts';
import type { TaskInput } from '../task-content.ts';
import { newId } from '../task-content.ts';

export interface GivenTask extends ForeignRequest {
  /** How long the answer is waited for; the task goes on. @default until it rests */
  readonly budgetMs?: number;
}

/** A message and what is around it. */
const KNOWN: ReadonlySet<string> = new Set(['goal', 'inputs', 'message', 'constraints', 'context']);
/** What says nothing more than its absence. */
const PLAIN: Readonly<Record<string, string>> = { kind: 'task.v1', compute_budget: 'low' };

/** Throws CT_UNSUPPORTED for what only envelopes can say. */
export function givenTask(task: TaskInput | string, dialect: string): GivenTask {
  const given: TaskInput = typeof task === 'string' ? { goal: task } : task;
  const { constraints = {}, context = {} } = given;
  const named = objectIn(context, 'task');
  assertPlain({ ...given }, KNOWN, '', dialect);
  assertPlain(constraints, new Set(['time_budget_s']), 'constraints.', dialect);
  assertPlain(context, new Set(['task', 'message']), 'context.', dialect);
  assertPlain(named, new Set(['context_id']), 'context.task.', dialect);
  const { context_id: contextId } = named;
  const seconds = constraints['time_budget_s'];
  const budgetMs = typeof seconds === 'number' ? seconds * 1_000 : undefined;
  return {
    message: messageOf(given, objectIn(context, 'message')),
    ...(typeof contextId === 'string' && { contextId }),
    isDetached: budgetMs === 0,
    ...(budgetMs !== undefined && { budgetMs }),
  };
}

function assertPlain(
  members: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  where: string,
  dialect: string,
): void {
  for (const name of Object.keys(members)) {
    const value = members[name] as JsonValue | undefined;
    if (!known.has(name) && !isPlain(name, value)) throw cannotSay(dialect, `${where}${name}`);
  }
}

function isPlain(name: string, value: JsonValue | undefined): boolean {
  if (value === undefined || PLAIN[name] === value) return true;
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** @param written a message in the form of the SDL wire, as `tasks retry` has it. */
function messageOf({ goal, inputs, message }: TaskInput, written: JsonObject): MessageContent {
  const isWritten = Object.keys(written).length > 0;
  const words =
    message ??
    (isWritten ? readMessage({ id: newId(), ...written, role: 'user' }, 'message') : undefined);
  const { id = newId(), parts: own = [], metadata, extensions, references } = words ?? {};
  const parts = [...goalParts(goal, own), ...own, ...inputParts(inputs, own)];
  if (parts.length === 0) {
    throw new SdlError('PAYLOAD_INVALID', 'a task needs a goal, or a message with parts');
  }
  return createMessage({
    id,
    role: 'user',
    parts,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
    ...(references !== undefined && { references }),
  });
}

/** The goal of a message is its text, unless it has another. */
function goalParts(goal: string | undefined, own: readonly Part[]): readonly Part[] {
  if (goal === undefined || goal === '') return [];
  const isSaid = own.some((part) => 'text' in part && part.text === goal);
  const text = own.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return isSaid || text === goal ? [] : [{ text: goal }];
}

function inputParts(inputs: JsonObject | undefined, own: readonly Part[]): readonly Part[] {
  if (inputs === undefined || Object.keys(inputs).length === 0) return [];
  return own.some((part) => 'data' in part && part.data === inputs) ? [] : [{ data: inputs }];
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const inner = object[name];
  return inner !== undefined && isJsonObject(inner) ? inner : {};
}

export function cannotSay(dialect: string, what: string): SdlError {
  return new SdlError(
    'CT_UNSUPPORTED',
    `the agent speaks ${dialect.toUpperCase()}, which cannot say "${what}": leave it out, or speak envelopes to an agent that has them`,
  );
}
