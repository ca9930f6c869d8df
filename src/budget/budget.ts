// Owns the budget of one node: every resource of the table with what is used of it, and what was refused. SPEC.md section
// 13 (#budget).

import { DiskRoom } from './disk.ts';
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
  readonly used: Use;
  readonly refusals: Readonly<Record<ShareClass, number>>;
}

/** What is used of a resource that is counted elsewhere. */
type Source = () => Promise<Use> | Use;

export interface Budget {
  /** Asked before anything is done for somebody. */
  readonly disk: DiskRoom;
  /** The one pool of a resource that is counted here. */
  pool(name: ResourceName): Pool;
  /** The same of one that somebody else counts: `read` is asked when somebody looks. */
  meter(name: ResourceName, read?: Source): BudgetMeter;
  /** Of every resource that is in use here, in the order of the table. What a store counts is as it was last looked at. */
  known(): readonly BudgetReading[];
  /** Looks. Rejects where a store does not answer. */
  readings(): Promise<readonly BudgetReading[]>;
}

export function createBudget(bounds: Partial<Record<ResourceName, Bounds>> = {}): Budget {
  const pools = new Map<ResourceName, Pool>();
  const meters = new Map<ResourceName, BudgetMeter>();
  const sources = new Map<ResourceName, Source>();
  const seen = new Map<ResourceName, Use>();
  const disk = new DiskRoom();
  meters.set('disk', disk);
  const known = (): readonly BudgetReading[] =>
    RESOURCE_NAMES.flatMap((resource) => {
      const meter = pools.get(resource) ?? meters.get(resource);
      if (meter === undefined) return [];
      const { unit, bound } = RESOURCES[resource];
      return {
        resource,
        unit,
        bound: bounds[resource]?.bound ?? bound,
        used: { ...(seen.get(resource) ?? meter.used) },
        refusals: { ...meter.refusals },
      };
    });
  return {
    disk,
    known,
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
      const looks = [...sources].map(async ([name, read]) => seen.set(name, await read()));
      await Promise.all(looks);
      return known();
    },
  };
}
