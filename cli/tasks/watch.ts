// Owns the command `tasks watch`: one task, followed to its end.

import type { TaskUpdate } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { AwayNotes, WAIT_OPTION } from '../client/away.ts';
import { eventDocument } from '../send/output.ts';
import { taskLine } from '../kit/command-line.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT } from '../kit/exit.ts';
import { StatusLine } from '../kit/status-line.ts';
import type { TaskName, TaskPeer } from './client.ts';
import { EXAMPLE_ID, OWNER_OPTION, TASK_OPTIONS, TASK_PARAMETER, withTask } from './client.ts';
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
    return withTask(context, (peer, name) => watchTask(peer, name, context));
  },
};

/** Follows the task and shows what happens; the exit code tells how it ended. */
export async function watchTask(
  peer: TaskPeer,
  name: TaskName,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, options } = context;
  const after = options.declares('from') ? (options.integer('from', 0) ?? 0) : 0;
  const line = new StatusLine(terminal, 'result');
  let generation = after;
  const { id, ...whose } = name;
  const task = { ...name, peer: peer.name };
  // Agents of other dialects do not number what happens: they tell the task as it is.
  const from = (): string => (peer.agent.dialect === 'sdl' ? `--from ${generation}` : '');
  const again = (): string => taskLine(context, 'watch', task, from());
  const notes = new AwayNotes({
    context,
    name: peer.name,
    next: () => `when it runs again: ${again()}`,
  });
  // Of one question only: an exchange that follows has a time of its own.
  const { timeoutMs: _short, ...how } = peer.how;
  try {
    for await (const update of peer.agent.tasks.watch(id, {
      ...how,
      ...whose,
      ...notes.options,
      after,
    })) {
      generation = update.generation ?? generation;
      if (update.isAnswer) return showEnd(update.document, context);
      showUpdate(update, line, context);
      if (!terminal.isJson && isQuestion(update) && (await isOpen(update, peer, name))) {
        terminal.note(`answer it with:  ${taskLine(context, 'reply', task, 'REPLY')}`);
      }
    }
  } catch (thrown) {
    if (!how.signal.aborted) throw notes.explain(thrown);
  }
  terminal.note(`the task goes on: ${again()}`);
  return EXIT.interrupted;
}

function showUpdate(update: TaskUpdate, line: StatusLine, { terminal }: CommandContext): void {
  const { generation, status, document, received } = update;
  const items = update.artifacts.flatMap((artifact) => artifact.items);
  if (terminal.isJson) {
    const { event: _evt, ...told } = eventDocument(received, document, items);
    terminal.json({ ...(received !== undefined && { generation: generation ?? 0 }), ...told });
    return;
  }
  // Agents of other dialects do not number what happens.
  const place = generation === undefined && received === undefined ? '' : `${generation ?? 0} `;
  if (isQuestion(update)) {
    line.end();
    terminal.print(`${place}${status}: ${questionText(document) ?? ''}`);
    return;
  }
  const isOutput = received === undefined ? items.length > 0 : received.ct === 'artifact.v1';
  const words = isOutput ? 'output received' : progressText(document);
  line.show(`${place}${status} ${words}`.trimEnd());
}

/** What happens beside an open question is none. */
function isQuestion({ generation, question }: TaskUpdate): boolean {
  return question !== undefined && question.generation === generation;
}

/** Nobody has answered since: what is followed may be long past. */
async function isOpen(
  { generation }: TaskUpdate,
  { agent, how }: TaskPeer,
  { id, ...whose }: TaskName,
): Promise<boolean> {
  try {
    const { question } = await agent.tasks.get(id, { ...how, ...whose });
    return question !== undefined && question.generation === generation;
  } catch {
    // Who follows the task finds out what is wrong, and waits if that helps.
    return true;
  }
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
