// Owns the keywords that apply further schemas to the same value: references, combinations, conditions. SPEC.md section 5.2 (#schema-dialect).

import type { JsonValue } from '../../codec/value.ts';
import type { DynamicReference, InPlaceRules, SchemaNode } from './node.ts';
import type { Run } from './run.ts';
import { Seen } from './seen.ts';

export function applyInPlace(
  node: SchemaNode,
  rules: InPlaceRules,
  value: JsonValue,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const { ref, dynamicRef, allOf, anyOf, oneOf, not } = rules;
  if (ref !== undefined && !run.evaluate(ref, value, run, seen)) return false;
  if (dynamicRef !== undefined && !run.evaluate(dynamicTarget(dynamicRef, run), value, run, seen)) {
    return false;
  }
  for (const branch of allOf) {
    if (!run.evaluate(branch, value, run, seen)) return false;
  }
  if (anyOf.length > 0 && !fitsAny(anyOf, value, run, seen)) return run.fail(node, 'anyOf');
  if (oneOf.length > 0 && !fitsOne(oneOf, value, run, seen)) return run.fail(node, 'oneOf');
  if (not !== undefined && tryBranch(not, value, run, undefined)) return run.fail(node, 'not');
  return rules.condition === undefined || applyCondition(rules.condition, rules, value, run, seen);
}

/** The outermost resource on the way here that has the anchor; else where the reference itself leads. */
function dynamicTarget(reference: DynamicReference, run: Run): SchemaNode {
  if (reference.anchor === undefined) return reference.initial;
  for (const resource of run.scope) {
    run.work.spend(1);
    const target = resource.dynamicAnchors?.get(reference.anchor);
    if (target !== undefined) return target;
  }
  return reference.initial;
}

/** Goes on behind the first branch that fits only where the others have something to report. */
function fitsAny(
  branches: readonly SchemaNode[],
  value: JsonValue,
  run: Run,
  seen: Seen | undefined,
): boolean {
  let fits = false;
  for (const branch of branches) {
    if (!tryBranch(branch, value, run, seen)) continue;
    if (seen === undefined) return true;
    fits = true;
  }
  return fits;
}

function fitsOne(
  branches: readonly SchemaNode[],
  value: JsonValue,
  run: Run,
  seen: Seen | undefined,
): boolean {
  let count = 0;
  for (const branch of branches) {
    if (tryBranch(branch, value, run, seen)) count += 1;
    if (count > 1) return false;
  }
  return count === 1;
}

function applyCondition(
  condition: SchemaNode,
  rules: InPlaceRules,
  value: JsonValue,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const branch = tryBranch(condition, value, run, seen) ? rules.whenTrue : rules.whenFalse;
  return branch === undefined || run.evaluate(branch, value, run, seen);
}

/** Evaluates a branch that may fail: only one that fits has evaluated anything. */
function tryBranch(
  branch: SchemaNode,
  value: JsonValue,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const own = seen === undefined ? undefined : new Seen();
  run.beginTrial();
  const fits = run.evaluate(branch, value, run, own);
  run.endTrial();
  if (fits && own !== undefined) seen?.merge(own, run.work);
  return fits;
}
