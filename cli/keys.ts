// Owns the command `keys`: the identities of a home and their keys.

import type { CommandGroup } from './command.ts';
import { keysExportCommand } from './keys-export.ts';
import { keysImportCommand } from './keys-import.ts';
import { keysListCommand } from './keys-list.ts';
import { keysRotateCommand } from './keys-rotate.ts';
import { keysShowCommand } from './keys-show.ts';

export const keysCommand: CommandGroup = {
  name: 'keys',
  summary: 'the identities of this home and their keys',
  commands: [
    keysListCommand,
    keysShowCommand,
    keysRotateCommand,
    keysExportCommand,
    keysImportCommand,
  ],
};
