// Owns how `send` sends a task and follows it, through lost connections too, until it has ended, asks, or takes too long.
// SPEC.md sections 8 and 9 (#exchange, #task-ids).

import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { ExchangeOptions, RemoteAgent, TaskInput } from '../../src/client/index.ts';
import { TransportError } from '../../src/transport.ts';
import { AwayNotes } from '../client/away.ts';
import { taskLine } from '../kit/command-line.ts';
import type { CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { CliError, EXIT, failure } from '../kit/exit.ts';
import { completePayload } from './complete-payload.ts';
import { TaskScreen, warnUnproven } from './output.ts';
import { showTask } from './result.ts';

export interface SendTaskOptions {
  readonly how: ExchangeOptions & { readonly signal: AbortSignal };
  /** For all of it. */
  readonly timeoutS: number;
  /** Show what happens on the way. */
  readonly isLive: boolean;
}

/** `draft`: the payload, without what has a usual value. */
export async function sendTask(
  peer: RemoteAgent,
  draft: JsonObject,
  { how, timeoutS, isLive }: SendTaskOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, words } = context;
  const isForeign = peer.dialect !== 'sdl';
  const given = payloadOf(draft, timeoutS, !isForeign);
  const { payload } = given;
  // Agents of other dialects name their tasks themselves.
  let id = given.id;
  const screen = new TaskScreen(terminal, isLive);
  const notes = new AwayNotes({
    context,
    name: words[0]!,
    next: () =>
      id === undefined
        ? 'send it again when it runs; nobody can tell whether it arrived'
        : `when it runs again: ${taskLine(context, 'watch', { id, peer: words[0]! })}`,
    before: () => screen.leave(),
  });
  let hasBegun = false;
  try {
    // Its events are taken also where nobody looks at them: the first one says that the task has arrived.
    const task = peer.task(payload as unknown as TaskInput, { ...how, ...notes.options });
    for await (const update of task) {
      const { document, received, isAnswer } = update;
      const artifacts = update.artifacts.flatMap(({ items }) => items);
      hasBegun ||= update.id !== undefined;
      id ??= update.id;
      if (!isAnswer) {
        screen.show({ ...(received !== undefined && { received }), document, artifacts });
        continue;
      }
      // What no signature covers anywhere is not warned of each time: "peers add" said how the agent is proven.
      if (!terminal.isJson && received !== undefined) warnUnproven(received.isProven, context);
      const end = {
        document,
        artifacts,
        ...(received !== undefined && { received }),
        isDetached: isDetached(payload),
      };
      return showTask(end, screen, context);
    }
  } catch (thrown) {
    screen.leave();
    const why = whyStopped(thrown, timeoutS, hasBegun);
    if (why === undefined) throw notes.explain(thrown);
    if (id === undefined) throw outcomeUnknown(why);
    throw stillRunning(why, { id, hasBegun }, context);
  }
  throw failure('the exchange ended without an answer');
}

/**
 * With the id that it is followed by, where we may give one, and a little less time than we wait, so that a task that
 * takes longer is told of.
 */
function payloadOf(
  draft: JsonObject,
  timeoutS: number,
  isNamed: boolean,
): { readonly id: string | undefined; readonly payload: JsonObject } {
  const { constraints = {}, context = {} } = draft;
  const named = isJsonObject(context) && isJsonObject(context['task']) ? context['task'] : {};
  const own = isNamed ? randomUUID() : undefined;
  const id = typeof named['id'] === 'string' ? named['id'] : own;
  const task = { ...named, ...(id !== undefined && { id }) };
  const budget = { time_budget_s: Math.max(1, timeoutS - 1) };
  const payload = completePayload('task.v1', {
    ...draft,
    constraints: isJsonObject(constraints) ? { ...budget, ...constraints } : constraints,
    context: isJsonObject(context) && Object.keys(task).length > 0 ? { ...context, task } : context,
  });
  return { id, payload: payload as JsonObject };
}

/** It was to be answered at once, whatever becomes of it. */
function isDetached({ constraints }: JsonObject): boolean {
  return isJsonObject(constraints) && constraints['time_budget_s'] === 0;
}

/** The user, the time or the connection has stopped it; the agent has not. */
function whyStopped(thrown: unknown, timeoutS: number, hasBegun: boolean): string | undefined {
  if (!(thrown instanceof TransportError)) return undefined;
  if (thrown.fault === 'aborted') return 'interrupted';
  // An agent that is known to have the task was waited for.
  if (thrown.fault === 'lost' && !hasBegun) return thrown.message;
  return thrown.fault === 'timeout' ? `there was no answer within ${timeoutS} s` : undefined;
}

/** Without an id there is nothing to follow. */
function outcomeUnknown(why: string): CliError {
  return new CliError(EXIT.notEnded, `${why}; whether the agent has the task is not known`, {
    code: 'OUTCOME_UNKNOWN',
    next: 'see "a2a-sdl tasks list --peer", or send it again if it may run twice',
  });
}

/** Nobody waits for the answer any longer, but the agent works on. */
function stillRunning(
  why: string,
  { id, hasBegun }: { readonly id: string; readonly hasBegun: boolean },
  context: CommandContext,
): CliError {
  const words = hasBegun ? `the task ${id} goes on` : `if the task ${id} arrived, it goes on`;
  return new CliError(EXIT.notEnded, `${why}; ${words}`, {
    next: taskLine(context, 'watch', { id, peer: context.words[0]! }),
  });
}
