// Owns how the names of an object are listed, and what that costs. SPEC.md section 5.2 (#schema-work).

import type { JsonObject } from '../../codec/value.ts';
import type { Work } from './work.ts';

/** Engines sort the names of large objects every time they list them. How many there are is known only then. */
export function memberNames(members: JsonObject, work: Work): readonly string[] {
  const names = Object.keys(members);
  work.spend(Math.ceil(names.length * Math.log2(names.length + 2)));
  return names;
}
