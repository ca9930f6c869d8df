// Owns a task as its requester sees it: the state that it is in after each message that tells of it.
// SPEC.md sections 8 and 9 (#task-answer, #state-task).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { contentHash } from '../schema/content-hash.ts';
import { EMPTY_STATE_HASH, INITIAL_STATE, applyState } from '../state/document.ts';
import type { StateDocument } from '../state/document.ts';
import type { Message } from '../tasks/message.ts';
import type { Received } from './exchange.ts';
import type { RemoteArtifact } from './told-artifact.ts';
import { artifactsIn } from './told-artifact.ts';
import type { RemoteQuestion } from './told-message.ts';
import { answerIn, historyIn, questionIn } from './told-message.ts';

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
  /** What it waits to be told. */
  readonly question?: RemoteQuestion;
  /** Its output, digests verified. */
  readonly artifacts: readonly RemoteArtifact[];
  /** Its last words, if it ended with a message for an answer. */
  readonly answer?: Message;
  /** The messages that were asked for, the last one last. */
  readonly history?: readonly Message[];
  /** Why it failed. */
  readonly failure?: {
    readonly code: string;
    readonly message: string;
    /** The same request may succeed later; absent from agents that do not tell. */
    readonly retryable?: boolean;
  };
  /** All that is known of it. */
  readonly document: JsonObject;
}

/** The task after one message. Its `artifacts` are what this message brought. */
export interface TaskUpdate extends RemoteTask {
  /** Its `artifacts` are all output: what was told before and is not among them does not count any more. */
  readonly isWhole: boolean;
  /** It is the answer of an exchange, and no event. */
  readonly isAnswer: boolean;
  /** The message itself; none from agents of dialects without envelopes. */
  readonly received?: Received;
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
  /** Up to which generation events were told. */
  #told = 0;

  constructor(documentOf: DocumentOf) {
    this.#documentOf = documentOf;
  }

  /** How many events of its log were taken in. */
  get generation(): number {
    return this.#generation;
  }

  /** The next event is the first of the task again. Those that were told are taken in, and not told once more. */
  startOver(): void {
    this.#state = INITIAL_STATE;
    this.#generation = 0;
  }

  /** `undefined` for an event that says nothing of the task, or nothing new. */
  take(received: Received): TaskUpdate | undefined {
    const { type, ct, payload } = received;
    if (type === 'res') return this.#takeAnswer(received);
    if (ct !== 'state.v1') this.#generation += 1;
    else this.#takeState(payload);
    if (this.#generation <= this.#told) return undefined;
    this.#told = this.#generation;
    if (ct !== 'state.v1' && ct !== 'artifact.v1') return undefined;
    const task = taskOf(this.#state.value);
    const isWhole = ct === 'state.v1' && Object.hasOwn(task.document, 'artifacts');
    const { items, refs } = ct === 'artifact.v1' && isJsonObject(payload) ? payload : {};
    return {
      ...task,
      // The document does not change with output.
      ...(task.generation !== undefined && { generation: this.#generation }),
      artifacts: isWhole ? task.artifacts : artifactsIn(items, refs),
      isWhole,
      isAnswer: false,
      received,
    };
  }

  #takeState(payload: JsonValue): void {
    const isFromNothing = isJsonObject(payload) && payload['base'] === EMPTY_STATE_HASH;
    this.#state = applyState(isFromNothing ? INITIAL_STATE : this.#state, payload);
    this.#generation = generationIn(this.#state.value) ?? this.#generation + 1;
  }

  #takeAnswer(received: Received): TaskUpdate {
    const task = taskOf(this.#documentOf(received));
    this.#generation = Math.max(this.#generation, task.generation ?? 0);
    this.#told = Math.max(this.#told, this.#generation);
    this.#state = withoutOutput(task.document);
    return { ...task, isWhole: true, isAnswer: true, received };
  }
}

function generationIn(value: JsonValue): number | undefined {
  const { generation } = objectIn(isJsonObject(value) ? value : {}, 'task');
  return typeof generation === 'number' ? generation : undefined;
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
  const answer = answerIn(document);
  const history = historyIn(document);
  return {
    status,
    hasEnded: ENDED.has(status),
    ...(id !== undefined && { id }),
    ...(typeof generation === 'number' && { generation }),
    ...(goal !== undefined && { goal }),
    ...(progress !== undefined && { progress }),
    ...(question !== undefined && { question }),
    artifacts: artifactsIn(document['artifacts']),
    ...(answer !== undefined && { answer }),
    ...(history !== undefined && { history }),
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
  if (message === undefined) return undefined;
  const { retryable } = error;
  return {
    code: textIn(error, 'code') ?? 'FAILED',
    message,
    ...(typeof retryable === 'boolean' && { retryable }),
  };
}

function objectIn(object: JsonObject, member: string): JsonObject {
  const value = object[member];
  return isJsonObject(value) ? value : {};
}

export function textIn(object: JsonObject, member: string): string | undefined {
  const value = object[member];
  return typeof value === 'string' ? value : undefined;
}
