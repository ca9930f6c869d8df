// Owns the command `tasks watch`: one task, followed to its end.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { taskLine } from '../kit/command-line.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT } from '../kit/exit.ts';
import { StatusLine } from '../kit/status-line.ts';
import type { TaskPeer } from './client.ts';
import {
  EXAMPLE_ID,
  OWNER_OPTION,
  TASK_OPTIONS,
  TASK_PARAMETER,
  taskArgs,
  withTasks,
} from './client.ts';
import type { TaskStep } from './follow.ts';
import { followTask } from './follow.ts';
import { Patience, WAIT_OPTION } from './patience.ts';
import { printOutput, progressText, questionText, textIn } from './view.ts';

export const tasksWatchCommand: Action = {
  name: 'watch',
  summary: 'follow a task to its end',
  parameters: [TASK_PARAMETER],
  options: {
    from: { type: 'string', value: 'N', description: 'begin after this generation (default 0)' },
    wait: WAIT_OPTION,
    owner: OWNER_OPTION,
    ...TASK_OPTIONS,
  },
  notes: [
    'The exit code is 0 when the task completed, 1 when it failed, was canceled or was rejected, 3 when the agent went away and was not back in time, and 130 when you interrupt it. An interrupt leaves the task running, and says how to go on. When the agent stops it is waited for, and the watch goes on where it was.',
  ],
  examples: [
    `a2a-sdl tasks watch ${EXAMPLE_ID}`,
    `a2a-sdl tasks watch ${EXAMPLE_ID} --from 12 --json`,
  ],
  async run(context) {
    return withTasks(context, (peer) => watchTask(peer, taskArgs(context), context));
  },
};

/** Follows the task and shows what happens; the exit code tells how it ended. */
export async function watchTask(
  peer: TaskPeer,
  args: JsonObject & { readonly id: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, options } = context;
  const from = options.declares('from') ? (options.integer('from', 0) ?? 0) : 0;
  const line = new StatusLine(terminal, 'result');
  let generation = 0;
  const task = { id: args.id, peer: peer.name, owner: textIn(args, 'owner') };
  const again = (): string => taskLine(context, 'watch', task, `--from ${generation}`);
  const patience = new Patience({
    context,
    name: peer.name,
    signal: peer.how.signal,
    next: () => `when it runs again: ${again()}`,
  });
  for await (const step of followTask(peer, args, patience)) {
    ({ generation } = step);
    if (step.isEnd) return showEnd(step.document, context);
    if (generation <= from) continue;
    showStep(step, line, context);
    if (!terminal.isJson && isQuestion(step) && (await isOpen(step, peer, args))) {
      terminal.note(`answer it with:  ${taskLine(context, 'reply', task, 'REPLY')}`);
    }
  }
  terminal.note(`the task goes on: ${again()}`);
  return EXIT.interrupted;
}

function showStep(step: TaskStep, line: StatusLine, { terminal }: CommandContext): void {
  const { generation, ct, payload, document } = step;
  if (terminal.isJson) {
    terminal.json({ generation, ct, payload });
    return;
  }
  const status = textIn(document, 'status') ?? '-';
  if (isQuestion(step)) {
    line.end();
    terminal.print(`${generation} ${status}: ${questionText(document) ?? ''}`);
    return;
  }
  const words = ct === 'artifact.v1' ? 'output received' : progressText(document);
  line.show(`${generation} ${status} ${words}`.trimEnd());
}

/** What happens beside an open question is none. */
function isQuestion({ generation, document }: TaskStep): boolean {
  return askedAt(document) === generation;
}

/** Nobody has answered since: what is followed may be long past. */
async function isOpen(
  { generation }: TaskStep,
  peer: TaskPeer,
  args: JsonObject,
): Promise<boolean> {
  try {
    return askedAt(await peer.call('task.get', args)) === generation;
  } catch {
    // Who follows the task finds out what is wrong, and waits if that helps.
    return true;
  }
}

function askedAt({ question }: JsonObject): JsonValue | undefined {
  return isJsonObject(question) ? question['generation'] : undefined;
}

function showEnd(document: JsonObject, { terminal }: CommandContext): ExitCode {
  const status = textIn(document, 'status') ?? 'unknown';
  const isCompleted = status === 'completed';
  const { error } = document;
  terminal.result({ ok: isCompleted, task: document }, () => {
    printOutput(document, terminal);
    const why = isJsonObject(error) ? `: ${textIn(error, 'message') ?? ''}` : '';
    terminal.note(`${terminal.style(isCompleted ? 'green' : 'red', status)}${why}`);
  });
  return isCompleted ? EXIT.ok : EXIT.failed;
}
