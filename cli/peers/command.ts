// Owns the command `peers`: whom this home knows.

import type { CommandGroup } from '../kit/command.ts';

export const peersCommand: CommandGroup = {
  name: 'peers',
  summary: 'the agents that this home knows',
  commands: {
    add: async () => (await import('./add.ts')).peersAddCommand,
    list: async () => (await import('./show.ts')).peersListCommand,
    show: async () => (await import('./show.ts')).peersShowCommand,
    set: async () => (await import('./set.ts')).peersSetCommand,
    relax: async () => (await import('./relax.ts')).peersRelaxCommand,
    revoke: async () => (await import('./end.ts')).peersRevokeCommand,
    remove: async () => (await import('./end.ts')).peersRemoveCommand,
  },
};
