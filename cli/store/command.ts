// Owns the command `store`: what the daemon keeps, as a whole: its version, its soundness, copies of it.

import type { CommandGroup } from '../kit/command.ts';
import { storeCheckCommand } from './check.ts';
import { storeExportCommand } from './export.ts';
import { storeImportCommand } from './import.ts';
import { storeMigrateCommand } from './migrate.ts';

export const storeCommand: CommandGroup = {
  name: 'store',
  summary: 'what the daemon keeps: upgrade, check and copy it',
  commands: [storeMigrateCommand, storeCheckCommand, storeExportCommand, storeImportCommand],
};
