// Owns what `send` shows of a task in the end: its output, why it failed, or how to answer and to follow it.

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { ArtifactItem, TaskUpdate } from '../../src/client/index.ts';
import { taskLine } from '../kit/command-line.ts';
import type { CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT } from '../kit/exit.ts';
import { answerText, questionText, textIn } from '../tasks/view.ts';
import type { TaskScreen } from './output.ts';

const FAILED: ReadonlySet<string> = new Set(['failed', 'canceled', 'rejected']);

export interface TaskEnd {
  readonly document: JsonObject;
  readonly artifacts: readonly ArtifactItem[];
  /** The answer, where it is one: a task that was followed has none. */
  readonly received?: TaskUpdate['received'];
  /** Nobody wanted to wait for its end. */
  readonly isDetached?: boolean;
}

export function showTask(end: TaskEnd, screen: TaskScreen, context: CommandContext): ExitCode {
  const { terminal } = context;
  const { document, artifacts } = end;
  const status = textIn(document, 'status') ?? 'unknown';
  const isFailed = FAILED.has(status);
  if (terminal.isJson) terminal.json(resultOf(end, status, isFailed));
  else {
    screen.finish(artifacts);
    tellState(document, status, artifacts.length > 0, context);
  }
  if (isFailed) return EXIT.failed;
  // Peers that speak v1 give a task no id: what they answer is all that they will ever tell.
  const isOver = status === 'completed' || taskId(document) === undefined;
  return isOver || end.isDetached === true ? EXIT.ok : EXIT.notEnded;
}

function taskId({ task }: JsonObject): string | undefined {
  return isJsonObject(task) ? textIn(task, 'id') : undefined;
}

function resultOf(
  { document, artifacts, received }: TaskEnd,
  status: string,
  isFailed: boolean,
): JsonObject {
  const task = isJsonObject(document['task']) ? document['task'] : {};
  const { id, generation, context_id: contextId } = task;
  const { question, error, answer } = document;
  return {
    ok: !isFailed,
    ...(received !== undefined && {
      ct: received.ct,
      proven: received.isProven,
      from: received.envelope.from.agent_id,
      message_id: received.request.id,
    }),
    task: {
      status,
      ...(id !== undefined && { id }),
      ...(generation !== undefined && { generation }),
      ...(contextId !== undefined && { context_id: contextId }),
      artifacts: artifacts.map(({ source }) => source),
      ...(question !== undefined && { question }),
      ...(answer !== undefined && { answer }),
      ...(isJsonObject(error) && {
        error: { code: textIn(error, 'code') ?? 'FAILED', message: textIn(error, 'message') ?? '' },
      }),
    },
  };
}

function tellState(
  document: JsonObject,
  status: string,
  hasOutput: boolean,
  context: CommandContext,
): void {
  const { terminal, words } = context;
  const { error } = document;
  if (isJsonObject(error)) {
    terminal.note(`${terminal.style('red', status)}: ${textIn(error, 'message') ?? ''}`);
    return;
  }
  if (status === 'completed') {
    const answer = answerText(document);
    if (answer !== undefined) terminal.printText(answer);
    else if (!hasOutput) terminal.print('completed');
    return;
  }
  const asked = questionText(document);
  terminal.note(`the task is ${status}${asked === undefined ? '' : `: ${asked}`}`);
  const id = taskId(document);
  if (id === undefined || FAILED.has(status)) return;
  const named = { id, peer: words[0]! };
  if (asked !== undefined) {
    terminal.note(`answer it with:  ${taskLine(context, 'reply', named, 'REPLY')}`);
  }
  terminal.note(`follow it with:  ${taskLine(context, 'watch', named)}`);
}
