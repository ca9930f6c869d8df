// Owns how large a state document may become and how that is measured. SPEC.md section 9 (#state-limits).

import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { LosslessNumber, isJsonArray, lexemeOf } from '../codec/value.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

/** Nesting of arrays and objects in a state document. */
export const MAX_STATE_DEPTH: number = DEFAULT_LIMITS.maxDepth;

/** What a document may weigh: `VALUE_SIZE` and `NAME_SIZE`, and UTF-16 units of strings, member names and numbers. */
export const MAX_STATE_SIZE = 1_048_576;

/** The size in the midst of a patch, where new parts may already stand beside the old ones. */
export const MAX_DRAFT_SIZE: number = 2 * MAX_STATE_SIZE;

/** Each value and each name weighs more than its text: copying and hashing many short ones is what takes time. */
const VALUE_SIZE = 8;
const NAME_SIZE = 32;

/** Costs are in units of about 20 ns, the time to visit an element of an array. */
const CONTAINER_COST = 4;
/** A plain number that is no integer must be written out before its length is known. */
const FRACTION_COST = 8;
export const MEMBER_COST = 32;
export const CONTAINER_COPY_COST = 8;
export const ELEMENT_COPY_COST = 0.25;
export const MEMBER_COPY_COST = 40;

/** What a value weighs, as it is carried from one patch of a document to the next. */
export interface Weight {
  readonly size: number;
  /** What it costs to visit every value once. */
  readonly cost: number;
  /** What it costs to copy every container once. */
  readonly copyCost: number;
}

/** A weight that was just measured. The counts stop soon after a bound is passed. */
export interface Extent extends Weight {
  readonly depth: number;
}

type Tally = { -readonly [Field in keyof Extent]: Extent[Field] };

/** What a place in an array adds to the weight of the value in it. */
export const ELEMENT_WEIGHT: Weight = { size: 0, cost: 0, copyCost: ELEMENT_COPY_COST };

/** What a member's name adds to the weight of its value. */
export function nameWeight(name: string): Weight {
  return { size: NAME_SIZE + name.length, cost: MEMBER_COST, copyCost: MEMBER_COPY_COST };
}

/** Walks the whole value. Each container met on the way is taken out of `owned`. */
export function measure(value: JsonValue, owned?: Set<object>): Extent {
  const tally: Tally = { size: 0, depth: 0, cost: 0, copyCost: 0 };
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
  tally.size += VALUE_SIZE;
  tally.cost += 1;
  if (typeof value === 'string') tally.size += value.length;
  else if (typeof value === 'number') {
    tally.size += lexemeOf(value).length;
    if (!Number.isInteger(value)) tally.cost += FRACTION_COST;
  } else if (value instanceof LosslessNumber) tally.size += value.lexeme.length;
  else if (typeof value === 'object' && value !== null) {
    tally.depth = Math.max(tally.depth, level);
    if (level > MAX_STATE_DEPTH) return;
    owned?.delete(value);
    tally.cost += CONTAINER_COST;
    tally.copyCost += CONTAINER_COPY_COST;
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
    tally.copyCost += container.length * ELEMENT_COPY_COST;
    // By index: an iterator may allocate at each step.
    for (let index = 0; index < container.length && tally.size <= MAX_DRAFT_SIZE; index += 1) {
      visit(container[index]!, level, tally, owned);
    }
    return;
  }
  const names = Object.keys(container);
  tally.cost += names.length * MEMBER_COST;
  tally.copyCost += names.length * MEMBER_COPY_COST;
  for (const name of names) {
    if (tally.size > MAX_DRAFT_SIZE) return;
    tally.size += NAME_SIZE + name.length;
    visit(container[name]!, level, tally, owned);
  }
}
