// Owns the walk that turns a value into JSON text; each form brings its member order and number text. SPEC.md section 4.2 (#json).

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

/** Deeper than any reader goes: what is nested deeper here is a cycle. */
const MAX_DEPTH = 1_024;

type Path = (string | number)[];

export function toJsonText(value: JsonValue, form: JsonForm): string {
  return write(value, form, []);
}

function write(value: JsonValue, form: JsonForm, path: Path): string {
  switch (typeof value) {
    case 'string':
      return quote(value, path);
    case 'number':
      if (!isPlainNumber(value)) throw unwritable(path, describeNumber(value));
      return form.number(value) ?? refuse(form, path);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw unwritable(path, describeOther(value));
  }
  if (value === null) return 'null';
  if (value instanceof LosslessNumber) return form.number(value) ?? refuse(form, path);
  if (path.length >= MAX_DEPTH) throw unwritable(path.slice(0, 4), 'a cycle or very deep nesting');
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
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw unwritable(path, `an instance of ${value.constructor?.name ?? 'a class'}`);
  }
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
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The escapes of JSON.stringify are those of RFC 8785 and of Python's `ensure_ascii=False`. */
function quote(text: string, path: Path): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) throw unwritable(path, 'text with a lone surrogate');
  return JSON.stringify(text);
}

function refuse(form: JsonForm, path: Path): never {
  throw form.refuse(toPointer(path));
}

function unwritable(path: Path, what: string): TypeError {
  return new TypeError(`the value at "${toPointer(path)}" cannot be written: it is ${what}`);
}

function describeNumber(value: number): string {
  if (!Number.isFinite(value)) return `${value}, which JSON does not have`;
  return `an integer beyond 2^53-1; pass it as new LosslessNumber('<digits>')`;
}

function describeOther(value: unknown): string {
  if (typeof value === 'bigint') return `a bigint; pass it as numberFromBigInt(value)`;
  if (value === undefined) return 'undefined; leave the member out or use null';
  return `a ${typeof value}`;
}

/** RFC 6901. */
export function toPointer(path: readonly (string | number)[]): string {
  return path
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
