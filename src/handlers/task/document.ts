// Owns a task as it travels: the document that its owner follows by patches, the whole that ends an exchange, output.
// SPEC.md sections 8 and 9 (#task-answer, #state-task).

import type { JsonObject, JsonValue, MutableJsonObject } from '../../codec/value.ts';
import { writeJson } from '../../codec/json/write.ts';
import { newJsonObject } from '../../codec/value.ts';
import { contentHash } from '../../schema/content-hash.ts';
import type { StateDocument } from '../../state/document.ts';
import { INITIAL_STATE, makeState } from '../../state/document.ts';
import { plainText } from '../../tasks/plain-text.ts';
import type { TaskArtifact } from '../../tasks/artifact.ts';
import { isWaiting } from '../../tasks/task.ts';
import type { TaskChild } from '../../tasks/delegation.ts';
import type { Task } from '../../tasks/task.ts';
import { bytesItem, textItem } from '../artifact/build.ts';

/** A very long goal is cut in an answer: the owner knows it, and the output needs the room. */
const MAX_GOAL_LENGTH = 8_192;
/** For all parts of a task together: what other agents report about their own parts must leave room for the output. */
const MAX_TREE_BYTES = 65_536;
/** What a part takes in the tree beside itself. */
const PART_WEIGHT = 32;

/** Without output, which travels by events of its own. */
export function progressDocument(task: Task): StateDocument {
  const value = documentOf(task);
  return { value, hash: contentHash(value) };
}

/** The `state.v1` payload between two documents. */
export function statePayload(from: StateDocument, to: JsonValue): JsonObject {
  const { base, patch } = makeState(from, to);
  return objectOf({ base, patch });
}

/** The `state.v1` payload of an answer: whole, so that a peer that saw no event understands it. */
export function answerPayload(task: Task): JsonObject {
  return statePayload(INITIAL_STATE, wholeDocument(task));
}

/** All that the owner may know of the task. */
export function wholeDocument(task: Task): JsonObject {
  const document = documentOf(task);
  document['artifacts'] = task.artifacts.map(artifactItem);
  const { failure } = task;
  if (failure !== undefined) {
    document['error'] = objectOf({ code: failure.code, message: failure.message });
  }
  return document;
}

/** The `artifact.v1` payload of one piece of output; its digest is that of the piece. */
export function artifactPayload(artifact: TaskArtifact): JsonObject {
  const item = artifactItem(artifact);
  return objectOf({ items: [{ ...item, ...(artifact.append && { append: true }) }], refs: [] });
}

function artifactItem({ content, name, mediaType, isLast }: TaskArtifact): JsonObject {
  const options = { name, mediaType };
  const item =
    typeof content === 'string' ? textItem(content, options) : bytesItem(content, options);
  return isLast === true ? { ...item, last: true } : item;
}

function documentOf(task: Task): MutableJsonObject {
  const { state, request, id, generation, progress, history, children } = task;
  const document = objectOf({
    status: state,
    goal: plainText(request.goal, MAX_GOAL_LENGTH),
    task: objectOf({ id, generation }),
  });
  if (progress !== undefined) {
    const { message, fraction } = progress;
    document['progress'] = objectOf({ message, ...(fraction !== undefined && { fraction }) });
  }
  if (children.length > 0) document['children'] = treeDocument(children);
  const asked = isWaiting(state) ? history.at(-1) : undefined;
  if (asked !== undefined) {
    document['question'] = objectOf({ content: asked.content, generation: asked.generation });
  }
  return document;
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
