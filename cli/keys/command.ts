// Owns the command `keys`: the identities of a home and their keys.

import type { CommandGroup } from '../kit/command.ts';
import { keysExportCommand } from './export.ts';
import { keysImportCommand } from './import.ts';
import { keysListCommand } from './list.ts';
import { keysRotateCommand } from './rotate.ts';
import { keysShowCommand } from './show.ts';

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
