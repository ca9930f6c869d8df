// Owns the command `audit`: the tamper-evident log of what was received and answered. SPEC.md section 10 (#audit).

import { auditCheckCommand } from './audit-check.ts';
import { auditHeadCommand, auditProveCommand } from './audit-prove.ts';
import { auditVerifyCommand } from './audit-verify.ts';
import type { CommandGroup } from './command.ts';

export const auditCommand: CommandGroup = {
  name: 'audit',
  summary: 'the log of what was received and answered, and proofs from it',
  commands: [auditVerifyCommand, auditProveCommand, auditCheckCommand, auditHeadCommand],
};
