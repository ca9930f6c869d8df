// Owns the command `callers`: who may speak to the agent in another dialect than signed envelopes.

import type { CommandGroup } from '../kit/command.ts';

export const callersCommand: CommandGroup = {
  name: 'callers',
  summary: 'who may speak to the agent in other dialects, and what they may do',
  commands: {
    add: async () => (await import('./add.ts')).callersAddCommand,
    list: async () => (await import('./list.ts')).callersListCommand,
    revoke: async () => (await import('./revoke.ts')).callersRevokeCommand,
    hash: async () => (await import('./hash.ts')).callersHashCommand,
  },
};
