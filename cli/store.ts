// Owns the command `store`: what the daemon keeps, as a whole: its version, its soundness, copies of it.

import type { CommandGroup } from './command.ts';
import { storeCheckCommand } from './store-check.ts';
import { storeExportCommand } from './store-export.ts';
import { storeImportCommand } from './store-import.ts';
import { storeMigrateCommand } from './store-migrate.ts';

export const storeCommand: CommandGroup = {
  name: 'store',
  summary: 'what the daemon keeps: upgrade, check and copy it',
  commands: [storeMigrateCommand, storeCheckCommand, storeExportCommand, storeImportCommand],
};
