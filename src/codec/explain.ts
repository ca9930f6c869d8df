// Owns the answer to "where do two forms of this value differ, and why?". SPEC.md section 4.7 (#explain).

import { jcsNumber, writeJcs } from './canonical-jcs.ts';
import { writePythonJson } from './canonical-python.ts';
import { writeCbor } from './cbor/write.ts';
import { writeJson } from './json/write.ts';
import { inCodePointOrder, inUtf16Order } from './name-order.ts';
import type { Path } from './pointer.ts';
import { toPointer } from './pointer.ts';
import { decodeUtf8 } from './utf8.ts';
import type { JsonObject, JsonValue } from './value.ts';
import { LosslessNumber, isJsonArray, isJsonObject, lexemeOf } from './value.ts';

/** `wire` is the JSON text as it was read: own member order, own number lexemes. */
export type Form = 'wire' | 'jcs' | 'python' | 'cbor';

export interface FormDifference {
  /** JSON pointer of the place. */
  readonly pointer: string;
  /** The bytes of that place in each form; `undefined` when the form refuses it. */
  readonly left: Uint8Array | undefined;
  readonly right: Uint8Array | undefined;
  /** What happens there, in words. */
  readonly reason: string;
}

const WRITERS: Readonly<Record<Form, (value: JsonValue) => Uint8Array>> = {
  wire: writeJson,
  jcs: writeJcs,
  python: writePythonJson,
  cbor: writeCbor,
};

const MAX_DIFFERENCES = 100;

/**
 * The places at which `left` and `right` write the value differently, in document order, at most 100.
 * JSON and CBOR differ in every byte, so between them only what changes meaning counts: numbers.
 */
export function explainForms(value: JsonValue, left: Form, right: Form): FormDifference[] {
  for (const form of [left, right]) {
    if (!Object.hasOwn(WRITERS, form)) {
      throw new TypeError(`"form" expected one of ${Object.keys(WRITERS).join(', ')}`);
    }
  }
  const comparison: Comparison = { left, right, path: [], found: [] };
  if (left !== right) visit(value, comparison);
  return comparison.found;
}

interface Comparison {
  readonly left: Form;
  readonly right: Form;
  /** From the root to where the visit stands. */
  readonly path: Path;
  readonly found: FormDifference[];
}

function visit(value: JsonValue, comparison: Comparison): void {
  if (comparison.found.length >= MAX_DIFFERENCES) return;
  if (typeof value === 'number' || value instanceof LosslessNumber) {
    compareNumber(value, comparison);
  } else if (isJsonArray(value)) {
    for (const [index, element] of value.entries()) visitChild(index, element, comparison);
  } else if (isJsonObject(value)) {
    compareOrder(value, comparison);
    for (const name of Object.keys(value)) visitChild(name, value[name]!, comparison);
  }
}

function visitChild(token: string | number, child: JsonValue, comparison: Comparison): void {
  comparison.path.push(token);
  visit(child, comparison);
  comparison.path.pop();
}

function compareNumber(value: number | LosslessNumber, comparison: Comparison): void {
  const { left, right } = comparison;
  const leftText = meaningIn(value, left);
  const rightText = meaningIn(value, right);
  if (leftText === rightText) return;
  const pointer = toPointer(comparison.path);
  const changes = [describeChange(value, left, leftText), describeChange(value, right, rightText)];
  comparison.found.push({
    pointer,
    left: leftText === undefined ? undefined : WRITERS[left](value),
    right: rightText === undefined ? undefined : WRITERS[right](value),
    reason: `${changes.filter((change) => change !== '').join('; ')} at ${pointer}`,
  });
}

/** The number as the form means it, in JSON text; CBOR means what Python-JSON means. */
function meaningIn(value: number | LosslessNumber, form: Form): string | undefined {
  if (form === 'jcs') return jcsNumber(value);
  return decodeUtf8(form === 'wire' ? writeJson(value) : writePythonJson(value));
}

function describeChange(value: number | LosslessNumber, form: Form, text?: string): string {
  const lexeme = typeof value === 'number' ? lexemeOf(value) : value.lexeme;
  const kind = /[.eE]/.test(lexeme) ? 'float' : 'integer';
  if (text === undefined) return `${form} cannot write ${kind} ${lexeme} exactly`;
  return text === lexeme ? '' : `${kind} ${lexeme} becomes ${text} in ${form}`;
}

/** Member order is no part of the meaning, but of the bytes: two JSON forms can differ in it alone. */
function compareOrder(value: JsonObject, comparison: Comparison): void {
  const { left, right } = comparison;
  if (left === 'cbor' || right === 'cbor') return;
  const leftNames = namesIn(value, left);
  const rightNames = namesIn(value, right);
  const at = leftNames.findIndex((name, index) => name !== rightNames[index]);
  if (at < 0) return;
  const pointer = toPointer(comparison.path);
  const names = [JSON.stringify(leftNames[at]), JSON.stringify(rightNames[at])];
  comparison.found.push({
    pointer,
    left: writeJson(leftNames),
    right: writeJson(rightNames),
    reason: `members are ordered differently at ${pointer || 'the top'}: ${left} has ${names[0]} where ${right} has ${names[1]}`,
  });
}

function namesIn(value: JsonObject, form: Form): string[] {
  const names = Object.keys(value);
  if (form === 'wire') return names;
  return form === 'jcs' ? inUtf16Order(names) : inCodePointOrder(names);
}
