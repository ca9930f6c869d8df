// Owns the command `credentials`: what this home proves itself with to agents of official A2A.

import type { CommandGroup } from '../kit/command.ts';

export const credentialsCommand: CommandGroup = {
  name: 'credentials',
  summary: 'secrets for agents of A2A, each for one origin',
  commands: {
    add: async () => (await import('./add.ts')).credentialsAddCommand,
    list: async () => (await import('./list.ts')).credentialsListCommand,
    remove: async () => (await import('./remove.ts')).credentialsRemoveCommand,
  },
};
