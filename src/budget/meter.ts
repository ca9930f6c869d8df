// Owns what is known of a resource that somebody else counts: how often it was refused to each class, and, where it can
// be told, how much of it is in use. SPEC.md section 13 (#budget).

import type { ShareClass } from './share.ts';

/** By class where that is known; `all` where it is not, or beside the share of strangers. */
export type Use = Readonly<Partial<Record<ShareClass | 'all', number>>>;

export class BudgetMeter {
  readonly #refusals = { operator: 0, known: 0, stranger: 0 };

  get refusals(): Readonly<Record<ShareClass, number>> {
    return this.#refusals;
  }

  /** @default it is not known without asking */
  get used(): Use {
    return {};
  }

  refused(share: ShareClass): void {
    this.#refusals[share] += 1;
  }
}
