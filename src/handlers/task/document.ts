// Owns a task as it travels: the document that its owner follows by patches, and the whole that ends an exchange.
// SPEC.md sections 8 and 9 (#task-answer, #state-task, #parts).

import type { JsonObject, MutableJsonObject } from '../../codec/value.ts';
import { writeJson } from '../../codec/json/write.ts';
import { newJsonObject } from '../../codec/value.ts';
import type { TaskChild } from '../../tasks/delegation.ts';
import { writeMessage } from '../../tasks/part-json.ts';
import { plainText } from '../../tasks/plain-text.ts';
import { isTerminal, isWaiting } from '../../tasks/task.ts';
import type { Task, TaskStatus } from '../../tasks/task.ts';
import { itemsOf, wholePiece } from './items.ts';
import { originOf } from './origin.ts';
import { plainValue } from './words.ts';

/** A very long goal is cut in an answer: the owner knows it, and the output needs the room. */
const MAX_GOAL_LENGTH = 8_192;
/** For all parts of a task together: what other agents report about their own parts must leave room for the output. */
const MAX_TREE_BYTES = 65_536;
/** What a part takes in the tree beside itself. */
const PART_WEIGHT = 32;
/** What the last words of a task are called for who knows only output. */
const ANSWER = 'answer';

/** For whom a document is. */
export interface DocumentForm {
  /** It has announced `parts`. */
  readonly takesParts: boolean;
  /** What the task said last of how far it is. @default what its status says */
  readonly progress?: JsonObject | undefined;
}

/** Without output, which travels by events of its own. */
export function progressDocument(task: Task, form: DocumentForm): JsonObject {
  const { status, id, generation, children } = task;
  const { progress = progressOf(status) } = form;
  const document = objectOf({
    status: status.state,
    goal: plainText(goalOf(task), MAX_GOAL_LENGTH),
    task: objectOf({ id, generation }),
  });
  if (progress !== undefined) document['progress'] = progress;
  if (children.length > 0) document['children'] = treeDocument(children);
  if (isWaiting(status.state)) document['question'] = questionOf(status, form);
  if (form.takesParts && isTerminal(status.state) && status.message !== undefined) {
    document['answer'] = objectOf({ message: writeMessage(status.message) });
  }
  return document;
}

/** With all output so far. */
export function outputDocument(task: Task, form: DocumentForm): JsonObject {
  const { takesParts } = form;
  const artifacts = task.artifacts.flatMap((artifact) => itemsOf(wholePiece(artifact), takesParts));
  return { ...progressDocument(task, form), artifacts: [...artifacts, ...answerItems(task, form)] };
}

/** All that the owner may know of the task. */
export function wholeDocument(task: Task, form: DocumentForm): JsonObject {
  const document = { ...outputDocument(task, form), ...metadataOf(task, form) };
  const { failure } = task.status;
  if (failure === undefined) return document;
  const { code, message, retryable } = failure;
  return {
    ...document,
    error: objectOf({ code, message, ...(form.takesParts && { retryable }) }),
  };
}

/** What is publicly known of it beside its life; nothing of most tasks. */
function metadataOf({ metadata }: Task, { takesParts }: DocumentForm): JsonObject {
  return takesParts && Object.keys(metadata).length > 0 ? { metadata } : {};
}

/** Progress is what the agent says while it works. */
export function progressOf({ state, message, fraction }: TaskStatus): JsonObject | undefined {
  if (state !== 'working' || message === undefined) return undefined;
  return objectOf({ message: message.text, ...(fraction !== undefined && { fraction }) });
}

/** The payload of its `task.v1`; of a task of another dialect what would ask for the same. */
export function requestOf(task: Task): JsonObject {
  const { payload } = originOf(task);
  if (payload !== undefined) return payload;
  const asked = task.history[0]!;
  return { kind: 'task.v1', goal: asked.text, context: { message: writeMessage(asked) } };
}

function goalOf(task: Task): string {
  const goal = originOf(task).payload?.['goal'];
  return typeof goal === 'string' ? goal : (task.history[0]?.text ?? '');
}

function questionOf({ message, asked = 0 }: TaskStatus, { takesParts }: DocumentForm): JsonObject {
  return objectOf({
    content: plainValue(message),
    generation: asked,
    ...(takesParts && message !== undefined && { message: writeMessage(message) }),
  });
}

/** Last words are no output, but who knows only output must not lose them. */
function answerItems({ status, direct }: Task, { takesParts }: DocumentForm): JsonObject[] {
  const { message, state } = status;
  if (takesParts || message === undefined || !isTerminal(state)) return [];
  const artifact = { id: ANSWER, parts: message.parts };
  return itemsOf({ artifact, firstPart: 0, append: false, last: direct === true }, false);
}

/** Lists every part that this agent delegated, then the parts below them, level by level, while there is room. */
function treeDocument(children: readonly TaskChild[]): JsonObject[] {
  let level = children.map((child) => ({ child, told: partDocument(child) }));
  const top = level.map(({ told }) => told);
  let room = top.reduce((left, told) => left - weightOf(told), MAX_TREE_BYTES);
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { child, told } of level) {
      const below: JsonObject[] = [];
      for (const part of child.children ?? []) {
        const document = partDocument(part);
        room -= weightOf(document);
        // Nothing after the first that has no place gets one.
        if (room < 0) break;
        below.push(document);
        next.push({ child: part, told: document });
      }
      if (below.length > 0) told['children'] = below;
      if (below.length < (child.children?.length ?? 0)) told['cut'] = true;
    }
    level = next;
  }
  return top;
}

function partDocument({ agentId, id, status, isCut }: TaskChild): MutableJsonObject {
  return objectOf({ agent_id: agentId, id, status, ...(isCut === true && { cut: true }) });
}

function weightOf(part: JsonObject): number {
  return writeJson(part).length + PART_WEIGHT;
}

function objectOf(members: JsonObject): MutableJsonObject {
  const object = newJsonObject();
  for (const name of Object.keys(members)) object[name] = members[name]!;
  return object;
}
