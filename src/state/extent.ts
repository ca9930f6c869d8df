// Owns how large a state document may become and how that is measured. SPEC.md section 9 (#state-limits).

import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { LosslessNumber, isJsonArray, lexemeOf } from '../codec/value.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

/** Nesting of arrays and objects in a state document. */
export const MAX_STATE_DEPTH: number = DEFAULT_LIMITS.maxDepth;

/** Values plus UTF-16 units of strings, member names and numbers: four times what one message carries. */
export const MAX_STATE_SIZE = 4_194_304;

/** The size in the midst of a patch, where new parts may already stand beside the old ones. */
export const MAX_DRAFT_SIZE: number = 2 * MAX_STATE_SIZE;

/** What a value weighs. The counts stop soon after a bound is passed. */
export interface Extent {
  readonly size: number;
  readonly depth: number;
  /** What it cost to find out, in visits of an array element. */
  readonly cost: number;
}

interface Tally {
  size: number;
  depth: number;
  cost: number;
}

/** Walks the whole value. Each container met on the way is taken out of `owned`. */
export function measure(value: JsonValue, owned?: Set<object>): Extent {
  const tally: Tally = { size: 0, depth: 0, cost: 0 };
  visit(value, 1, tally, owned);
  return tally;
}

/** Says what is wrong with the extent, if anything is. */
export function excessOf(extent: Pick<Extent, 'size' | 'depth'>): string | undefined {
  if (extent.depth > MAX_STATE_DEPTH) return `is nested deeper than ${MAX_STATE_DEPTH}`;
  if (extent.size > MAX_STATE_SIZE) return `is larger than ${MAX_STATE_SIZE}`;
  return undefined;
}

function visit(value: JsonValue, level: number, tally: Tally, owned?: Set<object>): void {
  tally.size += 1;
  tally.cost += 1;
  if (typeof value === 'string') tally.size += value.length;
  else if (typeof value === 'number') tally.size += lexemeOf(value).length;
  else if (value instanceof LosslessNumber) tally.size += value.lexeme.length;
  else if (typeof value === 'object' && value !== null) {
    tally.depth = Math.max(tally.depth, level);
    if (level > MAX_STATE_DEPTH) return;
    owned?.delete(value);
    visitChildren(value, level + 1, tally, owned);
  }
}

function visitChildren(
  container: JsonArray | JsonObject,
  level: number,
  tally: Tally,
  owned?: Set<object>,
): void {
  if (isJsonArray(container)) {
    for (const element of container) {
      if (tally.size > MAX_DRAFT_SIZE) return;
      visit(element, level, tally, owned);
    }
    return;
  }
  const names = Object.keys(container);
  // Engines sort the names, so a member costs more in a wider object.
  tally.cost += names.length * (32 - Math.clz32(names.length));
  for (const name of names) {
    if (tally.size > MAX_DRAFT_SIZE) return;
    tally.size += name.length;
    visit(container[name]!, level, tally, owned);
  }
}
