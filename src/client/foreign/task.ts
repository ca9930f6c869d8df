// Owns a task of an agent of another dialect as a client shows it: the same document as that of an agent that speaks
// envelopes. SPEC.md sections 8 and 9 (#state-task, #parts).

import type { JsonObject } from '../../codec/value.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import type { Piece } from '../../handlers/task/items.ts';
import { itemsOf, piecePayload, wholePiece } from '../../handlers/task/items.ts';
import { plainValue } from '../../handlers/task/words.ts';
import type { ArtifactPiece } from '../../tasks/artifact.ts';
import type { Message } from '../../tasks/message.ts';
import { writeMessage } from '../../tasks/part-json.ts';
import type { ForeignStep, ForeignTask } from './dialect.ts';
import type { TaskUpdate } from '../task-update.ts';
import { taskOf } from '../task-update.ts';
import { artifactsIn } from '../told-artifact.ts';

const WAITING: ReadonlySet<string> = new Set(['input-required', 'auth-required']);
const FAILED: ReadonlySet<string> = new Set(['failed', 'rejected']);

/** All that is known of it. */
export function foreignDocument(task: ForeignTask): JsonObject {
  const { artifacts, metadata, history } = task;
  return {
    ...progressDocument(task),
    artifacts: artifacts.flatMap((artifact) => itemsOf(wholePiece(artifact), true)),
    ...(history.length > 0 && { history: history.map(writeMessage) }),
    ...(metadata !== undefined && Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Without its output. */
function progressDocument({ id, contextId, status, history }: ForeignTask): JsonObject {
  const { state, message, at } = status;
  const asked = history.find(({ role }) => role === 'user');
  return {
    status: state,
    ...(asked !== undefined && { goal: asked.text }),
    task: {
      ...(id !== undefined && { id }),
      ...(contextId !== undefined && { context_id: contextId }),
      ...(at !== undefined && { updated: formatTimestamp(at) }),
    },
    ...(message !== undefined && wordsOf(state, message)),
    ...failureOf(status),
  };
}

/** What a message with a status is, by the status. */
function wordsOf(state: string, message: Message): JsonObject {
  if (WAITING.has(state)) {
    return { question: { content: plainValue(message), message: writeMessage(message) } };
  }
  if (FAILED.has(state)) return {};
  if (state === 'completed' || state === 'canceled') {
    return { answer: { message: writeMessage(message) } };
  }
  return { progress: { message: message.text } };
}

function failureOf({ state, message, failure }: ForeignTask['status']): JsonObject {
  if (!FAILED.has(state)) return {};
  const { code = 'FAILED', retryable } = failure ?? {};
  const words = failure?.message ?? message?.text ?? '';
  return {
    error: {
      code,
      message: words === '' ? `the agent does not say why it is ${state}` : words,
      ...(retryable !== undefined && { retryable }),
    },
  };
}

/** A task in a list. */
export function foreignSummary(task: ForeignTask): JsonObject {
  const { id, contextId, status } = task;
  const { status: state, goal, progress, error } = progressDocument(task);
  return {
    ...(id !== undefined && { id }),
    ...(state !== undefined && { status: state }),
    ...(goal !== undefined && { goal }),
    ...(contextId !== undefined && { context_id: contextId }),
    ...(progress !== undefined && { progress }),
    ...(error !== undefined && { error }),
    ...(status.at !== undefined && { updated: formatTimestamp(status.at) }),
  };
}

/** @param before the task as it was, for what a piece continues. */
export function foreignUpdate(step: ForeignStep, before: ForeignTask | undefined): TaskUpdate {
  const { task, piece, isWhole = false } = step;
  if (isWhole) return { ...taskOf(foreignDocument(task)), isWhole, isAnswer: false };
  const { items, refs } =
    piece === undefined ? {} : piecePayload(placed(piece, before, task), true);
  return {
    ...taskOf(progressDocument(task)),
    artifacts: artifactsIn(items, refs),
    isWhole,
    isAnswer: false,
  };
}

export function foreignAnswer(task: ForeignTask): TaskUpdate {
  return { ...taskOf(foreignDocument(task)), isWhole: true, isAnswer: true };
}

/** Where the parts stand in the artifact after it. */
function placed(
  { artifact, append, last }: ArtifactPiece,
  before: ForeignTask | undefined,
  after: ForeignTask,
): Piece {
  const known = before?.artifacts.find(({ id }) => id === artifact.id);
  const grown = after.artifacts.find(({ id }) => id === artifact.id);
  if (!append || known === undefined || grown === undefined) {
    return { artifact, firstPart: 0, append: false, last };
  }
  const firstPart = grown.parts.length - artifact.parts.length;
  return { artifact, firstPart, append: firstPart < known.parts.length, last };
}
