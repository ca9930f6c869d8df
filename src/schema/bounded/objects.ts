// Owns the keywords that look at an object, its names and its members. SPEC.md section 5.2 (#schema-dialect).

import type { JsonObject } from '../../codec/value.ts';
import type { ObjectRules, SchemaNode } from './node.ts';
import type { Run } from './run.ts';
import type { Seen } from './seen.ts';

export function checkObject(
  node: SchemaNode,
  rules: ObjectRules,
  members: JsonObject,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const missing = missingOf(rules.required, members, run);
  if (missing !== undefined) return failMissing(node, 'required', missing, run);
  for (const [name, needed] of rules.dependentRequired) {
    run.work.spend(1);
    if (!Object.hasOwn(members, name)) continue;
    const dependent = missingOf(needed, members, run);
    if (dependent !== undefined) return failMissing(node, 'dependentRequired', dependent, run);
  }
  if (rules.countsMembers && !checkCount(node, rules, run.namesOf(members).length, run)) {
    return false;
  }
  if (rules.readsMembers && !checkMembers(node, rules, members, run, seen)) return false;
  for (const [name, dependent] of rules.dependentSchemas) {
    run.work.spend(1);
    if (Object.hasOwn(members, name) && !run.evaluate(dependent, members, run, seen)) return false;
  }
  return true;
}

/** The first of the names that no member has. */
function missingOf(names: readonly string[], members: JsonObject, run: Run): string | undefined {
  run.work.spend(names.length);
  for (const name of names) {
    if (!Object.hasOwn(members, name)) return name;
  }
  return undefined;
}

/** The place of such a failure is where the member should be. */
function failMissing(node: SchemaNode, keyword: string, name: string, run: Run): false {
  run.fail(node, keyword);
  return run.failUnder(name);
}

function checkCount(node: SchemaNode, rules: ObjectRules, count: number, run: Run): boolean {
  if (count < rules.minProperties) return run.fail(node, 'minProperties');
  return count <= rules.maxProperties || run.fail(node, 'maxProperties');
}

function checkMembers(
  node: SchemaNode,
  rules: ObjectRules,
  members: JsonObject,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const names = run.namesOf(members);
  run.work.spend(names.length);
  for (const name of names) {
    if (rules.propertyNames !== undefined && !fitsName(rules.propertyNames, name, run)) {
      return run.fail(node, 'propertyNames');
    }
    if (!checkMember(rules, members, name, run, seen)) return run.failUnder(name);
  }
  if (rules.additionalProperties !== undefined) seen?.addAll();
  return true;
}

/** The name itself is the value here, and no part of the object: there is no path to it. */
function fitsName(schema: SchemaNode, name: string, run: Run): boolean {
  run.beginTrial();
  const fits = run.evaluate(schema, name, run, undefined);
  run.endTrial();
  return fits;
}

function checkMember(
  rules: ObjectRules,
  members: JsonObject,
  name: string,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const value = members[name]!;
  const declared = rules.properties.get(name);
  let isKnown = declared !== undefined;
  if (declared !== undefined && !run.evaluate(declared, value, run, undefined)) return false;
  for (const { pattern, node } of rules.patternProperties) {
    if (!pattern.test(name, run.work)) continue;
    isKnown = true;
    if (!run.evaluate(node, value, run, undefined)) return false;
  }
  if (isKnown) {
    seen?.add(name, run.work);
    return true;
  }
  return (
    rules.additionalProperties === undefined ||
    run.evaluate(rules.additionalProperties, value, run, undefined)
  );
}

export function checkUnevaluatedProperties(
  rest: SchemaNode,
  members: JsonObject,
  run: Run,
  seen: Seen,
): boolean {
  const names = run.namesOf(members);
  run.work.spend(names.length);
  for (const name of names) {
    if (seen.has(name)) continue;
    if (!run.evaluate(rest, members[name]!, run, undefined)) return run.failUnder(name);
  }
  return true;
}
