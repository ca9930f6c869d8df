// Owns the counters of what connections cost. SPEC.md section 11 (#net-cost, #transport-admin).

import type { CostKind, CostVerdict } from '../transport.ts';
import { CounterFamily } from './prometheus.ts';
import type { Family } from './prometheus.ts';

export interface CostCounters {
  count(kind: CostKind, verdict: CostVerdict): void;
  readonly families: readonly Family[];
}

export function createCostCounters(): CostCounters {
  const family = new CounterFamily({
    name: 'a2a_sdl_connection_costs_total',
    help: 'What connections were charged for, by kind and what came of it: charged, paused or closed.',
  });
  return {
    count: (kind, verdict) => family.add({ kind, verdict }),
    families: [family],
  };
}
