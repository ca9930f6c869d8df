// Owns the command `peers`: whom this home knows.

import type { CommandGroup } from './command.ts';
import { peersAddCommand } from './peers-add.ts';
import { peersRemoveCommand, peersRevokeCommand } from './peers-end.ts';
import { peersRelaxCommand } from './peers-relax.ts';
import { peersListCommand, peersShowCommand } from './peers-show.ts';
import { peersSetCommand } from './peers-set.ts';

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
