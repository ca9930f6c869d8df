// Owns one resource that is counted in the memory of this node: who has how much of it, and who may have more.
// SPEC.md section 13 (#budget).

import { SdlError } from '../errors.ts';
import { BudgetMeter } from './meter.ts';
import type { Resource } from './resources.ts';
import type { ShareClass } from './share.ts';
import { classLimit, strangersLimit } from './share.ts';

/** How much of a resource there is where this program runs. */
export type Bounds = Partial<Pick<Resource, 'bound' | 'perOwner'>>;

export class Pool extends BudgetMeter {
  readonly bound: number;
  readonly #resource: Resource;
  readonly #perOwner: number;
  readonly #few: number;
  readonly #limits: Readonly<Record<ShareClass, number>>;
  readonly #byOwner = new Map<string, number>();
  readonly #used = { operator: 0, known: 0, stranger: 0 };
  #total = 0;

  constructor(resource: Resource, { bound, perOwner }: Bounds = {}) {
    super();
    this.#resource = resource;
    this.bound = bound ?? resource.bound;
    this.#perOwner = perOwner ?? resource.perOwner;
    this.#few = Math.ceil(this.#perOwner / 4);
    this.#limits = {
      operator: this.bound,
      known: this.#limitOf('known'),
      stranger: this.#limitOf('stranger'),
    };
  }

  override get used(): Readonly<Record<ShareClass, number>> {
    return this.#used;
  }

  of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  /** The last quarter of what a class may have is for owners that have little: a few of them cannot shut out the rest. */
  hasRoom(owner: string, share: ShareClass, amount = 1): boolean {
    const limit = this.#limits[share];
    if (this.#total + amount > limit) return false;
    if (
      share === 'stranger' &&
      this.#resource.sharing === 'half' &&
      this.#used.stranger + amount > strangersLimit(this.bound)
    ) {
      return false;
    }
    const own = this.of(owner) + amount;
    return own <= this.#few || own <= (this.#total < (limit * 3) / 4 ? this.#perOwner : this.#few);
  }

  /** Throws LIMIT_RATE, and counts that it did. */
  take(owner: string, share: ShareClass, amount = 1): void {
    if (!this.hasRoom(owner, share, amount)) throw this.refuse(share);
    this.#count(owner, share, amount);
  }

  /** As {@link take}, for who can do without: says whether there was room. */
  tryTake(owner: string, share: ShareClass): boolean {
    const hasRoom = this.hasRoom(owner, share);
    if (hasRoom) this.#count(owner, share, 1);
    else this.refused(share);
    return hasRoom;
  }

  give(owner: string, share: ShareClass, amount = 1): void {
    this.#count(owner, share, -amount);
  }

  refuse(share: ShareClass): SdlError {
    this.refused(share);
    return fullError(this.#resource);
  }

  #limitOf(share: ShareClass): number {
    return this.#resource.sharing === 'none' ? this.bound : classLimit(this.bound, share);
  }

  #count(owner: string, share: ShareClass, change: number): void {
    this.#total += change;
    this.#used[share] += change;
    const left = this.of(owner) + change;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
  }
}

/** For the local log; a peer is told the fixed words of the code. */
function fullError({ what }: Pick<Resource, 'what'>): SdlError {
  return new SdlError(
    'LIMIT_RATE',
    `no room is left for ${what}: for this sender, for senders of its class or for all; try again later`,
  );
}
