// Owns who may still make the agent write when little disk is free: strangers are the first who may not, the operator the
// last. SPEC.md section 13 (#budget).

import { SdlError } from '../errors.ts';
import { BudgetMeter } from './meter.ts';
import type { ShareClass } from './share.ts';

const MIB = 1_048_576;

/** Free bytes below which a class is refused. */
export const DISK_NEEDED: Readonly<Record<ShareClass, number>> = {
  operator: 64 * MIB,
  known: 256 * MIB,
  stranger: 1_024 * MIB,
};

export class DiskRoom extends BudgetMeter {
  #free = Infinity;

  /** As somebody who can see the disk has found it. */
  found(freeBytes: number): void {
    this.#free = freeBytes;
  }

  /** Throws UNAVAILABLE. */
  check(share: ShareClass): void {
    if (this.#free >= DISK_NEEDED[share]) return;
    this.refused(share);
    throw new SdlError(
      'UNAVAILABLE',
      `only ${Math.floor(this.#free / MIB)} MiB of disk are free, and ${DISK_NEEDED[share] / MIB} are needed to work for this sender: make room on the disk of the store`,
    );
  }
}
