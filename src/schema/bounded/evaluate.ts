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
import type { Run } from './run.ts';
import { Seen } from './seen.ts';

/** True when the value fits. Spends at least one step, and throws `SCHEMA_WORK` when there are none left. */
export function evaluate(
  node: SchemaNode,
  value: JsonValue,
  run: Run,
  seen: Seen | undefined,
): boolean {
  run.work.spend(node.weight);
  if (node.verdict !== undefined) return node.verdict || run.fail(node, undefined);
  run.enter();
  const { resource } = node;
  const isScope = resource.dynamicAnchors !== undefined && run.scope.at(-1) !== resource;
  if (isScope) run.scope.push(resource);
  const fits = check(node, value, run, seen);
  if (isScope) run.scope.pop();
  run.leave();
  return fits;
}

function check(node: SchemaNode, value: JsonValue, run: Run, outer: Seen | undefined): boolean {
  const kind = kindOf(value);
  if (node.types !== 0 && !allowsKind(node.types, kind, value, run.work))
    return run.fail(node, 'type');
  if (node.constant !== undefined && !node.constant.has(value, run.work)) {
    return run.fail(node, 'const');
  }
  if (node.enumeration !== undefined && !node.enumeration.has(value, run.work)) {
    return run.fail(node, 'enum');
  }
  const { number, string, array, object, inPlace } = node;
  // A schema that asks for the rest must not see what its neighbours have evaluated.
  const rest = restOf(node, kind);
  const seen = rest === undefined ? outer : new Seen();
  let fits = true;
  if (kind === STRING) {
    if (string !== undefined) fits = checkText(node, string, value as string, run);
  } else if (kind === NUMBER) {
    if (number !== undefined) fits = checkNumber(node, number, value as JsonNumber, run);
  } else if (kind === ARRAY) {
    if (array !== undefined) fits = checkArray(node, array, value as JsonArray, run, seen);
  } else if (kind === OBJECT && object !== undefined) {
    fits = checkObject(node, object, value as JsonObject, run, seen);
  }
  if (fits && inPlace !== undefined) fits = applyInPlace(node, inPlace, value, run, seen);
  if (fits && rest !== undefined) {
    fits = checkRest(rest, value as JsonArray | JsonObject, run, seen!);
    if (fits) outer?.addAll();
  }
  return fits;
}

/** The schema for what no other keyword has evaluated of a value of this kind. */
function restOf(node: SchemaNode, kind: number): SchemaNode | undefined {
  if (kind === OBJECT) return node.unevaluatedProperties;
  return kind === ARRAY ? node.unevaluatedItems : undefined;
}

function checkRest(rest: SchemaNode, value: JsonArray | JsonObject, run: Run, seen: Seen): boolean {
  return isJsonArray(value)
    ? checkUnevaluatedItems(rest, value, run, seen)
    : checkUnevaluatedProperties(rest, value, run, seen);
}
