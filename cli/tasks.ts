// Owns the command `tasks`: what an agent does, did, and waits for.

import type { CommandGroup } from './command.ts';
import { tasksCancelCommand, tasksReplyCommand } from './tasks-change.ts';
import { tasksListCommand } from './tasks-list.ts';
import { tasksRetryCommand } from './tasks-retry.ts';
import { tasksShowCommand } from './tasks-show.ts';
import { tasksWatchCommand } from './tasks-watch.ts';

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
