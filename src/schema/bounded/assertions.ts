// Owns the keywords that look at a number or a text. SPEC.md section 5.2 (#schema-numbers).

import type { JsonNumber } from '../../codec/decimal.ts';
import { compareNumbers, isMultipleOf, numberLength } from '../../codec/decimal.ts';
import type { NumberRules, SchemaNode, StringRules } from './node.ts';
import type { Evaluation } from './evaluation.ts';
import type { Work } from './work.ts';

export function checkNumber(
  node: SchemaNode,
  rules: NumberRules,
  value: JsonNumber,
  evaluation: Evaluation,
): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules;
  if (minimum !== undefined && compare(value, minimum, evaluation.work) < 0) {
    return evaluation.fail(node, 'minimum');
  }
  if (maximum !== undefined && compare(value, maximum, evaluation.work) > 0) {
    return evaluation.fail(node, 'maximum');
  }
  if (exclusiveMinimum !== undefined && compare(value, exclusiveMinimum, evaluation.work) <= 0) {
    return evaluation.fail(node, 'exclusiveMinimum');
  }
  if (exclusiveMaximum !== undefined && compare(value, exclusiveMaximum, evaluation.work) >= 0) {
    return evaluation.fail(node, 'exclusiveMaximum');
  }
  if (multipleOf !== undefined && !divides(multipleOf, value, evaluation.work)) {
    return evaluation.fail(node, 'multipleOf');
  }
  return true;
}

function compare(value: JsonNumber, bound: JsonNumber, work: Work): number {
  if (typeof value !== 'number' || typeof bound !== 'number') {
    work.spend(4 + ((numberLength(value) + numberLength(bound)) >> 3));
  }
  return compareNumbers(value, bound);
}

/** The price grows with the digits of both numbers, multiplied: so does the work of a long division. */
function divides(divisor: JsonNumber, value: JsonNumber, work: Work): boolean {
  if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) {
    const ours = numberLength(value);
    const theirs = numberLength(divisor);
    work.spend(8 + ((ours + theirs) >> 2) + Math.floor((ours * theirs) / 1024));
  }
  return isMultipleOf(value, divisor);
}

export function checkText(
  node: SchemaNode,
  rules: StringRules,
  text: string,
  evaluation: Evaluation,
): boolean {
  const { minLength, maxLength, pattern } = rules;
  if (minLength > 0 && !hasLength(text, minLength, evaluation.work))
    return evaluation.fail(node, 'minLength');
  if (maxLength < text.length && hasLength(text, maxLength + 1, evaluation.work)) {
    return evaluation.fail(node, 'maxLength');
  }
  if (pattern !== undefined && !pattern.test(text, evaluation.work))
    return evaluation.fail(node, 'pattern');
  return true;
}

/** Has the text at least so many code points? Each takes one or two units, so the length alone mostly decides. */
function hasLength(text: string, least: number, work: Work): boolean {
  if (text.length < least) return false;
  if (text.length >= 2 * least) return true;
  work.spend(text.length >> 4);
  let points = text.length;
  for (let index = 1; index < text.length; index += 1) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) {
      points -= 1;
    }
  }
  return points >= least;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
