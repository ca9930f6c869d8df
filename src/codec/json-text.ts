// Owns the walk that turns a value into JSON text; each form brings its member order and number text. SPEC.md section 4.2 (#json).

import type { Path } from './pointer.ts';
import { toPointer } from './pointer.ts';
import {
  assertDepth,
  assertPlainObject,
  assertWellFormed,
  unwritableNumber,
  unwritableType,
} from './unwritable.ts';
import type { JsonValue } from './value.ts';
import { LosslessNumber, isPlainNumber } from './value.ts';

export interface JsonForm {
  /** Names of an object in the order of this form; may sort the array in place. */
  readonly order: (names: string[]) => string[];
  /** The text of a number, or `undefined` when this form cannot write it. */
  readonly number: (value: number | LosslessNumber) => string | undefined;
  /** What to throw when `number` has no text. */
  readonly refuse: (pointer: string) => Error;
}

export function toJsonText(value: JsonValue, form: JsonForm): string {
  return write(value, form, []);
}

function write(value: JsonValue, form: JsonForm, path: Path): string {
  switch (typeof value) {
    case 'string':
      return quote(value, path);
    case 'number':
      if (!isPlainNumber(value)) throw unwritableNumber(value, path);
      return form.number(value) ?? refuse(form, path);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw unwritableType(value, path);
  }
  if (value === null) return 'null';
  if (value instanceof LosslessNumber) return form.number(value) ?? refuse(form, path);
  assertDepth(path);
  return Array.isArray(value) ? writeArray(value, form, path) : writeObject(value, form, path);
}

function writeArray(value: readonly JsonValue[], form: JsonForm, path: Path): string {
  let text = '[';
  for (let index = 0; index < value.length; index += 1) {
    path.push(index);
    // Index access instead of iteration: a hole reads as undefined and is refused.
    text += (index === 0 ? '' : ',') + write(value[index] as JsonValue, form, path);
    path.pop();
  }
  return `${text}]`;
}

function writeObject(value: object, form: JsonForm, path: Path): string {
  assertPlainObject(value, path);
  const members = value as Record<string, JsonValue>;
  let text = '{';
  for (const name of form.order(Object.keys(members))) {
    path.push(name);
    text += `${text === '{' ? '' : ','}${quote(name, path)}:${write(members[name]!, form, path)}`;
    path.pop();
  }
  return `${text}}`;
}

const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The escapes of JSON.stringify are those of RFC 8785 and of Python's `ensure_ascii=False`. */
function quote(text: string, path: Path): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  assertWellFormed(text, path);
  return JSON.stringify(text);
}

function refuse(form: JsonForm, path: Path): never {
  throw form.refuse(toPointer(path));
}
