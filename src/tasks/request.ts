// Owns how a `task.v1` payload is read. SPEC.md section 8 (#task-ids, #task-answer).

import { writeJcs } from '../codec/canonical-jcs.ts';
import { writePythonJson } from '../codec/canonical-python.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { LosslessNumber, isJsonObject, newJsonObject } from '../codec/value.ts';
import { sha256, toHex } from '../crypto/sha256.ts';
import { parseTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import type { TaskRequest } from './task.ts';

const MAX_ID_LENGTH = 256;
const MAX_PRIORITY = 10;
const NO_MEMBERS: JsonObject = Object.freeze(newJsonObject());

/** Reads what the schema of `task.v1` has let through; PAYLOAD_INVALID with the path for what it cannot use. */
export function parseTaskRequest(payload: JsonValue): TaskRequest {
  if (!isJsonObject(payload)) throw invalid('');
  const { goal, inputs, constraints, context } = payload;
  if (typeof goal !== 'string' || goal.length === 0) throw invalid('/goal');
  // `context` belongs to the sender: only an object under this name is about the task.
  const named = isJsonObject(context) && isJsonObject(context['task']) ? context['task'] : {};
  const id = nameIn(named, 'id');
  const kind = nameIn(named, 'kind');
  const parent = nameIn(named, 'parent');
  const contextId = nameIn(named, 'context_id');
  const deadline = deadlineIn(named);
  const limits = isJsonObject(constraints) ? constraints : NO_MEMBERS;
  return Object.freeze({
    goal,
    inputs: isJsonObject(inputs) ? inputs : NO_MEMBERS,
    priority: priorityOf(limits['priority']),
    timeBudgetMs: secondsOf(limits['time_budget_s']) * 1_000,
    payload: withoutAuthz(payload),
    ...(id !== undefined && { id }),
    ...(kind !== undefined && { kind }),
    ...(parent !== undefined && { parent }),
    ...(contextId !== undefined && { contextId }),
    ...(deadline !== undefined && { deadline }),
  });
}

export interface Fingerprint {
  readonly digest: string;
  /** What the request takes in canonical form. */
  readonly bytes: number;
}

/** Two requests with one id are one task when their digests are equal, whatever authorized them. */
export function fingerprintOf({ payload }: TaskRequest): Fingerprint {
  const bytes = canonical(payload);
  return { digest: toHex(sha256(bytes)), bytes: bytes.length };
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
