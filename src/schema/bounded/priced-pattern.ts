// Owns what a pattern costs: the prices follow the engine's worst case, to compile and to search. SPEC.md section 5.2 (#schema-work, #patterns).

import type { TranslatedPattern } from '../pattern-translate.ts';
import type { LinearPattern } from '../pattern.ts';
import { compilePattern } from '../pattern.ts';
import type { Work } from './work.ts';

const PATTERN_STEPS = 600;
const SOURCE_STEPS = 64;
const INSTRUCTION_STEPS = 10;
/** The engine visits every range of every instruction. */
const RANGE_STEPS = 0.25;
/** A Unicode property stands for hundreds of ranges that have to be looked up. */
const PROPERTY_STEPS = 12_000;

/** These prices cover the worst case: a search makes its states, finds them too many, and goes on without them. */
const SEARCH_STEPS = 12;
const CHARACTER_STEPS = 6;
const THREAD_STEPS = 0.75;
/** A search looks at the start and at the end too. */
const ENDS = 3;

const INSTRUCTION_BYTES = 192;

/** A pattern that spends before it searches. */
export class PricedPattern {
  /** Memory that it may come to hold. */
  readonly bytes: number;
  readonly #pattern: LinearPattern;
  readonly #stepsPerUnit: number;

  constructor(source: string, work: Work) {
    work.spend(PATTERN_STEPS + source.length * SOURCE_STEPS);
    this.#pattern = compilePattern(source, (translated) => work.spend(compileSteps(translated)));
    const { size, threads, stateBytes } = this.#pattern;
    this.#stepsPerUnit = CHARACTER_STEPS + THREAD_STEPS * threads;
    this.bytes = stateBytes + size * INSTRUCTION_BYTES;
  }

  /** True when the pattern matches anywhere in the text. */
  test(text: string, work: Work): boolean {
    work.spend(SEARCH_STEPS + Math.ceil((text.length + ENDS) * this.#stepsPerUnit));
    return this.#pattern.test(text);
  }
}

function compileSteps({ size, ranges, properties }: TranslatedPattern): number {
  return Math.ceil(size * INSTRUCTION_STEPS + ranges * RANGE_STEPS + properties * PROPERTY_STEPS);
}
