// Owns the keywords that apply further schemas to the same value: references, combinations, conditions. SPEC.md section 5.2 (#schema-dialect).

import type { JsonValue } from '../../codec/value.ts';
import type { DynamicReference, InPlaceRules, SchemaNode } from './node.ts';
import type { Evaluation } from './evaluation.ts';
import { Seen } from './seen.ts';

export function applyInPlace(
  node: SchemaNode,
  rules: InPlaceRules,
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const { ref, dynamicRef, allOf, anyOf, oneOf, not } = rules;
  if (ref !== undefined && !evaluation.evaluate(ref, value, evaluation, seen)) return false;
  if (
    dynamicRef !== undefined &&
    !evaluation.evaluate(dynamicTarget(dynamicRef, evaluation), value, evaluation, seen)
  ) {
    return false;
  }
  for (const branch of allOf) {
    if (!evaluation.evaluate(branch, value, evaluation, seen)) return false;
  }
  if (anyOf.length > 0 && !fitsAny(anyOf, value, evaluation, seen))
    return evaluation.fail(node, 'anyOf');
  if (oneOf.length > 0 && !fitsOne(oneOf, value, evaluation, seen))
    return evaluation.fail(node, 'oneOf');
  if (not !== undefined && tryBranch(not, value, evaluation, undefined))
    return evaluation.fail(node, 'not');
  return (
    rules.condition === undefined || applyCondition(rules.condition, rules, value, evaluation, seen)
  );
}

/** The outermost resource on the way here that has the anchor; else where the reference itself leads. */
function dynamicTarget(reference: DynamicReference, evaluation: Evaluation): SchemaNode {
  if (reference.anchor === undefined) return reference.initial;
  for (const resource of evaluation.scope) {
    evaluation.work.spend(1);
    const target = resource.dynamicAnchors?.get(reference.anchor);
    if (target !== undefined) return target;
  }
  return reference.initial;
}

/** Stops at the first branch that fits, unless what the other branches evaluate must be recorded too. */
function fitsAny(
  branches: readonly SchemaNode[],
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  let fits = false;
  for (const branch of branches) {
    if (!tryBranch(branch, value, evaluation, seen)) continue;
    if (seen === undefined) return true;
    fits = true;
  }
  return fits;
}

function fitsOne(
  branches: readonly SchemaNode[],
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  let count = 0;
  for (const branch of branches) {
    if (tryBranch(branch, value, evaluation, seen)) count += 1;
    if (count > 1) return false;
  }
  return count === 1;
}

function applyCondition(
  condition: SchemaNode,
  rules: InPlaceRules,
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const branch = tryBranch(condition, value, evaluation, seen) ? rules.whenTrue : rules.whenFalse;
  return branch === undefined || evaluation.evaluate(branch, value, evaluation, seen);
}

/** Evaluates a branch that may fail: only one that fits has evaluated anything. */
function tryBranch(
  branch: SchemaNode,
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const own = seen === undefined ? undefined : new Seen();
  evaluation.beginTrial();
  const fits = evaluation.evaluate(branch, value, evaluation, own);
  evaluation.endTrial();
  if (fits && own !== undefined) seen?.merge(own, evaluation.work);
  return fits;
}
