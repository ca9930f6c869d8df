// Owns the command `tasks`: what an agent does, did, and waits for.

import type { CommandGroup } from '../kit/command.ts';
import { tasksCancelCommand, tasksReplyCommand } from './change.ts';
import { tasksListCommand } from './list.ts';
import { tasksRetryCommand } from './retry.ts';
import { tasksShowCommand } from './show.ts';
import { tasksWatchCommand } from './watch.ts';

export const tasksCommand: CommandGroup = {
  name: 'tasks',
  summary: 'the tasks of an agent: list, watch, cancel, answer, retry',
  commands: [
    tasksListCommand,
    tasksShowCommand,
    tasksWatchCommand,
    tasksCancelCommand,
    tasksReplyCommand,
    tasksRetryCommand,
  ],
};
