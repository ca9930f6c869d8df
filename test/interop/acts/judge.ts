// Owns the judgement of what came back: every comparison counts as a check, the first that does not hold ends the test.
// Matchers that are not known are errors of the runner, never passed over.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';

/** The agent did not do what the test wants. Any other error is one of the runner. */
export class ActsFailure extends Error {
  override readonly name = 'ActsFailure';
}

type Found = JsonValue | undefined;
type Matcher = (found: Found, wanted: JsonValue, path: string, judge: Judge) => boolean;

const TYPES: Readonly<Record<string, (found: Found) => boolean>> = {
  string: (found) => typeof found === 'string',
  number: (found) => typeof found === 'number',
  boolean: (found) => typeof found === 'boolean',
  array: (found) => Array.isArray(found),
  object: (found) => isJsonObject(found),
  null: (found) => found === null,
};

const MATCHERS: Readonly<Record<string, Matcher>> = {
  type: (found, wanted) => typeNamed(wanted)(found),
  exists: (found, wanted) => (found !== undefined) === onlyTrue(wanted),
  absent: (found, wanted) => (found === undefined) === onlyTrue(wanted),
  one_of: (found, wanted, path, judge) =>
    listIn(wanted).some((one) =>
      isJsonObject(one) ? holds(judge, found, one, path) : one === found,
    ),
  any_of: (found, wanted, path, judge) =>
    listIn(wanted).some((one) => holds(judge, found, one, path)),
  all_of: (found, wanted, path, judge) =>
    listIn(wanted).every((one) => holds(judge, found, one, path)),
  contains: ofText((found, wanted) => found.includes(wanted)),
  starts_with: ofText((found, wanted) => found.startsWith(wanted)),
  matches: ofText((found, wanted) => new RegExp(wanted, 'u').test(found)),
  count: ofLength((length, wanted) => length === wanted),
  count_gte: ofLength((length, wanted) => length >= wanted),
  count_lte: ofLength((length, wanted) => length <= wanted),
  // A list is compared place by place, a map with each of them.
  items: (found, wanted, path, judge) => {
    if (!Array.isArray(found)) return false;
    const all = found as readonly JsonValue[];
    if (!Array.isArray(wanted)) {
      return all.every((item, at) => holds(judge, item, wanted, `${path}[${at}]`));
    }
    return (wanted as readonly JsonValue[]).every((one, at) =>
      holds(judge, all[at], one, `${path}[${at}]`),
    );
  },
};

/** What is wanted is looked at first: a mistake in it does not depend on what was found. */
function ofText(compare: (found: string, wanted: string) => boolean): Matcher {
  return (found, wanted) => {
    if (typeof wanted !== 'string') throw new Error(`expected text, not ${text(wanted)}`);
    return typeof found === 'string' && compare(found, wanted);
  };
}

function ofLength(compare: (length: number, wanted: number) => boolean): Matcher {
  return (found, wanted) => {
    if (typeof wanted !== 'number') throw new Error(`expected a number, not ${text(wanted)}`);
    return Array.isArray(found) && compare(found.length, wanted);
  };
}

export class Judge {
  #checks = 0;

  get checks(): number {
    return this.#checks;
  }

  /** @throws ActsFailure */
  check(isHeld: boolean, words: string): void {
    this.#checks += 1;
    if (!isHeld) throw new ActsFailure(words);
  }

  /** What was found is as wanted: a value as it is, matchers, or members, each with its own. */
  match(found: Found, wanted: JsonValue, path: string): void {
    if (!isJsonObject(wanted)) {
      this.check(found === wanted, `${path}: expected ${text(wanted)}, found ${text(found)}`);
      return;
    }
    const names = Object.keys(wanted);
    if (names.length === 0) throw new Error(`${path}: nothing is wanted`);
    const matchers = names.filter((name) => isMatcher(name, wanted[name]!));
    if (matchers.length > 0 && matchers.length < names.length) {
      throw new Error(`${path}: matchers and members are mixed: ${names.join(', ')}`);
    }
    for (const name of names) {
      const one = wanted[name]!;
      if (matchers.length === 0) this.match(memberOf(found, name), one, `${path}.${name}`);
      else {
        const isHeld = MATCHERS[name]!(found, one, path, this);
        this.check(isHeld, `${path}: expected ${name} ${text(one)}, found ${text(found)}`);
      }
    }
  }

  /** At least one of them is as wanted. */
  matchSome(found: readonly JsonValue[], wanted: JsonObject, path: string): void {
    const isHeld = found.some((one) => holds(this, one, wanted, path));
    this.check(isHeld, `${path}: expected one with ${text(wanted)}, found ${text(found)}`);
  }

  /** Counts what was checked on trial. */
  absorb(checks: number): void {
    this.#checks += checks;
  }
}

/** A trial of its own: what fails in it does not end the test. */
function holds(judge: Judge, found: Found, wanted: JsonValue, path: string): boolean {
  const trial = new Judge();
  try {
    trial.match(found, wanted, path);
    return true;
  } catch (thrown) {
    if (thrown instanceof ActsFailure) return false;
    throw thrown;
  } finally {
    judge.absorb(trial.checks);
  }
}

/** `type` is also the name of a member. */
function isMatcher(name: string, wanted: JsonValue): boolean {
  return Object.hasOwn(MATCHERS, name) && (name !== 'type' || typeof wanted === 'string');
}

function memberOf(found: Found, name: string): Found {
  return isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
}

function typeNamed(name: JsonValue): (found: Found) => boolean {
  const type = TYPES[name as string];
  if (type === undefined) throw new Error(`there is no type ${text(name)}`);
  return type;
}

function onlyTrue(wanted: JsonValue): true {
  if (wanted === true) return wanted;
  throw new Error(`expected true, not ${text(wanted)}`);
}

function listIn(wanted: JsonValue): readonly JsonValue[] {
  if (Array.isArray(wanted) && wanted.length > 0) return wanted as readonly JsonValue[];
  throw new Error(`expected a list, not ${text(wanted)}`);
}

function text(value: Found | readonly JsonValue[]): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
