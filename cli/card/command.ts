// Owns the command `card`: agent cards of official A2A, at an address or in a file.

import type { CommandGroup } from '../kit/command.ts';

export const cardCommand: CommandGroup = {
  name: 'card',
  summary: 'agent cards of A2A: show one, verify it, sign it',
  commands: {
    show: async () => (await import('./look.ts')).cardShowCommand,
    verify: async () => (await import('./look.ts')).cardVerifyCommand,
    sign: async () => (await import('./sign.ts')).cardSignCommand,
  },
};
