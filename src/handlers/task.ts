// Owns the answer to `task.v1`: progress and output as events, the state reached as the `res`.
// SPEC.md section 8 (#exchange, #task-answer).

import type { JsonValue } from '../codec/value.ts';
import type { Answer, ContentHandler, RequestContext } from '../content.ts';
import { sha256, toHex } from '../crypto/sha256.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import { INITIAL_STATE } from '../state/state-document.ts';
import type { TaskArtifact } from '../tasks/task-artifact.ts';
import type { ToolBox } from '../tasks/task-context.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { applyEvent } from '../tasks/task-events.ts';
import { parseTaskRequest } from '../tasks/task-request.ts';
import { isResting, unstartedTask } from '../tasks/task.ts';
import type { Task } from '../tasks/task.ts';
import type { SetTimer } from '../tasks/timer.ts';
import { setTimer } from '../tasks/timer.ts';
import { answerPayload, artifactPayload, progressDocument, statePayload } from './task-document.ts';

export interface TaskHandlerOptions {
  readonly engine: TaskEngine;
  /** The tools that a task may call for this sender. @default none */
  readonly toolsFor?: (context: RequestContext) => ToolBox;
  /** @default real time */
  readonly setTimer?: SetTimer;
}

/**
 * Handles `task.v1`. A task belongs to its sender and runs on when the sender has gone: it can come back and ask.
 * Only canceling, the engine's deadline and the engine's end stop it.
 */
export function createTaskHandler(options: TaskHandlerOptions): ContentHandler {
  return { ct: 'task.v1', handle: (payload, context) => answer(payload, context, options) };
}

async function* answer(
  payload: JsonValue,
  context: RequestContext,
  options: TaskHandlerOptions,
): AsyncGenerator<Answer, undefined> {
  const { engine, toolsFor } = options;
  const request = parseTaskRequest(payload);
  const owner = context.peer.agentId;
  const id = request.id ?? repeatableId(context);
  const started = await engine.start({
    owner,
    request,
    ...(id !== undefined && { id }),
    ...(toolsFor !== undefined && { tools: toolsFor(context) }),
  });
  // Nothing answers an event.
  if (context.request.type === 'evt') return undefined;
  const patience = startPatience(
    request.timeBudgetMs,
    context.signal,
    options.setTimer ?? setTimer,
  );
  try {
    const { id: taskId, createdAt, request: first } = started.task;
    let task = unstartedTask(owner, taskId, first, createdAt);
    const events = new EventAnswers();
    for await (const event of started.events(0, patience.signal)) {
      task = applyEvent(task, event);
      // A rest that came before this request is over, or it is the last thing that happened.
      if (isResting(task.state) && event.generation >= started.task.generation) break;
      if (!context.wantsStream) continue;
      const next =
        event.type === 'artifact' ? events.output(event.artifact, task) : events.state(task);
      // What was seen before is gone through again, because the next patch starts from it.
      if (event.generation > (context.afterGeneration ?? 0)) yield next;
    }
    yield { ct: 'state.v1', payload: answerPayload(task), generation: task.generation };
    return undefined;
  } finally {
    patience.end();
  }
}

/** Events as they travel; each patch starts from the document that the one before it led to. */
class EventAnswers {
  #document = INITIAL_STATE;

  state(task: Task): Answer {
    const from = this.#document;
    this.#document = progressDocument(task);
    const payload = statePayload(from, this.#document.value);
    return { ct: 'state.v1', payload, generation: task.generation, isEvent: true };
  }

  output(artifact: TaskArtifact, { generation }: Task): Answer {
    return { ct: 'artifact.v1', payload: artifactPayload(artifact), generation, isEvent: true };
  }
}

/** Aborts when the answer is due: the time budget is over, or nobody waits any more. */
function startPatience(
  budgetMs: number,
  signal: AbortSignal,
  setBudgetTimer: SetTimer,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const due = new AbortController();
  const finish = (): void => due.abort();
  if (signal.aborted || budgetMs === 0) finish();
  signal.addEventListener('abort', finish);
  const callOff = budgetMs === 0 ? finish : setBudgetTimer(finish, budgetMs);
  return {
    signal: due.signal,
    end: () => {
      callOff();
      signal.removeEventListener('abort', finish);
    },
  };
}

/** The same for every repeat of one signed request, so that a repeat comes back to its own task. */
function repeatableId({ request }: RequestContext): string | undefined {
  const { kid, replay } = request.sec ?? {};
  if (kid === undefined || replay === undefined) return undefined;
  const hex = toHex(sha256(encodeUtf8(JSON.stringify(['task', kid, replay.nonce, request.id]))));
  // A UUID version 8: the form is that of other task ids, the content is ours.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
