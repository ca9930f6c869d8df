// Owns a task as it travels: the document that its owner follows by patches, the whole that ends an exchange, output.
// SPEC.md sections 8 and 9 (#task-answer, #state-task).

import type { JsonObject, JsonValue, MutableJsonObject } from '../codec/value.ts';
import { newJsonObject } from '../codec/value.ts';
import { contentHash } from '../schema/content-hash.ts';
import type { StateDocument } from '../state/state-document.ts';
import { INITIAL_STATE, makeState } from '../state/state-document.ts';
import { plainText } from '../tasks/plain-text.ts';
import type { TaskArtifact } from '../tasks/task-artifact.ts';
import { isWaiting } from '../tasks/task.ts';
import type { TaskChild } from '../tasks/task-delegation.ts';
import type { Task } from '../tasks/task.ts';
import { bytesItem, textItem } from './artifact-build.ts';

/** The owner knows its goal; what an answer repeats of a very long one must leave room for the output. */
const MAX_GOAL_LENGTH = 8_192;

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
  const { append, isLast } = artifact;
  const marks = { ...(append && { append }), ...(isLast === true && { last: true }) };
  return objectOf({ items: [{ ...item, ...marks }], refs: [] });
}

function artifactItem({ content, name, mediaType }: TaskArtifact): JsonObject {
  const options = { name, mediaType };
  return typeof content === 'string' ? textItem(content, options) : bytesItem(content, options);
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
  if (children.length > 0) document['children'] = children.map(childDocument);
  const asked = isWaiting(state) ? history.at(-1) : undefined;
  if (asked !== undefined) {
    document['question'] = objectOf({ content: asked.content, generation: asked.generation });
  }
  return document;
}

function childDocument({ agentId, id, status, children }: TaskChild): JsonObject {
  return objectOf({
    agent_id: agentId,
    id,
    status,
    ...(children !== undefined && { children: children.map(childDocument) }),
  });
}

function objectOf(members: JsonObject): MutableJsonObject {
  const object = newJsonObject();
  for (const name of Object.keys(members)) object[name] = members[name]!;
  return object;
}
