// Owns the command `audit`: the tamper-evident log of what was received and answered, and what others have signed of
// theirs. SPEC.md section 10 (#audit).

import { auditCheckCommand } from './audit-check.ts';
import { auditHeadCommand, auditProveCommand } from './audit-prove.ts';
import { auditReceiptsCommand } from './audit-receipts.ts';
import { auditVerifyCommand } from './audit-verify.ts';
import type { CommandGroup } from './command.ts';

export const auditCommand: CommandGroup = {
  name: 'audit',
  summary: 'what was received and answered, receipts of others, and evidence of both',
  commands: [
    auditVerifyCommand,
    auditProveCommand,
    auditCheckCommand,
    auditReceiptsCommand,
    auditHeadCommand,
  ],
};
