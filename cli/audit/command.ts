// Owns the command `audit`: the tamper-evident log of what was received and answered, and what others have signed of
// theirs. SPEC.md section 10 (#audit).

import type { CommandGroup } from '../kit/command.ts';

export const auditCommand: CommandGroup = {
  name: 'audit',
  summary: 'what was received and answered, receipts of others, and evidence of both',
  commands: {
    verify: async () => (await import('./verify.ts')).auditVerifyCommand,
    prove: async () => (await import('./prove.ts')).auditProveCommand,
    check: async () => (await import('./check.ts')).auditCheckCommand,
    receipts: async () => (await import('./receipts.ts')).auditReceiptsCommand,
    head: async () => (await import('./prove.ts')).auditHeadCommand,
  },
};
