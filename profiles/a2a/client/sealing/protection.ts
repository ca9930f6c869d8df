// Owns how what was told so far is protected: by its weakest piece. SPEC.md section 22 (#sealed-verdict).

import type { Protection } from '../../sealed/opened.ts';

/** From the weakest on. */
const PROVEN = ['detached', 'signed', 'sealed'] as const;

export class ToldProtection {
  readonly #proven = new Set<Protection>();
  #isPlain = false;

  /** @param isPlain something came, or is said by the path alone, that is not proven. */
  add(protection: Protection, isPlain: boolean): void {
    if (protection === 'partial' || isPlain) this.#isPlain = true;
    if (protection === 'partial') this.#proven.add('sealed');
    else if (protection !== 'none') this.#proven.add(protection);
  }

  get protection(): Protection {
    const weakest = PROVEN.find((one) => this.#proven.has(one));
    if (weakest === undefined) return 'none';
    return this.#isPlain ? 'partial' : weakest;
  }
}
