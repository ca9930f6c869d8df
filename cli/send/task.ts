// Owns how `send` sends a goal as a task, and what it says of a task that goes on: how to follow it, how to answer it.

import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../src/codec/index.ts';
import type { ExchangeOptions, RemoteAgent, TaskUpdate } from '../../src/client/index.ts';
import { TransportError } from '../../src/transport.ts';
import { taskLine } from '../kit/command-line.ts';
import type { CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { CliError, EXIT, failure } from '../kit/exit.ts';
import { printArtifact, showEvent, warnUnproven } from './output.ts';
import { questionText } from '../tasks/view.ts';

export async function sendTask(
  peer: RemoteAgent,
  { goal, inputs }: { readonly goal: string; readonly inputs: JsonObject | undefined },
  how: ExchangeOptions,
  timeoutS: number,
  context: CommandContext,
): Promise<ExitCode> {
  // A little less than we wait, so that a task that takes longer is told of and not lost.
  const constraints = { time_budget_s: Math.max(1, timeoutS - 1) };
  const id = randomUUID();
  const task = { id, goal, constraints, ...(inputs && { inputs }) };
  let hasBegun = false;
  try {
    for await (const update of peer.task(task, how)) {
      if (update.isAnswer) return showTask(update, context);
      hasBegun ||= update.id !== undefined;
      const { ct, payload } = update.received;
      const words = ct === 'artifact.v1' ? 'output received' : wordsOf(update);
      showEvent(ct, payload, words, context);
    }
  } catch (thrown) {
    if (!(thrown instanceof TransportError)) throw thrown;
    if (thrown.fault !== 'aborted' && thrown.fault !== 'timeout') throw thrown;
    const why =
      thrown.fault === 'aborted' ? 'interrupted' : `there was no answer within ${timeoutS} s`;
    throw stillRunning(why, { id, hasBegun, cause: thrown }, context);
  }
  throw failure('the exchange ended without an answer');
}

/** Nobody waits for the answer any longer, but the agent works on. */
function stillRunning(
  why: string,
  {
    id,
    hasBegun,
    cause,
  }: { readonly id: string; readonly hasBegun: boolean; readonly cause: TransportError },
  context: CommandContext,
): CliError {
  const words = hasBegun ? `the task ${id} goes on` : `if the task ${id} arrived, it goes on`;
  return new CliError(EXIT.notEnded, `${why}; ${words}`, {
    code: cause.code,
    next: taskLine(context, 'watch', { id, peer: context.words[0]! }),
    cause,
  });
}

function wordsOf({ status, progress }: TaskUpdate): string {
  if (progress === undefined) return status;
  const { message, fraction } = progress;
  return fraction === undefined ? message : `${String(Math.round(fraction * 100))} % ${message}`;
}

const FAILED: ReadonlySet<string> = new Set(['failed', 'canceled', 'rejected']);

function showTask(update: TaskUpdate, context: CommandContext): ExitCode {
  const { terminal } = context;
  const { status, id, generation, artifacts, failure: why, received } = update;
  const { question } = update.document;
  const hasFailed = FAILED.has(status);
  const result: JsonObject = {
    ok: !hasFailed,
    ct: received.ct,
    proven: received.isProven,
    from: received.envelope.from.agent_id,
    message_id: received.request.id,
    task: {
      status,
      ...(id !== undefined && { id }),
      ...(generation !== undefined && { generation }),
      artifacts: artifacts.map(({ source }) => source),
      ...(question !== undefined && { question }),
      ...(why !== undefined && { error: { code: why.code, message: why.message } }),
    },
  };
  terminal.result(result, () => {
    warnUnproven(received.isProven, context);
    for (const item of artifacts) printArtifact(item, context);
    if (why !== undefined) terminal.note(`${terminal.style('red', status)}: ${why.message}`);
    else if (status !== 'completed') {
      const asked = questionText(update.document);
      terminal.note(`the task is ${status}${asked === undefined ? '' : `: ${asked}`}`);
      if (id !== undefined && !hasFailed)
        showWhatNext({ id, isAsking: asked !== undefined }, context);
    } else if (artifacts.length === 0) terminal.print('completed');
  });
  if (hasFailed) return EXIT.failed;
  return status === 'completed' ? EXIT.ok : EXIT.notEnded;
}

function showWhatNext(
  { id, isAsking }: { readonly id: string; readonly isAsking: boolean },
  context: CommandContext,
): void {
  const { terminal, words } = context;
  const task = { id, peer: words[0]! };
  if (isAsking) terminal.note(`answer it with:  ${taskLine(context, 'reply', task, 'REPLY')}`);
  terminal.note(`follow it with:  ${taskLine(context, 'watch', task)}`);
}
