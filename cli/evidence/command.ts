// Owns the command `evidence`: records of tasks in the form of Assay. SPEC.md section 17 (#assay).

import type { CommandGroup } from '../kit/command.ts';

export const evidenceCommand: CommandGroup = {
  name: 'evidence',
  summary: 'records of tasks in the form of Assay: convert packets, look at a run, check it',
  commands: {
    convert: async () => (await import('./convert.ts')).evidenceConvertCommand,
    tail: async () => (await import('./tail.ts')).evidenceTailCommand,
    verify: async () => (await import('./verify.ts')).evidenceVerifyCommand,
  },
};
