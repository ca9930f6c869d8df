// Owns the keywords that look at an array and its elements. SPEC.md section 5.2 (#schema-dialect).

import type { JsonArray } from '../../codec/value.ts';
import type { ArrayRules, SchemaNode } from './node.ts';
import type { Run } from './run.ts';
import type { Seen } from './seen.ts';
import { ValueSet } from './value-set.ts';
import type { Work } from './work.ts';

export function checkArray(
  node: SchemaNode,
  rules: ArrayRules,
  elements: JsonArray,
  run: Run,
  seen: Seen | undefined,
): boolean {
  if (elements.length < rules.minItems) return run.fail(node, 'minItems');
  if (elements.length > rules.maxItems) return run.fail(node, 'maxItems');
  if (!checkElements(rules, elements, run, seen)) return false;
  if (rules.uniqueItems && !isUnique(elements, run.work)) return run.fail(node, 'uniqueItems');
  return rules.contains === undefined
    ? true
    : checkContains(node, rules, rules.contains, elements, run, seen);
}

function checkElements(
  rules: ArrayRules,
  elements: JsonArray,
  run: Run,
  seen: Seen | undefined,
): boolean {
  const { prefixItems, items } = rules;
  const prefix = Math.min(prefixItems.length, elements.length);
  for (let index = 0; index < prefix; index += 1) {
    if (!run.evaluate(prefixItems[index]!, elements[index]!, run, undefined)) {
      return run.failUnder(index);
    }
  }
  seen?.addPrefix(prefix);
  if (items === undefined) return true;
  for (let index = prefix; index < elements.length; index += 1) {
    if (!run.evaluate(items, elements[index]!, run, undefined)) return run.failUnder(index);
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
  run: Run,
  seen: Seen | undefined,
): boolean {
  const { minContains, maxContains } = rules;
  // The count that settles the matter; with a record to keep, every element has to be looked at.
  const enough = maxContains < elements.length ? maxContains + 1 : minContains;
  let count = 0;
  run.beginTrial();
  for (let index = 0; index < elements.length; index += 1) {
    if (count >= enough && seen === undefined) break;
    if (!run.evaluate(contains, elements[index]!, run, undefined)) continue;
    count += 1;
    seen?.add(index, run.work);
  }
  run.endTrial();
  if (count < minContains) return run.fail(node, count === 0 ? 'contains' : 'minContains');
  return count <= maxContains || run.fail(node, 'maxContains');
}

export function checkUnevaluatedItems(
  rest: SchemaNode,
  elements: JsonArray,
  run: Run,
  seen: Seen,
): boolean {
  run.work.spend(elements.length);
  for (let index = 0; index < elements.length; index += 1) {
    if (seen.has(index)) continue;
    if (!run.evaluate(rest, elements[index]!, run, undefined)) return run.failUnder(index);
  }
  return true;
}
