// Owns what the other end of a connection is charged for, and how that is said. Who counts it and what comes of it is for
// the transports. SPEC.md section 11 (#net-cost).

/**
 * `control`: a ping or pong. `junk`: what cannot be read as a message. `refusal`: a message or call that was refused before
 * anything was proven. `early`: an answer of a transport before the checks. `signature`: a signature that does not hold,
 * in {@link costUnits} of its bytes for each form that was tried. `bytes`: those of what was refused, each further one of the same units.
 * `bundle`: a key bundle that was not known. `slow`: a message that did not come to its end in time.
 */
export type CostKind =
  'control' | 'junk' | 'refusal' | 'early' | 'signature' | 'bytes' | 'bundle' | 'slow';

/** One connection, or an address without one, that is charged. */
export interface CostAccount {
  /** @param units how often. @default 1 */
  charge(kind: CostKind, units?: number): void;
  /** What admission counts by: the address, or for who has shown on it who it is this connection alone. */
  readonly countedAs: string;
  /** Somebody who is known has shown on it who it is. */
  readonly isProven: boolean;
  /** Somebody who is known has just shown on it who it is: from now on it is charged for itself alone. */
  proven(): void;
}

/** What became of a charge: it was counted, or the connection was paused or closed for it. */
export type CostVerdict = 'charged' | 'paused' | 'closed';

const UNIT_BYTES = 16_384;

/** In what bytes are charged: each begun piece of 16 KiB. */
export function costUnits(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES);
}
