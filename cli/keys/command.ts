// Owns the command `keys`: the identities of a home and their keys.

import type { CommandGroup } from '../kit/command.ts';

export const keysCommand: CommandGroup = {
  name: 'keys',
  summary: 'the identities of this home and their keys',
  commands: {
    list: async () => (await import('./list.ts')).keysListCommand,
    show: async () => (await import('./show.ts')).keysShowCommand,
    rotate: async () => (await import('./rotate.ts')).keysRotateCommand,
    export: async () => (await import('./export.ts')).keysExportCommand,
    import: async () => (await import('./import.ts')).keysImportCommand,
  },
};
