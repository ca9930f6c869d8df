// Owns a task as its requester sees it: the state that it is in after each message that tells of it.
// SPEC.md sections 8 and 9 (#task-answer, #state-task).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import type { ArtifactItem } from '../handlers/artifact/read.ts';
import { readItems } from '../handlers/artifact/read.ts';
import { contentHash } from '../schema/content-hash.ts';
import { INITIAL_STATE, applyState } from '../state/document.ts';
import type { StateDocument } from '../state/document.ts';
import type { Received } from './exchange.ts';

/** A task of another agent, as that agent told it. */
export interface RemoteTask {
  /** Such as `working` or `completed`; v1 peers say `accepted`. */
  readonly status: string;
  /** It is completed, failed, canceled or rejected. */
  readonly hasEnded: boolean;
  /** `undefined` from v1 peers, which have no ids. */
  readonly id?: string;
  readonly generation?: number;
  readonly goal?: string;
  readonly progress?: { readonly message: string; readonly fraction?: number };
  /** What it waits to be told, and since which generation. */
  readonly question?: { readonly content: JsonValue; readonly generation?: number };
  /** Its output, digests verified. */
  readonly artifacts: readonly ArtifactItem[];
  /** Why it failed. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** All that is known of it. */
  readonly document: JsonObject;
}

/** The task after one message. Its `artifacts` are what this message brought; in an answer all output. */
export interface TaskUpdate extends RemoteTask {
  /** It is the answer of an exchange, and no event. */
  readonly isAnswer: boolean;
  /** The message itself. */
  readonly received: Received;
}

/** Iterate it for every update, or wait for the answer alone; it is sent once, by the first. */
export interface TaskExchange extends AsyncIterable<TaskUpdate> {
  /** The last update. A failed task is no exception: look at `status`. */
  result(): Promise<TaskUpdate>;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** All of a task, in the message that ends an exchange. */
export type DocumentOf = (answer: Received) => JsonValue;

/** Of an answer to `task.v1`: it starts from the empty document, whatever events came before it. */
export const documentInState: DocumentOf = ({ ct, payload }) =>
  ct === 'state.v1' ? applyState(INITIAL_STATE, payload).value : INITIAL_STATE.value;

/** Puts messages about one task together, event by event. */
export class TaskFold {
  readonly #documentOf: DocumentOf;
  #state: StateDocument = INITIAL_STATE;
  #generation = 0;

  constructor(documentOf: DocumentOf) {
    this.#documentOf = documentOf;
  }

  /** How many events of its log were taken in. */
  get generation(): number {
    return this.#generation;
  }

  /** `undefined` for an event that says nothing of the task. */
  take(received: Received): TaskUpdate | undefined {
    const { type, ct, payload } = received;
    if (type === 'res') return this.#takeAnswer(received);
    this.#generation += 1;
    if (ct === 'state.v1') this.#state = applyState(this.#state, payload);
    else if (ct !== 'artifact.v1') return undefined;
    const artifacts = ct === 'artifact.v1' ? itemsOf(payload, 'items') : [];
    const task = taskOf(this.#state.value);
    return {
      ...task,
      // The document does not change with output.
      ...(task.generation !== undefined && { generation: this.#generation }),
      artifacts,
      isAnswer: false,
      received,
    };
  }

  #takeAnswer(received: Received): TaskUpdate {
    const task = taskOf(this.#documentOf(received));
    this.#generation = Math.max(this.#generation, task.generation ?? 0);
    this.#state = withoutOutput(task.document);
    return { ...task, isAnswer: true, received };
  }
}

/** What the next patch starts from: events carry the output by itself. */
function withoutOutput(document: JsonObject): StateDocument {
  const { artifacts: _output, error: _failure, ...value } = document;
  return { value, hash: contentHash(value) };
}

/** The task that a document tells of. */
export function taskOf(value: JsonValue): RemoteTask {
  const document = isJsonObject(value) ? value : {};
  const task = objectIn(document, 'task');
  const status = textIn(document, 'status') ?? 'unknown';
  const id = textIn(task, 'id');
  const goal = textIn(document, 'goal');
  const { generation } = task;
  const progress = progressIn(document);
  const question = questionIn(document);
  const failure = failureIn(document);
  return {
    status,
    hasEnded: ENDED.has(status),
    ...(id !== undefined && { id }),
    ...(typeof generation === 'number' && { generation }),
    ...(goal !== undefined && { goal }),
    ...(progress !== undefined && { progress }),
    ...(question !== undefined && { question }),
    artifacts: itemsOf(document, 'artifacts'),
    ...(failure !== undefined && { failure }),
    document,
  };
}

export function progressIn(document: JsonObject): RemoteTask['progress'] {
  const { message, fraction } = objectIn(document, 'progress');
  if (typeof message !== 'string') return undefined;
  return { message, ...(typeof fraction === 'number' && { fraction }) };
}

export function failureIn(document: JsonObject): RemoteTask['failure'] {
  const error = objectIn(document, 'error');
  const message = textIn(error, 'message');
  return message === undefined ? undefined : { code: textIn(error, 'code') ?? 'FAILED', message };
}

function questionIn({ question }: JsonObject): RemoteTask['question'] {
  if (!isJsonObject(question)) return undefined;
  const { content = null, generation } = question;
  return { content, ...(typeof generation === 'number' && { generation }) };
}

function itemsOf(value: JsonValue, member: string): ArtifactItem[] {
  const items = isJsonObject(value) ? value[member] : undefined;
  return isJsonArray(items) ? readItems(items.filter((item) => isJsonObject(item))) : [];
}

function objectIn(object: JsonObject, member: string): JsonObject {
  const value = object[member];
  return isJsonObject(value) ? value : {};
}

export function textIn(object: JsonObject, member: string): string | undefined {
  const value = object[member];
  return typeof value === 'string' ? value : undefined;
}
