// The budget: what callers share, and who may have how much of it. SPEC.md section 13 (#budget).

export type { Budget, BudgetReading } from './budget.ts';
export { createBudget } from './budget.ts';
export { DISK_NEEDED } from './disk.ts';
export type { BudgetMeter, Use } from './meter.ts';
export type { Bounds } from './pool.ts';
export { Pool } from './pool.ts';
export type { Resource, ResourceName } from './resources.ts';
export { RESOURCES } from './resources.ts';
export type { ShareClass } from './share.ts';
export { SHARE_CLASSES, classLimit, strangersLimit } from './share.ts';
