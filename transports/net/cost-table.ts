// Owns what each cost weighs, and what one connection and one address may cost in a second. SPEC.md section 11 (#net-cost).

import type { CostKind } from '../../src/transport.ts';

/** Points. Each stands for about 10 µs of work, or for memory and attention of that worth. */
export const WEIGHTS: Readonly<Record<CostKind, number>> = {
  control: 30,
  junk: 10,
  refusal: 10,
  early: 10,
  signature: 50,
  bytes: 10,
  bundle: 20,
  slow: 10,
};

/** Points in a second. */
export interface CostLimits {
  readonly perConnection: number;
  /** Of all connections of an address that have proven nothing together. */
  readonly perAddress: number;
  /** What is left of an address for connections that have cost nothing yet, on top of `perAddress`. */
  readonly forNewcomers: number;
}

export const COST_LIMITS: CostLimits = {
  perConnection: 1_000,
  perAddress: 10_000,
  forNewcomers: 2_500,
};

/** Who costs so many times its limit within one second is closed without a pause before. */
export const CLOSE_AT_ONCE = 4;
/** Who is over its limit again within this time after a pause is closed. */
export const SECOND_CHANCE_MS = 10_000;
/** For so long an address that somebody has proven to be at is taken for one of those who are known. */
export const PROVEN_FOR_MS = 600_000;
