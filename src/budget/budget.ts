// Owns the budget of one node: every resource of the table with what is used of it, and what was refused. SPEC.md section
// 13 (#budget).

import type { Use } from './meter.ts';
import { BudgetMeter } from './meter.ts';
import type { Bounds } from './pool.ts';
import { Pool } from './pool.ts';
import type { Resource, ResourceName } from './resources.ts';
import { RESOURCES, RESOURCE_NAMES } from './resources.ts';
import type { ShareClass } from './share.ts';

/** How a resource stands, for who looks after the agent. */
export interface BudgetReading {
  readonly resource: ResourceName;
  readonly unit: Resource['unit'];
  /** Infinity where nothing bounds it in all. */
  readonly bound: number;
  /** By class where it is known; of what only the whole is known, that stands under `all`. */
  readonly used: Readonly<Partial<Record<ShareClass | 'all', number>>>;
  readonly refusals: Readonly<Record<ShareClass, number>>;
}

/** What is used of a resource that is counted elsewhere; the whole, where classes are not told apart. */
type Source = () => Promise<Use | number> | Use | number;

export interface Budget {
  /** The one pool of a resource that is counted here. */
  pool(name: ResourceName): Pool;
  /** The same of one that somebody else counts: `read` is asked when somebody looks. */
  meter(name: ResourceName, read?: Source): BudgetMeter;
  /** Of every resource that is in use here, in the order of the table. Rejects where a store does not answer. */
  readings(): Promise<readonly BudgetReading[]>;
}

export function createBudget(bounds: Partial<Record<ResourceName, Bounds>> = {}): Budget {
  const pools = new Map<ResourceName, Pool>();
  const meters = new Map<ResourceName, BudgetMeter>();
  const sources = new Map<ResourceName, Source>();
  return {
    pool(name) {
      const pool = pools.get(name) ?? new Pool(RESOURCES[name], bounds[name]);
      pools.set(name, pool);
      return pool;
    },
    meter(name, read) {
      const meter = meters.get(name) ?? new BudgetMeter();
      meters.set(name, meter);
      if (read !== undefined) sources.set(name, read);
      return meter;
    },
    async readings() {
      const names = RESOURCE_NAMES.filter((name) => pools.has(name) || meters.has(name));
      return Promise.all(
        names.map(async (resource): Promise<BudgetReading> => {
          const { refusals, used } = (pools.get(resource) ?? meters.get(resource))!;
          const found = await sources.get(resource)?.();
          return {
            resource,
            unit: RESOURCES[resource].unit,
            bound: bounds[resource]?.bound ?? RESOURCES[resource].bound,
            used: typeof found === 'number' ? { all: found } : (found ?? used),
            refusals: { ...refusals },
          };
        }),
      );
    },
  };
}
