// Owns the command `tasks`: what an agent does, did, and waits for.

import type { CommandGroup } from '../kit/command.ts';

export const tasksCommand: CommandGroup = {
  name: 'tasks',
  summary: 'the tasks of an agent: list, watch, cancel, answer, retry',
  commands: {
    list: async () => (await import('./list.ts')).tasksListCommand,
    show: async () => (await import('./show.ts')).tasksShowCommand,
    watch: async () => (await import('./watch.ts')).tasksWatchCommand,
    cancel: async () => (await import('./change.ts')).tasksCancelCommand,
    reply: async () => (await import('./change.ts')).tasksReplyCommand,
    retry: async () => (await import('./retry.ts')).tasksRetryCommand,
  },
};
