// Owns the keywords that look at an object, its names and its members. SPEC.md section 5.2 (#schema-dialect).

import type { JsonObject } from '../../codec/value.ts';
import type { ObjectRules, SchemaNode } from './node.ts';
import type { Evaluation } from './evaluation.ts';
import type { Seen } from './seen.ts';

export function checkObject(
  node: SchemaNode,
  rules: ObjectRules,
  members: JsonObject,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const missing = missingOf(rules.required, members, evaluation);
  if (missing !== undefined) return failMissing(node, 'required', missing, evaluation);
  for (const [name, needed] of rules.dependentRequired) {
    evaluation.work.spend(1);
    if (!Object.hasOwn(members, name)) continue;
    const dependent = missingOf(needed, members, evaluation);
    if (dependent !== undefined)
      return failMissing(node, 'dependentRequired', dependent, evaluation);
  }
  if (
    rules.countsMembers &&
    !checkCount(node, rules, evaluation.namesOf(members).length, evaluation)
  ) {
    return false;
  }
  if (rules.readsMembers && !checkMembers(node, rules, members, evaluation, seen)) return false;
  for (const [name, dependent] of rules.dependentSchemas) {
    evaluation.work.spend(1);
    if (Object.hasOwn(members, name) && !evaluation.evaluate(dependent, members, evaluation, seen))
      return false;
  }
  return true;
}

/** The first of the names that no member has. */
function missingOf(
  names: readonly string[],
  members: JsonObject,
  evaluation: Evaluation,
): string | undefined {
  evaluation.work.spend(names.length);
  for (const name of names) {
    if (!Object.hasOwn(members, name)) return name;
  }
  return undefined;
}

/** The place of such a failure is where the member should be. */
function failMissing(
  node: SchemaNode,
  keyword: string,
  name: string,
  evaluation: Evaluation,
): false {
  evaluation.fail(node, keyword);
  return evaluation.failUnder(name);
}

function checkCount(
  node: SchemaNode,
  rules: ObjectRules,
  count: number,
  evaluation: Evaluation,
): boolean {
  if (count < rules.minProperties) return evaluation.fail(node, 'minProperties');
  return count <= rules.maxProperties || evaluation.fail(node, 'maxProperties');
}

function checkMembers(
  node: SchemaNode,
  rules: ObjectRules,
  members: JsonObject,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const names = evaluation.namesOf(members);
  evaluation.work.spend(names.length);
  for (const name of names) {
    if (rules.propertyNames !== undefined && !fitsName(rules.propertyNames, name, evaluation)) {
      return evaluation.fail(node, 'propertyNames');
    }
    if (!checkMember(rules, members, name, evaluation, seen)) return evaluation.failUnder(name);
  }
  if (rules.additionalProperties !== undefined) seen?.addAll();
  return true;
}

/** The name itself is the value here, and no part of the object: there is no path to it. */
function fitsName(schema: SchemaNode, name: string, evaluation: Evaluation): boolean {
  evaluation.beginTrial();
  const fits = evaluation.evaluate(schema, name, evaluation, undefined);
  evaluation.endTrial();
  return fits;
}

function checkMember(
  rules: ObjectRules,
  members: JsonObject,
  name: string,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const value = members[name]!;
  const declared = rules.properties.get(name);
  let isKnown = declared !== undefined;
  if (declared !== undefined && !evaluation.evaluate(declared, value, evaluation, undefined))
    return false;
  for (const { pattern, node } of rules.patternProperties) {
    if (!pattern.test(name, evaluation.work)) continue;
    isKnown = true;
    if (!evaluation.evaluate(node, value, evaluation, undefined)) return false;
  }
  if (isKnown) {
    seen?.add(name, evaluation.work);
    return true;
  }
  return (
    rules.additionalProperties === undefined ||
    evaluation.evaluate(rules.additionalProperties, value, evaluation, undefined)
  );
}

export function checkUnevaluatedProperties(
  rest: SchemaNode,
  members: JsonObject,
  evaluation: Evaluation,
  seen: Seen,
): boolean {
  const names = evaluation.namesOf(members);
  evaluation.work.spend(names.length);
  for (const name of names) {
    if (seen.has(name)) continue;
    if (!evaluation.evaluate(rest, members[name]!, evaluation, undefined))
      return evaluation.failUnder(name);
  }
  return true;
}
