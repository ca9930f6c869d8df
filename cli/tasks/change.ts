// Owns the commands `tasks cancel` and `tasks reply`.

import type { JsonValue } from '../../src/codec/index.ts';
import { readJson } from '../../src/codec/index.ts';
import { ToolCallError } from '../../src/client/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import type { TaskName, TaskPeer } from './client.ts';
import { EXAMPLE_ID, OWNER_OPTION, TASK_OPTIONS, TASK_PARAMETER, withTask } from './client.ts';

const ENDED = 'TASK_ENDED';

export const tasksCancelCommand: Action = {
  name: 'cancel',
  summary: 'end a task, and those that other agents do for it',
  parameters: [TASK_PARAMETER],
  options: { owner: OWNER_OPTION, ...TASK_OPTIONS },
  notes: ['The exit code is 1 when the task had ended before.'],
  examples: [`a2a-sdl tasks cancel ${EXAMPLE_ID}`],
  async run(context) {
    const { terminal } = context;
    const { id, status } = await withTask(context, async ({ agent, how }, name) => {
      const { id: whole, ...whose } = name;
      const ended = await agent.tasks.cancel(whole, { ...how, ...whose });
      return { id: whole, status: ended.status };
    });
    const isCanceled = status === 'canceled';
    terminal.result({ ok: isCanceled, status }, () => {
      if (isCanceled) terminal.print(`${id} is canceled`);
      else terminal.note(`${id} had ended before: it is ${status}`);
    });
    return isCanceled ? EXIT.ok : EXIT.failed;
  },
};

export const tasksReplyCommand: Action = {
  name: 'reply',
  summary: 'answer the question of a task that waits',
  parameters: [
    TASK_PARAMETER,
    { name: 'REPLY', isOptional: true, description: 'the answer, as text' },
  ],
  options: {
    value: { type: 'string', value: 'JSON', description: 'the answer as JSON, instead of REPLY' },
    owner: OWNER_OPTION,
    ...TASK_OPTIONS,
  },
  examples: [
    `a2a-sdl tasks reply ${EXAMPLE_ID} blue`,
    `a2a-sdl tasks reply ${EXAMPLE_ID} --value '{"n":2}'`,
  ],
  async run(context) {
    const { terminal } = context;
    const reply = replyOf(context);
    const { id, status } = await withTask(context, async (peer, name) => ({
      id: name.id,
      status: (await answer(peer, name, reply)).status,
    }));
    terminal.result({ ok: true, status }, () => terminal.print(`${id} is ${status}`));
    return EXIT.ok;
  },
};

/** Says how the task has ended, when it has. */
async function answer(
  { agent, how }: TaskPeer,
  { id, ...whose }: TaskName,
  reply: JsonValue,
): Promise<{ readonly status: string }> {
  try {
    return await agent.tasks.reply(id, reply, { ...how, ...whose });
  } catch (thrown) {
    if (!(thrown instanceof ToolCallError) || thrown.code !== ENDED) throw thrown;
    const { status } = await agent.tasks.get(id, { ...how, ...whose });
    throw failure(`the task has ended: it is ${status}`, {
      code: ENDED,
      next: 'it waits for no answer; "a2a-sdl tasks retry" starts it again, as a new one',
      cause: thrown,
    });
  }
}

function replyOf({ words, options }: CommandContext): JsonValue {
  const [, text] = words;
  const json = options.text('value');
  if ((text === undefined) === (json === undefined)) {
    throw usageError('what is the answer?', 'give a REPLY, or --value JSON');
  }
  if (json === undefined) return text!;
  try {
    return readJson(new TextEncoder().encode(json));
  } catch {
    throw usageError('--value is not JSON', 'text goes without --value');
  }
}
