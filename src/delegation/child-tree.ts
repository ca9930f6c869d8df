// Owns what another agent's document says of its task, read with care: it is somebody else's word.
// SPEC.md section 9 (#state-task).

import type { TaskUpdate } from '../client/task-update.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import { plainText } from '../tasks/plain-text.ts';
import type { ChildUpdate, TaskChild } from '../tasks/delegation.ts';

const MAX_NODES = 64;
const MAX_DEPTH = 8;
const MAX_TEXT = 256;
const MAX_STATUS = 64;
/** Of all of one tree: characters of ids and states. */
const MAX_TREE_TEXT = 16_384;
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** Another attempt must not count on it: it has ended without success. */
export function hasFailed(status: string): boolean {
  return hasEnded(status) && status !== 'completed';
}

export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** What is known of the tasks below one. */
export type ToldTree = Pick<TaskChild, 'children' | 'isCut'>;

/** The tasks below it, as far as they can be read and fit. */
export function treeIn(document: JsonObject): ToldTree {
  let room = MAX_NODES;
  let text = MAX_TREE_TEXT;
  const nodeIn = (value: JsonValue, depth: number): TaskChild | undefined => {
    const { agent_id: agentId, id, status, ...below } = isJsonObject(value) ? value : {};
    if (!isShort(agentId, MAX_TEXT) || !isShort(id, MAX_TEXT) || !isShort(status, MAX_STATUS)) {
      return undefined;
    }
    const length = agentId.length + id.length + status.length;
    if (room === 0 || length > text) return undefined;
    room -= 1;
    text -= length;
    return { agentId, id, status, ...treeBelow(below, depth + 1) };
  };
  const treeBelow = ({ children, cut }: JsonObject, depth: number): ToldTree => {
    const told = isJsonArray(children) ? children : [];
    const nodes = depth > MAX_DEPTH ? [] : told.flatMap((node) => nodeIn(node, depth) ?? []);
    return {
      ...(nodes.length > 0 && { children: nodes }),
      ...((cut === true || nodes.length < told.length) && { isCut: true }),
    };
  };
  return treeBelow(document, 1);
}

/** The update as the author of the delegating task sees it. */
export function childUpdate(update: TaskUpdate): ChildUpdate {
  const { progress, failure, id, isAnswer, isWhole, artifacts, question, answer } = update;
  const status = plainText(update.status, MAX_STATUS);
  return {
    status,
    ...(progress !== undefined && { progress }),
    artifacts,
    isWhole,
    ...(failure !== undefined && { failure: { retryable: false, ...failure } }),
    ...(isAnswer && question !== undefined && { question: question.message }),
    ...(answer !== undefined && { answer }),
    // Who knows no ids cannot be asked again: its answer is its last word.
    hasEnded: isAnswer && (hasEnded(status) || id === undefined),
  };
}

function isShort(value: JsonValue | undefined, longest: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longest;
}
