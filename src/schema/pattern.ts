// Owns the public face of `pattern`: an ECMA-262 source compiled for a linear-time engine. SPEC.md section 5.2 (#patterns).

import { RE2Set } from 're2js';
import type { TranslatedPattern } from './pattern-translate.ts';
import { translatePattern } from './pattern-translate.ts';

/** States the engine may remember for one pattern. When they are full it forgets them, or goes on without. */
const STATE_BYTES = 65_536;
/** A state has a table with a place for each class of characters: with more of them too few states fit. */
const MAX_CLASSES = 128;

/** A compiled pattern. One search costs at most the text's length times `threads`. */
export interface LinearPattern {
  /** Instructions of the compiled program. */
  readonly size: number;
  /** The most of them that a search stands at between two characters. */
  readonly threads: number;
  /** Memory that searching may come to hold. */
  readonly stateBytes: number;
  /** True when the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/**
 * Compiles the source of a JSON Schema `pattern`. Throws `SCHEMA_UNSUPPORTED` for what is not ECMA-262 or not linear.
 * `pay` learns what is to be compiled before it is.
 */
export function compilePattern(
  source: string,
  pay?: (translated: TranslatedPattern) => void,
): LinearPattern {
  const translated = translatePattern(source);
  pay?.(translated);
  // A set of one: unlike a single `RE2JS` it takes a memory limit, and has no one-pass analysis, which is cubic.
  const engine = new RE2Set(RE2Set.UNANCHORED, 0, STATE_BYTES);
  engine.add(translated.text);
  engine.compile();
  const hasStates = engine.dfa.numClasses <= MAX_CLASSES;
  // Without this, every search would fill the memory, throw it away and start again without states.
  if (!hasStates) engine.dfa.failed = true;
  const size = engine.prog.numInst();
  return {
    size,
    threads: Math.min(size, translated.threads),
    stateBytes: hasStates ? STATE_BYTES : 0,
    test: (text) => engine.match(text).length > 0,
  };
}
