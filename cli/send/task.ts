// Owns how `send` sends a task and follows it, through lost connections too, until it has ended, asks, or takes too long.
// SPEC.md sections 8 and 9 (#exchange, #task-ids).

import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { ExchangeOptions, RemoteAgent } from '../../src/client/index.ts';
import { RemoteError, taskUpdates } from '../../src/client/index.ts';
import { TransportError } from '../../src/transport.ts';
import { taskLine } from '../kit/command-line.ts';
import type { CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { CliError, EXIT, failure } from '../kit/exit.ts';
import { completePayload } from './complete-payload.ts';
import { followSentTask } from './follow.ts';
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
  const { terminal, now } = context;
  const { id, payload } = payloadOf(draft, timeoutS);
  const screen = new TaskScreen(terminal, isLive);
  const endsAt = now() + timeoutS * 1_000;
  /** The generation that was shown last; 0 while the task is not known to have arrived. */
  let seen = 0;
  try {
    // The first event says that the task has arrived, also where nobody looks at what happens.
    const exchange = peer.request({ ct: 'task.v1', payload }, { ...how, stream: true });
    for await (const update of taskUpdates(exchange)) {
      const { document, artifacts, received } = update;
      if (update.isAnswer) {
        if (!terminal.isJson) warnUnproven(received.isProven, context);
        return showTask(
          { document, artifacts, received, isDetached: isDetached(payload) },
          screen,
          context,
        );
      }
      if (update.id !== undefined) seen = Math.max(update.generation ?? 0, seen + 1);
      screen.show({ ct: received.ct, payload: received.payload, document, artifacts });
    }
  } catch (thrown) {
    screen.leave();
    const why = whyStopped(thrown, timeoutS);
    if (why !== undefined) throw stillRunning(why, { id, hasBegun: seen > 0 }, context);
    if (seen === 0 || !isAway(thrown)) throw thrown;
    const step = await followSentTask(
      { peer, id, how, seen, thrown, leftMs: Math.max(1, endsAt - now()) },
      screen,
      context,
    );
    if (step !== undefined) return showTask(step, screen, context);
    const reason = how.signal.aborted ? 'interrupted' : timeOver(timeoutS);
    throw stillRunning(reason, { id, hasBegun: true }, context);
  }
  throw failure('the exchange ended without an answer');
}

/** With the id that it is followed by, and a little less time than we wait, so that a task that takes longer is told of. */
function payloadOf(draft: JsonObject, timeoutS: number): { id: string; payload: JsonObject } {
  const { constraints = {}, context = {} } = draft;
  const named = isJsonObject(context) && isJsonObject(context['task']) ? context['task'] : {};
  const id = typeof named['id'] === 'string' ? named['id'] : randomUUID();
  const budget = { time_budget_s: Math.max(1, timeoutS - 1) };
  const payload = completePayload('task.v1', {
    ...draft,
    constraints: isJsonObject(constraints) ? { ...budget, ...constraints } : constraints,
    context: isJsonObject(context) ? { ...context, task: { ...named, id } } : context,
  });
  return { id, payload: payload as JsonObject };
}

/** It was to be answered at once, whatever becomes of it. */
function isDetached({ constraints }: JsonObject): boolean {
  return isJsonObject(constraints) && constraints['time_budget_s'] === 0;
}

/** The user or the time has stopped it; the agent has not. */
function whyStopped(thrown: unknown, timeoutS: number): string | undefined {
  if (!(thrown instanceof TransportError)) return undefined;
  if (thrown.fault === 'aborted') return 'interrupted';
  return thrown.fault === 'timeout' ? timeOver(timeoutS) : undefined;
}

function timeOver(timeoutS: number): string {
  return `there was no answer within ${timeoutS} s`;
}

/** The connection was lost, or the agent stops. */
function isAway(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.isRetryable;
  return thrown instanceof RemoteError && thrown.retryable;
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
