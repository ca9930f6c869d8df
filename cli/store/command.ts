// Owns the command `store`: what the daemon keeps, as a whole: its version, its soundness, copies of it.

import type { CommandGroup } from '../kit/command.ts';

export const storeCommand: CommandGroup = {
  name: 'store',
  summary: 'what the daemon keeps: upgrade, check and copy it',
  commands: {
    migrate: async () => (await import('./migrate.ts')).storeMigrateCommand,
    check: async () => (await import('./check.ts')).storeCheckCommand,
    'reset-clock': async () => (await import('./reset-clock.ts')).storeResetClockCommand,
    export: async () => (await import('./export.ts')).storeExportCommand,
    import: async () => (await import('./import.ts')).storeImportCommand,
  },
};
