// Owns the command `tasks show`.

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { EXAMPLE_ID, OWNER_OPTION, TASK_OPTIONS, TASK_PARAMETER, withTask } from './client.ts';
import { printTask } from './view.ts';

export const tasksShowCommand: Action = {
  name: 'show',
  summary: 'show one task, its output and its parts',
  parameters: [TASK_PARAMETER],
  options: {
    owner: OWNER_OPTION,
    request: { type: 'boolean', description: 'with --json: what was asked, too' },
    ...TASK_OPTIONS,
  },
  examples: [
    `a2a-sdl tasks show ${EXAMPLE_ID}`,
    `a2a-sdl tasks show ${EXAMPLE_ID} --request --json`,
  ],
  async run(context) {
    const { options, terminal } = context;
    const { document } = await withTask(context, ({ agent, how }, { id, ...whose }) =>
      agent.tasks.get(id, { ...how, ...whose, request: options.flag('request') }),
    );
    terminal.result(document, () => printTask(document, terminal));
    return EXIT.ok;
  },
};
