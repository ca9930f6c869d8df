// Owns the keywords that look at an array and its elements. SPEC.md section 5.2 (#schema-dialect).

import type { JsonArray } from '../../codec/value.ts';
import type { ArrayRules, SchemaNode } from './node.ts';
import type { Evaluation } from './evaluation.ts';
import type { Seen } from './seen.ts';
import { ValueSet } from './value-set.ts';
import type { Work } from './work.ts';

export function checkArray(
  node: SchemaNode,
  rules: ArrayRules,
  elements: JsonArray,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  if (elements.length < rules.minItems) return evaluation.fail(node, 'minItems');
  if (elements.length > rules.maxItems) return evaluation.fail(node, 'maxItems');
  if (!checkElements(rules, elements, evaluation, seen)) return false;
  if (rules.uniqueItems && !isUnique(elements, evaluation.work))
    return evaluation.fail(node, 'uniqueItems');
  return rules.contains === undefined
    ? true
    : checkContains(node, rules, rules.contains, elements, evaluation, seen);
}

function checkElements(
  rules: ArrayRules,
  elements: JsonArray,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const { prefixItems, items } = rules;
  const prefix = Math.min(prefixItems.length, elements.length);
  for (let index = 0; index < prefix; index += 1) {
    if (!evaluation.evaluate(prefixItems[index]!, elements[index]!, evaluation, undefined)) {
      return evaluation.failUnder(index);
    }
  }
  seen?.addPrefix(prefix);
  if (items === undefined) return true;
  for (let index = prefix; index < elements.length; index += 1) {
    if (!evaluation.evaluate(items, elements[index]!, evaluation, undefined))
      return evaluation.failUnder(index);
  }
  seen?.addAll();
  return true;
}

function isUnique(elements: JsonArray, work: Work): boolean {
  if (elements.length < 2) return true;
  const values = new ValueSet();
  for (let index = 0; index < elements.length; index += 1) {
    work.spend(1);
    if (!values.add(elements[index]!, work)) return false;
  }
  return true;
}

function checkContains(
  node: SchemaNode,
  rules: ArrayRules,
  contains: SchemaNode,
  elements: JsonArray,
  evaluation: Evaluation,
  seen: Seen | undefined,
): boolean {
  const { minContains, maxContains } = rules;
  // After this many matches the result is certain. But if matches are recorded, every element must be looked at.
  const enough = maxContains < elements.length ? maxContains + 1 : minContains;
  let count = 0;
  evaluation.beginTrial();
  for (let index = 0; index < elements.length; index += 1) {
    if (count >= enough && seen === undefined) break;
    if (!evaluation.evaluate(contains, elements[index]!, evaluation, undefined)) continue;
    count += 1;
    seen?.add(index, evaluation.work);
  }
  evaluation.endTrial();
  if (count < minContains) return evaluation.fail(node, count === 0 ? 'contains' : 'minContains');
  return count <= maxContains || evaluation.fail(node, 'maxContains');
}

export function checkUnevaluatedItems(
  rest: SchemaNode,
  elements: JsonArray,
  evaluation: Evaluation,
  seen: Seen,
): boolean {
  evaluation.work.spend(elements.length);
  for (let index = 0; index < elements.length; index += 1) {
    if (seen.has(index)) continue;
    if (!evaluation.evaluate(rest, elements[index]!, evaluation, undefined))
      return evaluation.failUnder(index);
  }
  return true;
}
