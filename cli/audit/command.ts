// Owns the command `audit`: the tamper-evident log of what was received and answered, and what others have signed of
// theirs. SPEC.md section 10 (#audit).

import { auditCheckCommand } from './check.ts';
import { auditHeadCommand, auditProveCommand } from './prove.ts';
import { auditReceiptsCommand } from './receipts.ts';
import { auditVerifyCommand } from './verify.ts';
import type { CommandGroup } from '../kit/command.ts';

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
