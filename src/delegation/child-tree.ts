// Owns what another agent's document says of its task, read with care: it is somebody else's word.
// SPEC.md section 9 (#state-task).

import type { TaskUpdate } from '../client/task-exchange.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import { plainText } from '../tasks/plain-text.ts';
import type { ArtifactInput } from '../tasks/task-artifact.ts';
import type { ChildUpdate, TaskChild } from '../tasks/task-delegation.ts';

const MAX_NODES = 64;
const MAX_DEPTH = 8;
const MAX_TEXT = 256;
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);
const decoder = new TextDecoder();

/** Another attempt must not count on it: it has ended without success. */
export function hasFailed(status: string): boolean {
  return hasEnded(status) && status !== 'completed';
}

export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** The tasks below it, as far as they fit. */
export function treeIn(document: JsonObject): readonly TaskChild[] {
  let room = MAX_NODES;
  const read = (value: JsonValue | undefined, depth: number): TaskChild[] => {
    if (!isJsonArray(value) || depth > MAX_DEPTH) return [];
    const nodes: TaskChild[] = [];
    for (const node of value) {
      const { agent_id: agentId, id, status, children } = isJsonObject(node) ? node : {};
      if (!isShort(agentId) || !isShort(id) || !isShort(status) || room === 0) continue;
      room -= 1;
      const below = read(children, depth + 1);
      nodes.push({ agentId, id, status, ...(below.length > 0 && { children: below }) });
    }
    return nodes;
  };
  return read(document['children'], 1);
}

/** What it waits to be told, and the generation of that question. */
export function questionIn(
  document: JsonObject,
): { readonly content: JsonValue; readonly generation: JsonValue } | undefined {
  const { question } = document;
  if (!isJsonObject(question)) return undefined;
  const { content = null, generation = null } = question;
  return { content, generation };
}

/** The update as the author of the delegating task sees it. */
export function childUpdate(update: TaskUpdate): ChildUpdate {
  const { progress, failure, id, isAnswer, document, artifacts } = update;
  const status = plainText(update.status, MAX_TEXT);
  const question = isAnswer ? questionIn(document) : undefined;
  return {
    status,
    ...(progress !== undefined && { progress }),
    artifacts: artifacts.flatMap(artifactInput),
    ...(failure !== undefined && { failure }),
    ...(question !== undefined && { question: question.content }),
    // Who knows no ids cannot be asked again: its answer is its last word.
    hasEnded: isAnswer && (hasEnded(status) || id === undefined),
  };
}

function artifactInput({
  name = 'output',
  mediaType,
  bytes,
  append,
  source,
}: TaskUpdate['artifacts'][number]): ArtifactInput[] {
  if (bytes === undefined) return [];
  const isText = typeof source['text'] === 'string';
  return [
    {
      name,
      ...(mediaType !== undefined && { mediaType }),
      ...(isText ? { text: decoder.decode(bytes) } : { data: bytes }),
      ...(append && isText && { append }),
    },
  ];
}

function isShort(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
}
