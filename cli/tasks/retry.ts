// Owns the command `tasks retry`: the same task once more, as a new one.

import { randomUUID } from 'node:crypto';

import type { TaskInput } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { taskLine } from '../kit/command-line.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { EXAMPLE_ID, OWNER_OPTION, TASK_OPTIONS, TASK_PARAMETER, withTask } from './client.ts';
import { WAIT_OPTION } from '../client/away.ts';
import { watchTask } from './watch.ts';

export const tasksRetryCommand: Action = {
  name: 'retry',
  summary: 'send the same task again, as a new one',
  parameters: [TASK_PARAMETER],
  options: {
    watch: { type: 'boolean', description: 'follow the new task to its end' },
    wait: WAIT_OPTION,
    owner: OWNER_OPTION,
    ...TASK_OPTIONS,
  },
  notes: ['The new task is yours, no matter who gave the first one. A deadline is not repeated.'],
  examples: [`a2a-sdl tasks retry ${EXAMPLE_ID}`, `a2a-sdl tasks retry ${EXAMPLE_ID} --watch`],
  async run(context) {
    const { options, terminal } = context;
    return withTask(context, async (peer, { id: first, ...whose }) => {
      const { document } = await peer.agent.tasks.get(first, {
        ...peer.how,
        ...whose,
        request: true,
      });
      const { request } = document;
      if (!isJsonObject(request)) {
        throw failure('the agent does not tell what the task was', {
          code: 'REQUEST_UNKNOWN',
          next: 'send it anew with "a2a-sdl send"',
        });
      }
      // Agents of other dialects name their tasks themselves.
      const own = peer.agent.dialect === 'sdl' ? randomUUID() : undefined;
      const payload = again(request, own);
      const given = await peer.agent.task(payload as unknown as TaskInput, peer.how).result();
      const { status, id = own } = given;
      if (id === undefined)
        throw failure('the agent answered without a task: it cannot be followed');
      const isFollowed = options.flag('watch');
      if (!isFollowed || terminal.isJson) {
        terminal.result({ ok: true, task: { id, status } }, () => {
          terminal.print(id);
          terminal.note(`follow it with:  ${taskLine(context, 'watch', { id, peer: peer.name })}`);
        });
      }
      return isFollowed ? watchTask(peer, { id }, context) : EXIT.ok;
    });
  },
};

/** What was asked, without what belongs to the first time; the answer is wanted at once. */
function again(request: JsonObject, id: string | undefined): JsonObject {
  const { constraints, context } = request;
  const named = isJsonObject(context) && isJsonObject(context['task']) ? context['task'] : {};
  const { deadline: _past, ...task } = named;
  return {
    ...request,
    constraints: { ...(isJsonObject(constraints) ? constraints : {}), time_budget_s: 0 },
    context: {
      ...(isJsonObject(context) ? context : {}),
      task: { ...task, ...(id !== undefined && { id }) },
    },
  };
}
