// Owns the answer to `task.v1`: progress and output as events, the state reached as the `res`.
// SPEC.md section 8 (#exchange, #task-answer).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer, ContentHandler, RequestContext, TaskFacts } from '../../content.ts';
import type { CallContext } from '../../door/call.ts';
import { walkOf } from '../../door/covered.ts';
import type { StartTask, TaskService } from '../../door/service.ts';
import type { TellSent } from '../../door/witness.ts';
import { SdlError } from '../../errors.ts';
import { INITIAL_STATE, makeState } from '../../state/document.ts';
import type { SetTimer } from '../../tasks/engine/timer.ts';
import { setTimer } from '../../tasks/engine/timer.ts';
import type { TaskStep } from '../../tasks/event.ts';
import type { StartedTask } from '../../tasks/request.ts';
import type { Task } from '../../tasks/task.ts';
import { isResting } from '../../tasks/task.ts';
import { wholeDocument } from './document.ts';
import { readTask, taskIdOf } from './request.ts';
import { TaskUpdates } from './updates.ts';

export interface TaskHandlerOptions {
  readonly tasks: TaskService;
  /** @default nobody needs to know */
  readonly sent?: TellSent;
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
    resume: (payload, context) => eventsAgain(payload, context, options),
  };
}

async function* answer(
  payload: JsonValue,
  context: RequestContext,
  options: TaskHandlerOptions,
): AsyncGenerator<Answer, undefined> {
  const { tasks, sent = nothing } = options;
  const { call, signal, takesParts, wantsStream } = context;
  const { start, timeBudgetMs } = readTask(payload, context);
  const { task: begun } = await startTask(tasks, call, start);
  // Nothing answers an event.
  if (context.request.type === 'evt') return undefined;
  const patience = startPatience(timeBudgetMs, signal, options.setTimer ?? setTimer);
  let updates: TaskUpdates | undefined;
  let last: TaskStep | undefined;
  try {
    for await (const step of stepsOf(tasks, walkOf(call, patience.signal), begun.id)) {
      if (updates === undefined) {
        updates = new TaskUpdates(step.task, takesParts);
        continue;
      }
      const answerTo = updates.tell(step);
      const { generation, status } = step.task;
      // An earlier rest does not end the answer: only a rest that still lasts, or one that comes now, does.
      if (isResting(status.state) && generation >= begun.generation) {
        last = step;
        break;
      }
      const isSeen = generation <= (context.afterGeneration ?? 0);
      if (wantsStream && !isSeen) {
        sent(call, step);
        yield answerTo();
      }
    }
    // It may have been removed before its events were read, or was answered without being kept.
    const isBehind = updates === undefined || updates.task.generation < begun.generation;
    const task = isBehind ? begun : updates!.task;
    // Who took the events has been told all but the last of them.
    if (isBehind || !wantsStream) sent(call, { task });
    else if (last !== undefined) sent(call, last);
    if (isBehind) yield lastAnswer(task, wholeDocument(task, { takesParts }));
    else yield lastAnswer(task, updates!.document);
    return undefined;
  } finally {
    patience.end();
  }
}

/** Repeats the events of an earlier request, then sends the new ones until its answer is given. Starts no task. */
async function* eventsAgain(
  payload: JsonValue,
  context: RequestContext,
  { tasks, sent = nothing }: TaskHandlerOptions,
): AsyncGenerator<Answer, undefined> {
  const { call, signal, afterGeneration = 0, takesParts } = context;
  const id = taskIdOf(payload, context);
  if (id === undefined) return undefined;
  let updates: TaskUpdates | undefined;
  let held: (() => Answer) | undefined;
  for await (const step of stepsOf(tasks, walkOf(call, signal), id)) {
    if (updates === undefined) {
      updates = new TaskUpdates(step.task, takesParts);
      continue;
    }
    if (held !== undefined) yield held();
    held = undefined;
    const answerTo = updates.tell(step);
    const { generation, status } = step.task;
    if (generation <= afterGeneration) continue;
    // The answer itself reports the last rest, so this event is sent only if another one follows.
    const tell = (): Answer => {
      sent(call, step);
      return answerTo();
    };
    if (isResting(status.state)) held = tell;
    else yield tell();
  }
  return undefined;
}

const nothing: TellSent = () => undefined;

async function startTask(
  tasks: TaskService,
  call: CallContext,
  start: StartTask,
): Promise<StartedTask> {
  try {
    return await tasks.start(call, start);
  } catch (thrown) {
    if (!(thrown instanceof SdlError) || thrown.code !== 'TASK_CONFLICT') throw thrown;
    const details = { ...thrown.details, path: '/context/task/id' };
    throw new SdlError('TASK_CONFLICT', thrown.reason, { details, cause: thrown });
  }
}

/** From the first event on, because each patch starts from what came before. None of a task that is not there. */
async function* stepsOf(
  tasks: TaskService,
  call: CallContext,
  id: string,
): AsyncGenerator<TaskStep, undefined> {
  try {
    yield* tasks.follow(call, id, 0);
  } catch (thrown) {
    if (!(thrown instanceof SdlError) || thrown.code !== 'TASK_UNKNOWN') throw thrown;
  }
  return undefined;
}

/** Whole, so that a peer that saw no event understands it. */
function lastAnswer(task: Task, document: JsonObject): Answer {
  const { id, generation, status } = task;
  const { state, failure } = status;
  const facts: TaskFacts = { id, state, ...(failure !== undefined && { failure }) };
  const payload = { ...makeState(INITIAL_STATE, document) };
  return { ct: 'state.v1', payload, generation, task: facts };
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
