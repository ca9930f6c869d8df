// Owns the question whether a caller may use a tool now: calls, lists of tools and tasks all ask it, at each use.
// SPEC.md sections 10 and 13 (#grant, #checks).

import type { Asker } from '../../door/permission.ts';
import { isAllowed } from '../../door/permission.ts';
import type { Rights } from '../../door/rights.ts';

export function mayCall(tool: string, caller: Asker, rights: Rights, nowMs: number): boolean {
  return isAllowed(rights, caller, { tool }, nowMs);
}
