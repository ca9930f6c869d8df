// Owns the budget that a sender's schema runs on: all it can cost is spent here. SPEC.md section 5.2 (#schema-work).

import { SdlError } from '../../errors.ts';

/** Counts steps of some 20 to 100 ns each and throws `SCHEMA_WORK` once there are too many. */
export class Work {
  readonly limit: number;
  spent = 0;

  constructor(limit: number) {
    if (!(limit >= 0)) throw new RangeError('"limit" expected a number that is not negative');
    this.limit = limit;
  }

  spend(steps: number): void {
    this.spent += steps;
    if (this.spent > this.limit) {
      throw new SdlError('SCHEMA_WORK', `the schema takes more than ${this.limit} steps`, {
        details: { limit: this.limit },
      });
    }
  }
}
