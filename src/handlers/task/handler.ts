// Owns the answer to `task.v1`: progress and output as events, the state reached as the `res`.
// SPEC.md section 8 (#exchange, #task-answer).

import type { JsonValue } from '../../codec/value.ts';
import type { Answer, ContentHandler, RequestContext, TaskFacts } from '../../content.ts';
import { sha256 } from '../../crypto/sha256.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import { uuidV8 } from '../../envelope/uuid.ts';
import type { ToolBox } from '../../tasks/context.ts';
import type { TaskEngine } from '../../tasks/engine/engine.ts';
import { parseTaskRequest } from '../../tasks/request.ts';
import { isResting } from '../../tasks/task.ts';
import type { Task } from '../../tasks/task.ts';
import type { SetTimer } from '../../tasks/engine/timer.ts';
import { setTimer } from '../../tasks/engine/timer.ts';
import { answerPayload } from './document.ts';
import { TaskUpdates } from './updates.ts';
import { originMetadata } from './origin.ts';
import { grantMetadata } from './tools.ts';

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
  return {
    ct: 'task.v1',
    handle: (payload, context) => answer(payload, context, options),
    resume: (payload, context) => eventsAgain(payload, context, options.engine),
  };
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
    metadata: { ...grantMetadata(context), ...originMetadata(payload, context) },
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
    const updates = new TaskUpdates(started.task);
    for await (const event of started.events(0, patience.signal)) {
      const answerTo = updates.tell(event);
      // An earlier rest does not end the answer: only a rest that still lasts, or one that comes now, does.
      if (isResting(updates.task.state) && event.generation >= started.task.generation) break;
      const isSeen = event.generation <= (context.afterGeneration ?? 0);
      if (context.wantsStream && !isSeen) yield answerTo();
    }
    // It may have been removed before its events were read.
    const task = updates.task.generation < started.task.generation ? started.task : updates.task;
    yield {
      ct: 'state.v1',
      payload: answerPayload(task),
      generation: task.generation,
      task: factsOf(task),
    };
    return undefined;
  } finally {
    patience.end();
  }
}

/** Repeats the events of an earlier request, then sends the new ones until its answer is given. Starts no task. */
async function* eventsAgain(
  payload: JsonValue,
  context: RequestContext,
  engine: TaskEngine,
): AsyncGenerator<Answer, undefined> {
  const { peer, signal, afterGeneration = 0 } = context;
  const id = parseTaskRequest(payload).id ?? repeatableId(context);
  const task = id === undefined ? undefined : await engine.get(peer.agentId, id);
  if (task === undefined) return undefined;
  const updates = new TaskUpdates(task);
  let held: Answer | undefined;
  for await (const event of engine.events(peer.agentId, task.id, 0, signal)) {
    if (held !== undefined) yield held;
    held = undefined;
    const answerTo = updates.tell(event);
    if (event.generation <= afterGeneration) continue;
    // The answer itself reports the last rest, so this event is sent only if another one follows.
    if (isResting(updates.task.state)) held = answerTo();
    else yield answerTo();
  }
  return undefined;
}

function factsOf({ id, state, failure }: Task): TaskFacts {
  return { id, state, ...(failure !== undefined && { failure }) };
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
  return uuidV8(sha256(encodeUtf8(JSON.stringify(['task', kid, replay.nonce, request.id]))));
}
