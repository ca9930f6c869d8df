// Owns how a `task.v1` is read: what it asks of the door, and how long its sender waits for the answer.
// SPEC.md section 8 (#task-ids, #task-answer, #parts).

import { writeJcs } from '../../codec/canonical-jcs.ts';
import { writePythonJson } from '../../codec/canonical-python.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { LosslessNumber, isJsonObject, newJsonObject } from '../../codec/value.ts';
import type { RequestContext } from '../../content.ts';
import { sha256, toHex } from '../../crypto/sha256.ts';
import type { StartTask } from '../../door/service.ts';
import { parseTimestamp } from '../../envelope/timestamp.ts';
import { uuidV8 } from '../../envelope/uuid.ts';
import { SdlError } from '../../errors.ts';
import type { Message } from '../../tasks/message.ts';
import { createMessage } from '../../tasks/message.ts';
import { sourceOf } from './origin.ts';
import { readWords } from './words.ts';

export interface ReadTask {
  readonly start: StartTask;
  /** How long the sender waits for the answer. */
  readonly timeBudgetMs: number;
}

const MAX_ID_LENGTH = 256;
const MAX_PRIORITY = 10;
const NO_MEMBERS: JsonObject = Object.freeze(newJsonObject());

/** Reads what the schema of `task.v1` has let through; PAYLOAD_INVALID with the path for what it cannot use. */
export function readTask(
  payload: JsonValue,
  context: Pick<RequestContext, 'request' | 'agentId'>,
): ReadTask {
  const { start, timeBudgetMs } = readAsked(payload, context.request.id);
  const kept = withoutAuthz(payload as JsonObject);
  const id = taskIdOf(payload, context);
  const isDerived = nameIn(namedIn(payload), 'id') === undefined;
  return {
    timeBudgetMs,
    start: {
      ...start,
      source: sourceOf(kept, payload, context),
      ...(id !== undefined && { idempotency: { id, digest: digestOf(kept), isDerived } }),
    },
  };
}

/** What it asks for, whatever dialect carries it. @param messageId of a message that has none of its own. */
export function readAsked(
  payload: JsonValue,
  messageId: string,
): ReadTask & { readonly start: Omit<StartTask, 'source' | 'idempotency'> } {
  if (!isJsonObject(payload)) throw invalid('');
  const { goal, constraints } = payload;
  if (typeof goal !== 'string' || goal.length === 0) throw invalid('/goal');
  const named = namedIn(payload);
  const kind = nameIn(named, 'kind');
  const parent = nameIn(named, 'parent');
  const contextId = nameIn(named, 'context_id');
  const deadline = deadlineIn(named);
  const limits = isJsonObject(constraints) ? constraints : NO_MEMBERS;
  return {
    timeBudgetMs: secondsOf(limits['time_budget_s']) * 1_000,
    start: {
      message: messageOf(payload, goal, messageId),
      priority: priorityOf(limits['priority']),
      ...(kind !== undefined && { kind }),
      ...(parent !== undefined && { parent }),
      ...(contextId !== undefined && { contextId }),
      ...(deadline !== undefined && { deadline }),
    },
  };
}

/** The id that it gives its task, else one that is the same for every repeat of one signed request. */
export function taskIdOf(
  payload: JsonValue,
  { request }: Pick<RequestContext, 'request'>,
): string | undefined {
  const named = nameIn(namedIn(payload), 'id');
  const { kid, replay } = request.sec ?? {};
  if (named !== undefined || kid === undefined || replay === undefined) return named;
  return uuidV8(sha256(encodeUtf8(JSON.stringify(['task', kid, replay.nonce, request.id]))));
}

/** What is asked: the message where there is one, else the goal as text and the inputs as data. */
function messageOf(payload: JsonObject, goal: string, id: string): Message {
  const { inputs, context } = payload;
  const given = isJsonObject(context) ? context['message'] : undefined;
  // `context` belongs to the sender: only an object with parts under this name is a message.
  if (isJsonObject(given) && Object.hasOwn(given, 'parts')) {
    return readWords(given, '/context/message', id);
  }
  const data = isJsonObject(inputs) && Object.keys(inputs).length > 0 ? [{ data: inputs }] : [];
  return createMessage({ id, role: 'user', parts: [{ text: goal }, ...data] });
}

/** Two requests with one id are one task when their digests are equal, whatever authorized them. */
function digestOf(payload: JsonObject): string {
  return toHex(sha256(canonical(payload)));
}

function canonical(payload: JsonObject): Uint8Array {
  try {
    return writeJcs(payload);
  } catch (error) {
    if (!(error instanceof SdlError) || error.code !== 'NUMBER_INEXACT') throw error;
    // A peer that signs over another form than JCS may send numbers that JCS cannot write.
    return writePythonJson(payload);
  }
}

/** `context` belongs to the sender: only an object under this name is about the task. */
function namedIn(payload: JsonValue): JsonObject {
  const context = isJsonObject(payload) ? payload['context'] : undefined;
  const named = isJsonObject(context) ? context['task'] : undefined;
  return isJsonObject(named) ? named : NO_MEMBERS;
}

function nameIn(named: JsonObject, member: string): string | undefined {
  if (!Object.hasOwn(named, member)) return undefined;
  const value = named[member];
  if (typeof value !== 'string' || value.length === 0 || value.length > MAX_ID_LENGTH) {
    throw invalid(`/context/task/${member}`);
  }
  return value;
}

function deadlineIn(named: JsonObject): number | undefined {
  if (!Object.hasOwn(named, 'deadline')) return undefined;
  const value = named['deadline'];
  const deadline = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (deadline === undefined || deadline < 0) throw invalid('/context/task/deadline');
  return deadline;
}

/** `constraints` is open to whatever peers put there: only an integer in the range means something to us. */
function priorityOf(value: JsonValue | undefined): number {
  const isPriority = Number.isInteger(value) && Math.abs(value as number) <= MAX_PRIORITY;
  return isPriority ? (value as number) : 0;
}

function secondsOf(budget: JsonValue | undefined): number {
  const seconds = budget instanceof LosslessNumber ? budget.toNumber() : budget;
  if (typeof seconds !== 'number' || !(seconds >= 0)) throw invalid('/constraints/time_budget_s');
  return seconds;
}

function withoutAuthz(payload: JsonObject): JsonObject {
  const copy = newJsonObject();
  for (const name of Object.keys(payload)) {
    if (name !== 'authz') copy[name] = payload[name]!;
  }
  return Object.freeze(copy);
}

function invalid(path: string): SdlError {
  return new SdlError('PAYLOAD_INVALID', `the task has no usable value at ${path}`, {
    details: { path },
  });
}
