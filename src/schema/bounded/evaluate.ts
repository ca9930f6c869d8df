// Owns the evaluation of one schema against one value: the order of its keywords and the frames around it. SPEC.md section 5.2 (#schema-work).

import type { JsonNumber } from '../../codec/decimal.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonArray } from '../../codec/value.ts';
import { checkArray, checkUnevaluatedItems } from './arrays.ts';
import { checkNumber, checkText } from './assertions.ts';
import { applyInPlace } from './in-place.ts';
import { ARRAY, NUMBER, OBJECT, STRING, allowsKind, kindOf } from './kind.ts';
import type { SchemaNode } from './node.ts';
import { checkObject, checkUnevaluatedProperties } from './objects.ts';
import type { Evaluation } from './evaluation.ts';
import { Seen } from './seen.ts';

/** True when the value fits. Spends at least one step, and throws `SCHEMA_WORK` when there are none left. */
export function evaluate(
  node: SchemaNode,
  value: JsonValue,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  evaluation.work.spend(node.weight);
  if (node.verdict !== undefined) return node.verdict || evaluation.fail(node, undefined);
  evaluation.enter();
  const { resource } = node;
  const isScope = resource.dynamicAnchors !== undefined && evaluation.scope.at(-1) !== resource;
  if (isScope) evaluation.scope.push(resource);
  const fits = check(node, value, evaluation, seen);
  if (isScope) evaluation.scope.pop();
  evaluation.leave();
  return fits;
}

function check(
  node: SchemaNode,
  value: JsonValue,
  evaluation: Evaluation,
  outer: Seen | undefined,
): boolean {
  const kind = kindOf(value);
  if (node.types !== 0 && !allowsKind(node.types, kind, value, evaluation.work))
    return evaluation.fail(node, 'type');
  if (node.constant !== undefined && !node.constant.has(value, evaluation.work)) {
    return evaluation.fail(node, 'const');
  }
  if (node.enumeration !== undefined && !node.enumeration.has(value, evaluation.work)) {
    return evaluation.fail(node, 'enum');
  }
  const { number, string, array, object, inPlace } = node;
  // A schema with an `unevaluated…` keyword must not see what its neighbours have evaluated.
  const rest = restOf(node, kind);
  const seen = rest === undefined ? outer : new Seen();
  let fits = true;
  if (kind === STRING) {
    if (string !== undefined) fits = checkText(node, string, value as string, evaluation);
  } else if (kind === NUMBER) {
    if (number !== undefined) fits = checkNumber(node, number, value as JsonNumber, evaluation);
  } else if (kind === ARRAY) {
    if (array !== undefined) fits = checkArray(node, array, value as JsonArray, evaluation, seen);
  } else if (kind === OBJECT && object !== undefined) {
    fits = checkObject(node, object, value as JsonObject, evaluation, seen);
  }
  if (fits && inPlace !== undefined) fits = applyInPlace(node, inPlace, value, evaluation, seen);
  if (fits && rest !== undefined) {
    fits = checkRest(rest, value as JsonArray | JsonObject, evaluation, seen!);
    if (fits) outer?.addAll();
  }
  return fits;
}

/** The schema for what no other keyword has evaluated of a value of this kind. */
function restOf(node: SchemaNode, kind: number): SchemaNode | undefined {
  if (kind === OBJECT) return node.unevaluatedProperties;
  return kind === ARRAY ? node.unevaluatedItems : undefined;
}

function checkRest(
  rest: SchemaNode,
  value: JsonArray | JsonObject,
  evaluation: Evaluation,
  seen: Seen,
): boolean {
  return isJsonArray(value)
    ? checkUnevaluatedItems(rest, value, evaluation, seen)
    : checkUnevaluatedProperties(rest, value, evaluation, seen);
}
