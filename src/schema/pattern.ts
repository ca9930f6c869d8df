// Owns the public face of `pattern`: an ECMA-262 source compiled for a linear-time engine. SPEC.md section 5.2 (#patterns).

import { RE2Set } from 're2js';
import { translatePattern } from './pattern-translate.ts';

/** States the engine may remember for one pattern. When they are full it forgets them, or goes on without. */
const STATE_BYTES = 65_536;

/** A compiled pattern. One search costs at most the text's length times `size`. */
export interface LinearPattern {
  /** Instructions of the compiled program. */
  readonly size: number;
  /** True when the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/** Compiles the source of a JSON Schema `pattern`. Throws `SCHEMA_UNSUPPORTED` for what is not ECMA-262 or not linear. */
export function compilePattern(source: string): LinearPattern {
  const { text: translated } = translatePattern(source);
  // A set of one: unlike a single `RE2JS` it takes a memory limit, and has no one-pass analysis, which is cubic.
  const engine = new RE2Set(RE2Set.UNANCHORED, 0, STATE_BYTES);
  engine.add(translated);
  engine.compile();
  return {
    size: engine.prog.numInst(),
    test: (text) => engine.match(text).length > 0,
  };
}
