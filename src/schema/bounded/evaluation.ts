// Owns the state of one validation: the budget, the dynamic scope and the place of the failure. SPEC.md section 5.2 (#schema-work).

import type { Path } from '../../codec/pointer.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import { memberNames } from './member-names.ts';
import type { Resource, SchemaNode } from './node.ts';
import type { Seen } from './seen.ts';
import type { Work } from './work.ts';

/** Does the value fit the schema? What was evaluated of it goes to `seen`, where that is asked for. */
export type Evaluate = (
  node: SchemaNode,
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
) => boolean;

export interface NotedFailure {
  readonly node: SchemaNode;
  /** Missing when the schema itself is `false`. */
  readonly keyword: string | undefined;
}

/** Schemas inside schemas during evaluation; a reference to itself ends here. */
const MAX_FRAMES = 512;
/** Objects with so many members have their names listed once. */
const MANY_NAMES = 64;

export class Evaluation {
  readonly work: Work;
  /** Keywords that apply further schemas call this. It is passed in, because evaluation itself calls the keywords. */
  readonly evaluate: Evaluate;
  /** Resources with dynamic anchors that evaluation went through, the outermost first. */
  readonly scope: Resource[] = [];
  failure: NotedFailure | undefined;
  /** The way to the failed value, from the inside out: built only while a failure unwinds. */
  readonly failedPath: Path = [];
  #names: Map<JsonObject, readonly string[]> | undefined;
  #frames = 0;
  #trials = 0;

  constructor(work: Work, evaluate: Evaluate) {
    this.work = work;
    this.evaluate = evaluate;
  }

  enter(): void {
    this.#frames += 1;
    if (this.#frames > MAX_FRAMES) {
      throw new SdlError('SCHEMA_WORK', `the evaluation goes more than ${MAX_FRAMES} schemas deep`);
    }
  }

  leave(): void {
    this.#frames -= 1;
  }

  /** The names of an object's members; going through them is not paid yet. */
  namesOf(members: JsonObject): readonly string[] {
    this.work.spend(1);
    const known = this.#names?.get(members);
    if (known !== undefined) return known;
    const names = memberNames(members, this.work);
    if (names.length >= MANY_NAMES) {
      this.#names ??= new Map();
      this.#names.set(members, names);
    }
    return names;
  }

  /** Between `beginTrial` and its end, a failure does not decide the result, so its place is not noted. */
  beginTrial(): void {
    this.#trials += 1;
  }

  endTrial(): void {
    this.#trials -= 1;
  }

  /** Notes what failed; `undefined` as keyword stands for a schema `false`. */
  fail(node: SchemaNode, keyword: string | undefined): false {
    if (this.#trials === 0) this.failure = { node, keyword };
    return false;
  }

  /** Notes, while a failure unwinds, under which member or index it happened. */
  failUnder(token: string | number): false {
    if (this.#trials === 0) this.failedPath.push(token);
    return false;
  }
}
