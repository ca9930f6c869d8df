// Owns the document while a patch changes it: a container is copied before its first change, and growth
// and work are bounded at each step. SPEC.md section 9 (#state, #state-limits).

import type { JsonObject, JsonValue, MutableJsonObject } from '../codec/value.ts';
import { isJsonArray, isJsonObject, newJsonObject } from '../codec/value.ts';
import type { SdlError } from '../errors.ts';
import { equalValues } from './equal-values.ts';
import type { Extent } from './extent.ts';
import { MAX_DRAFT_SIZE, MAX_STATE_DEPTH, excessOf, measure } from './extent.ts';
import { parseIndex } from './pointer.ts';

type Container = JsonValue[] | MutableJsonObject;
type Tokens = readonly string[];

/**
 * What one patch may cost, in visits of an array element: values that leave or are copied, and shifts in arrays.
 * That every value of the document leaves once comes on top. Making containers changeable needs no count: each
 * is copied once, and again only after `copy` counted it.
 */
const MAX_WORK = 8_388_608;

/** Elements that an array shifts in the time of one visit. */
const SHIFTS_PER_VISIT = 32;

/** One document being patched. Each method is one operation of RFC 6902. */
export class Draft {
  readonly #refusal: (reason: string) => SdlError;
  /** Containers that this draft made and that stand in one place only: these it may change. */
  readonly #owned = new Set<object>();
  #root: JsonValue;
  #size: number;
  #workLeft: number;

  constructor(document: JsonValue, refusal: (reason: string) => SdlError) {
    const extent = measure(document);
    const excess = excessOf(extent);
    if (excess !== undefined) throw refusal(`the document ${excess}`);
    this.#refusal = refusal;
    this.#root = document;
    this.#size = extent.size;
    this.#workLeft = MAX_WORK + extent.cost;
  }

  finish(): JsonValue {
    const excess = excessOf({ size: this.#size, depth: 0 });
    if (excess !== undefined) throw this.#refusal(`the result ${excess}`);
    return this.#root;
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
    this.#grow(path, extent, -before.size);
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
    if (!equalValues(this.#get(path), value)) {
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
      const growth = before === undefined ? token.length : -this.#measured(before).size;
      return this.#grow(path, extent, growth);
    }
    const index = token === '-' ? parent.length : parseIndex(token);
    if (index === undefined) throw this.#refusal('a token for an array is no index');
    if (index > parent.length) throw this.#refusal('an index is beyond the end of its array');
    this.#charge((parent.length - index) / SHIFTS_PER_VISIT);
    parent.splice(index, 0, value);
    this.#grow(path, extent, 0);
  }

  #take(path: Tokens): { value: JsonValue; extent: Extent } {
    if (path.length === 0) throw this.#refusal('the whole document cannot be taken away');
    const parent = this.#ownParent(path);
    const token = path.at(-1)!;
    const value = this.#child(parent, token);
    const extent = this.#measured(value);
    this.#size -= extent.size;
    if (isElements(parent)) {
      this.#charge((parent.length - Number(token)) / SHIFTS_PER_VISIT);
      parent.splice(Number(token), 1);
    } else {
      this.#size -= token.length;
      delete parent[token];
    }
    return { value, extent };
  }

  #setRoot(value: JsonValue, extent: Extent): void {
    this.#root = value;
    this.#grow([], extent, -this.#size);
  }

  #get(path: Tokens): JsonValue {
    return path.reduce((value, token) => this.#child(value, token), this.#root);
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
    for (const token of path.slice(0, -1)) {
      const child = this.#own(this.#child(parent, token));
      setChild(parent, token, child);
      parent = child;
    }
    return parent;
  }

  #own(value: JsonValue): Container {
    if (!isJsonArray(value) && !isJsonObject(value)) {
      throw this.#refusal('a pointer leads into a value that is neither array nor object');
    }
    if (this.#owned.has(value)) return value as Container;
    const copy = isJsonArray(value) ? value.slice() : copyObject(value);
    this.#owned.add(copy);
    return copy;
  }

  #measured(value: JsonValue, owned?: Set<object>): Extent {
    const extent = measure(value, owned);
    this.#charge(extent.cost);
    return extent;
  }

  #grow(path: Tokens, added: Extent, growth: number): void {
    if (path.length + added.depth > MAX_STATE_DEPTH) {
      throw this.#refusal(`the document would be nested deeper than ${MAX_STATE_DEPTH}`);
    }
    this.#size += added.size + growth;
    if (this.#size > MAX_DRAFT_SIZE) throw this.#refusal('the document would be too large');
  }

  #charge(work: number): void {
    this.#workLeft -= work;
    if (this.#workLeft < 0) throw this.#refusal('the patch asks for too much work');
  }
}

function isElements(container: Container): container is JsonValue[] {
  return Array.isArray(container);
}

function copyObject(members: JsonObject): MutableJsonObject {
  const copy = newJsonObject();
  for (const name of Object.keys(members)) copy[name] = members[name]!;
  return copy;
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
