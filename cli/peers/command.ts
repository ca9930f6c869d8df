// Owns the command `peers`: whom this home knows.

import type { CommandGroup } from '../kit/command.ts';
import { peersAddCommand } from './add.ts';
import { peersRemoveCommand, peersRevokeCommand } from './end.ts';
import { peersRelaxCommand } from './relax.ts';
import { peersListCommand, peersShowCommand } from './show.ts';
import { peersSetCommand } from './set.ts';

export const peersCommand: CommandGroup = {
  name: 'peers',
  summary: 'the agents that this home knows',
  commands: [
    peersAddCommand,
    peersListCommand,
    peersShowCommand,
    peersSetCommand,
    peersRelaxCommand,
    peersRevokeCommand,
    peersRemoveCommand,
  ],
};
