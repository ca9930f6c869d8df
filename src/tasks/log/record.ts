// Owns how the events of a task are written in a store: one JSON record each, the request with the first of them.
// The generation of an event is its position plus one and is not written. SPEC.md section 8 (#exchange).

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts';
import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import type { Limits } from '../../limits.ts';
import { LARGEST_LIMITS, resolveLimits } from '../../limits.ts';
import type { LogRecord } from '../../stores/store.ts';
import type { TaskArtifact } from '../artifact.ts';
import type { TaskChild } from '../delegation.ts';
import type { TaskChange, TaskEvent } from '../events.ts';
import { parseTaskRequest } from '../request.ts';
import { unstartedTask } from '../task.ts';
import type { Task, TaskFailure, TaskProgress, TaskState } from '../task.ts';

/** Records were written here: what they may cost was judged then. */
const OWN_RECORDS: Limits = resolveLimits(LARGEST_LIMITS);

/** The first record of a task: that it was submitted, and all that was asked for. */
export function encodeOrigin(task: Task): Uint8Array {
  const { tenant, owner, id, request, metadata, createdAt } = task;
  return writeJson({
    at: createdAt,
    type: 'status',
    state: 'submitted',
    origin: { tenant, owner, id, payload: request.payload, metadata },
  });
}

/** The task before its first event, from its first record. */
export function decodeOrigin(record: Uint8Array): Task {
  const { at, origin } = objectIn(record);
  const { tenant, owner, id, payload, metadata } = origin as JsonObject;
  return unstartedTask({
    tenant: tenant as string,
    owner: owner as string,
    id: id as string,
    request: parseTaskRequest(payload!),
    metadata: metadata as JsonObject,
    createdAt: at as number,
  });
}

export function encodeEvent(change: TaskChange, at: number): Uint8Array {
  if (change.type === 'artifact') {
    return writeJson({ at, type: 'artifact', artifact: writeArtifact(change.artifact) });
  }
  return writeJson({ at, ...(change as unknown as JsonObject) });
}

export function decodeEvent({ position, value }: LogRecord): TaskEvent {
  const record = objectIn(value);
  const placed = { generation: position + 1, at: record['at'] as number };
  switch (record['type']) {
    case 'progress':
      return {
        type: 'progress',
        progress: plain(record['progress']) as unknown as TaskProgress,
        ...placed,
      };
    case 'artifact':
      return {
        type: 'artifact',
        artifact: readArtifact(record['artifact'] as JsonObject),
        ...placed,
      };
    case 'delegation':
      return { type: 'delegation', child: readChild(record['child'] as JsonObject), ...placed };
    case 'reply':
      return { type: 'reply', reply: record['reply']!, ...deadlineOf(record), ...placed };
    default:
      return { ...statusIn(record), ...placed };
  }
}

function statusIn(record: JsonObject): Extract<TaskChange, { type: 'status' }> {
  const { state, failure, question, attempt, keep, open } = record;
  return {
    type: 'status',
    state: state as TaskState,
    ...(failure !== undefined && { failure: plain(failure) as unknown as TaskFailure }),
    ...(question !== undefined && { question }),
    ...(attempt !== undefined && { attempt: attempt as number }),
    ...(keep !== undefined && { keep: keep as readonly number[] }),
    ...(open !== undefined && { open: open as readonly number[] }),
    ...deadlineOf(record),
  };
}

function deadlineOf({ deadline }: JsonObject): { readonly deadline?: number } {
  return deadline === undefined ? {} : { deadline: deadline as number };
}

function writeArtifact({ name, mediaType, content, append, isLast }: TaskArtifact): JsonObject {
  return {
    name,
    mediaType,
    ...(typeof content === 'string' ? { text: content } : { data: encodeBase64url(content) }),
    append,
    ...(isLast === true && { isLast }),
  };
}

function readArtifact({ name, mediaType, text, data, append, isLast }: JsonObject): TaskArtifact {
  return {
    name: name as string,
    mediaType: mediaType as string,
    content: typeof text === 'string' ? text : decodeBase64url(data as string)!,
    append: append as boolean,
    ...(isLast === true && { isLast }),
  };
}

function readChild({ agentId, id, status, deadline, children, isCut }: JsonObject): TaskChild {
  return {
    agentId: agentId as string,
    id: id as string,
    status: status as string,
    ...(deadline !== undefined && { deadline: deadline as number }),
    ...(children !== undefined && {
      children: (children as JsonArray).map((child) => readChild(child as JsonObject)),
    }),
    ...(isCut === true && { isCut }),
  };
}

/** Reads what was written here. */
export function objectIn(record: Uint8Array): JsonObject {
  return readJson(record, OWN_RECORDS) as JsonObject;
}

/** What authors and tests read is an ordinary object. */
function plain(value: JsonValue | undefined): JsonObject {
  return { ...(value as JsonObject) };
}
