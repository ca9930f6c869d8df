// Owns a task as its requester follows it: every message of the exchange as the state that the task is then in.
// SPEC.md sections 8 and 9 (#task-answer, #state-task).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import type { ArtifactItem } from '../handlers/artifact/read.ts';
import { readItems } from '../handlers/artifact/read.ts';
import { INITIAL_STATE, applyState } from '../state/document.ts';
import type { StateDocument } from '../state/document.ts';
import type { Received } from './exchange.ts';

/** The task after one message. */
export interface TaskUpdate {
  /** Such as `working` or `completed`; v1 peers say `accepted`. */
  readonly status: string;
  /** `undefined` from v1 peers, which have no ids. */
  readonly id?: string;
  readonly generation?: number;
  readonly progress?: { readonly message: string; readonly fraction?: number };
  /** What this message brought; in the last one all output, its digests verified. */
  readonly artifacts: readonly ArtifactItem[];
  /** Why it failed. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** All that is known of the task after it. */
  readonly document: JsonObject;
  /** It is the answer: nothing follows. */
  readonly isAnswer: boolean;
  /** The message itself. */
  readonly received: Received;
}

/** Iterate it for every update, or wait for the answer alone; it is sent once, by the first. */
export interface TaskExchange extends AsyncIterable<TaskUpdate> {
  /** The last update. A failed task is no exception: look at `status`. */
  result(): Promise<TaskUpdate>;
}

export async function* taskUpdates(messages: AsyncIterable<Received>): AsyncGenerator<TaskUpdate> {
  let state = INITIAL_STATE;
  for await (const received of messages) {
    const { type, ct, payload } = received;
    if (type === 'res') {
      yield updateOf(documentOf(ct, payload), received, undefined);
      return;
    }
    if (ct === 'artifact.v1') yield updateOf(state.value, received, itemsOf(payload, 'items'));
    else if (ct === 'state.v1') {
      state = applyState(state, payload);
      yield updateOf(state.value, received, []);
    }
  }
}

/** The answer starts from the empty document, whatever events came before it. */
function documentOf(ct: string, payload: JsonValue): JsonValue {
  const state: StateDocument =
    ct === 'state.v1' ? applyState(INITIAL_STATE, payload) : INITIAL_STATE;
  return state.value;
}

function updateOf(
  value: JsonValue,
  received: Received,
  brought: readonly ArtifactItem[] | undefined,
): TaskUpdate {
  const document = isJsonObject(value) ? value : {};
  const task = objectIn(document, 'task');
  const id = textIn(task, 'id');
  const { generation } = task;
  const progress = progressIn(document);
  const failure = objectIn(document, 'error');
  return {
    status: textIn(document, 'status') ?? 'unknown',
    ...(id !== undefined && { id }),
    ...(typeof generation === 'number' && { generation }),
    ...(progress !== undefined && { progress }),
    artifacts: brought ?? itemsOf(document, 'artifacts'),
    ...(textIn(failure, 'message') !== undefined && {
      failure: { code: textIn(failure, 'code') ?? 'FAILED', message: textIn(failure, 'message')! },
    }),
    document,
    isAnswer: received.type === 'res',
    received,
  };
}

function progressIn(document: JsonObject): TaskUpdate['progress'] {
  const { message, fraction } = objectIn(document, 'progress');
  if (typeof message !== 'string') return undefined;
  return { message, ...(typeof fraction === 'number' && { fraction }) };
}

function itemsOf(value: JsonValue, member: string): ArtifactItem[] {
  const items = isJsonObject(value) ? value[member] : undefined;
  return isJsonArray(items) ? readItems(items.filter((item) => isJsonObject(item))) : [];
}

function objectIn(object: JsonObject, member: string): JsonObject {
  const value = object[member];
  return isJsonObject(value) ? value : {};
}

function textIn(object: JsonObject, member: string): string | undefined {
  const value = object[member];
  return typeof value === 'string' ? value : undefined;
}
