// Owns the document while a patch changes it: a container is copied before its first change, and growth
// and work are bounded at each step. SPEC.md section 9 (#state, #state-limits).

import type { JsonArray, JsonObject, JsonValue, MutableJsonObject } from '../codec/value.ts';
import { isJsonArray, isJsonObject, newJsonObject } from '../codec/value.ts';
import type { SdlError } from '../errors.ts';
import { equalValues } from './equal-values.ts';
import type { Extent, Weight } from './extent.ts';
import {
  CONTAINER_COPY_COST,
  ELEMENT_COPY_COST,
  ELEMENT_WEIGHT,
  MAX_DRAFT_SIZE,
  MAX_STATE_DEPTH,
  MEMBER_COPY_COST,
  excessOf,
  measure,
  nameWeight,
} from './extent.ts';
import { parseIndex } from './pointer.ts';

type Container = JsonValue[] | MutableJsonObject;
type Tokens = readonly string[];

/**
 * What one patch may cost in units of about 20 ns: about as much as reading a plain message of the largest size.
 * That everything in the document is copied once and leaves once comes on top, so that any change can be made.
 */
const MAX_WORK = 524_288;

/** Elements that an array shifts in the time of one unit. */
const SHIFTS_PER_COST = 32;

/** One document being patched. Each method is one operation of RFC 6902. */
export class Draft {
  readonly #refusal: (reason: string) => SdlError;
  /** Containers that this draft made and that stand in one place only: these it may change. */
  readonly #owned = new Set<object>();
  #root: JsonValue;
  #weight: { -readonly [Field in keyof Weight]: Weight[Field] };
  #workLeft: number;

  /** A document whose weight is known has been found to be within its bounds. */
  constructor(
    document: JsonValue,
    known: Weight | undefined,
    refusal: (reason: string) => SdlError,
  ) {
    const { size, cost, copyCost } = known ?? weighed(document, refusal);
    this.#refusal = refusal;
    this.#root = document;
    this.#weight = { size, cost, copyCost };
    this.#workLeft = MAX_WORK + cost + copyCost;
  }

  finish(): { value: JsonValue; weight: Weight } {
    // Each step kept to the depth.
    const excess = excessOf({ size: this.#weight.size, depth: 0 });
    if (excess !== undefined) throw this.#refusal(`the result ${excess}`);
    return { value: this.#root, weight: this.#weight };
  }

  add(path: Tokens, value: JsonValue): void {
    this.#insert(path, value, measure(value));
  }

  remove(path: Tokens): void {
    this.#take(path);
  }

  replace(path: Tokens, value: JsonValue): void {
    const extent = measure(value);
    if (path.length === 0) return this.#setRoot(value, extent);
    const parent = this.#ownParent(path);
    const before = this.#measured(this.#child(parent, path.at(-1)!));
    setChild(parent, path.at(-1)!, value);
    this.#weigh(before, -1);
    this.#grow(path, extent);
  }

  move(from: Tokens, path: Tokens): void {
    if (from.every((token, index) => token === path[index])) {
      this.#get(from);
      if (from.length < path.length) throw this.#refusal('a value cannot move into itself');
      return;
    }
    const { value, extent } = this.#take(from);
    this.#insert(path, value, extent);
  }

  copy(from: Tokens, path: Tokens): void {
    const value = this.#get(from);
    // The value is about to stand in two places, so this also takes all of it out of what is owned.
    const extent = this.#measured(value, this.#owned);
    this.#insert(path, value, extent);
  }

  test(path: Tokens, value: JsonValue): void {
    if (!equalValues(this.#get(path), value, this.#charge)) {
      throw this.#refusal('the document holds another value than the tested one');
    }
  }

  #insert(path: Tokens, value: JsonValue, extent: Extent): void {
    if (path.length === 0) return this.#setRoot(value, extent);
    const parent = this.#ownParent(path);
    const token = path.at(-1)!;
    if (!isElements(parent)) {
      const before = childOf(parent, token);
      parent[token] = value;
      if (before === undefined) this.#weigh(nameWeight(token), 1);
      else this.#weigh(this.#measured(before), -1);
      return this.#grow(path, extent);
    }
    const index = token === '-' ? parent.length : parseIndex(token);
    if (index === undefined)
      throw this.#refusal('a token that points into an array is not an index');
    if (index > parent.length) throw this.#refusal('an index is beyond the end of its array');
    this.#charge((parent.length - index) / SHIFTS_PER_COST);
    parent.splice(index, 0, value);
    this.#weigh(ELEMENT_WEIGHT, 1);
    this.#grow(path, extent);
  }

  #take(path: Tokens): { value: JsonValue; extent: Extent } {
    if (path.length === 0) throw this.#refusal('the whole document cannot be removed');
    const parent = this.#ownParent(path);
    const token = path.at(-1)!;
    const value = this.#child(parent, token);
    const extent = this.#measured(value);
    this.#weigh(extent, -1);
    if (isElements(parent)) {
      this.#charge((parent.length - Number(token)) / SHIFTS_PER_COST);
      parent.splice(Number(token), 1);
      this.#weigh(ELEMENT_WEIGHT, -1);
    } else {
      this.#weigh(nameWeight(token), -1);
      delete parent[token];
    }
    return { value, extent };
  }

  #setRoot(value: JsonValue, extent: Extent): void {
    this.#root = value;
    this.#weight = { size: 0, cost: 0, copyCost: 0 };
    this.#grow([], extent);
  }

  #get(path: Tokens): JsonValue {
    let value = this.#root;
    for (const token of path) value = this.#child(value, token);
    return value;
  }

  #child(parent: JsonValue, token: string): JsonValue {
    const child = childOf(parent, token);
    if (child === undefined) throw this.#refusal('a pointer leads to a value that is not there');
    return child;
  }

  /** The container that holds the last token, with everything above it made changeable. */
  #ownParent(path: Tokens): Container {
    let parent = this.#own(this.#root);
    this.#root = parent;
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const token = path[depth]!;
      const child = this.#child(parent, token);
      const owned = this.#own(child);
      if (owned !== child) setChild(parent, token, owned);
      parent = owned;
    }
    return parent;
  }

  #own(value: JsonValue): Container {
    if (!isJsonArray(value) && !isJsonObject(value)) {
      throw this.#refusal('a pointer leads into a value that is neither array nor object');
    }
    if (this.#owned.has(value)) return value as Container;
    this.#charge(CONTAINER_COPY_COST);
    const copy = isJsonArray(value) ? this.#copyArray(value) : this.#copyObject(value);
    this.#owned.add(copy);
    return copy;
  }

  #copyArray(elements: JsonArray): JsonValue[] {
    this.#charge(elements.length * ELEMENT_COPY_COST);
    return elements.slice();
  }

  #copyObject(members: JsonObject): MutableJsonObject {
    const names = Object.keys(members);
    this.#charge(names.length * MEMBER_COPY_COST);
    const copy = newJsonObject();
    for (const name of names) copy[name] = members[name]!;
    return copy;
  }

  #measured(value: JsonValue, owned?: Set<object>): Extent {
    const extent = measure(value, owned);
    this.#charge(extent.cost);
    return extent;
  }

  #weigh(part: Weight, sign: 1 | -1): void {
    this.#weight.size += sign * part.size;
    this.#weight.cost += sign * part.cost;
    this.#weight.copyCost += sign * part.copyCost;
  }

  #grow(path: Tokens, added: Extent): void {
    if (path.length + added.depth > MAX_STATE_DEPTH) {
      throw this.#refusal(`the document would be nested deeper than ${MAX_STATE_DEPTH}`);
    }
    this.#weigh(added, 1);
    if (this.#weight.size > MAX_DRAFT_SIZE) throw this.#refusal('the document would be too large');
  }

  readonly #charge = (work: number): void => {
    this.#workLeft -= work;
    if (this.#workLeft < 0) throw this.#refusal('the patch asks for too much work');
  };
}

function isElements(container: Container): container is JsonValue[] {
  return Array.isArray(container);
}

function weighed(document: JsonValue, refusal: (reason: string) => SdlError): Weight {
  const extent = measure(document);
  const excess = excessOf(extent);
  if (excess !== undefined) throw refusal(`the document ${excess}`);
  return extent;
}

function childOf(parent: JsonValue, token: string): JsonValue | undefined {
  if (isJsonArray(parent)) {
    const index = parseIndex(token);
    return index === undefined ? undefined : parent[index];
  }
  return isJsonObject(parent) && Object.hasOwn(parent, token) ? parent[token] : undefined;
}

/** Puts a value in the place of a child that is there. */
function setChild(parent: Container, token: string, value: JsonValue): void {
  if (isElements(parent)) parent[Number(token)] = value;
  else parent[token] = value;
}
