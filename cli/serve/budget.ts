// Owns what the daemon tells of the resources that its callers share. SPEC.md section 13 (#budget).

import type { BudgetReading } from '../../src/transport.ts';
import type { BudgetUse } from '../home/hold.ts';

export function usesOf(readings: readonly BudgetReading[]): BudgetUse[] {
  return readings.map(({ resource, bound, used, refusals }) => ({
    resource,
    used: wholeOf(used),
    bound: Number.isFinite(bound) ? bound : null,
    refused: refusals,
  }));
}

/** Beside the whole the share of strangers may stand once more. */
function wholeOf({ all, operator = 0, known = 0, stranger = 0 }: BudgetReading['used']): number {
  return all ?? operator + known + stranger;
}
