// Owns what a pattern costs: the prices follow the engine's worst case, to compile and to search. SPEC.md section 5.2 (#schema-work, #patterns).

import type { LinearPattern } from '../pattern.ts';
import { compilePattern } from '../pattern.ts';
import type { Work } from './work.ts';

const PATTERN_STEPS = 400;
const CHARACTER_STEPS = 64;
const INSTRUCTION_STEPS = 8;
/** A Unicode property stands for hundreds of ranges: to look up, and again in every instruction. */
const PROPERTY_STEPS = 12_000;
const PROPERTY_INSTRUCTION_STEPS = 64;

/** A pattern that spends before it searches. */
export class PricedPattern {
  readonly #pattern: LinearPattern;
  readonly #stepsPerUnit: number;

  constructor(source: string, work: Work) {
    const properties = source.match(/\\p/gi)?.length ?? 0;
    const { length } = source;
    work.spend(PATTERN_STEPS + length * CHARACTER_STEPS + properties * PROPERTY_STEPS);
    const pattern = compilePattern(source);
    const perInstruction = INSTRUCTION_STEPS + properties * PROPERTY_INSTRUCTION_STEPS + length / 8;
    work.spend(Math.ceil(pattern.size * perInstruction));
    this.#pattern = pattern;
    this.#stepsPerUnit = pattern.size / 2;
  }

  /** True when the pattern matches anywhere in the text. */
  test(text: string, work: Work): boolean {
    work.spend(1 + Math.ceil((text.length + 1) * this.#stepsPerUnit));
    return this.#pattern.test(text);
  }
}
