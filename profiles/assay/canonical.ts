// Owns the two texts that evidence is hashed over. Method (a), the digests: numbers as the upstream program spells them,
// names by code point. Method (b), the content hash: RFC 8785, where every number is a double. SPEC.md section 17
// (#assay-text, #assay-hash).

import { hash } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { LosslessNumber, compareCodePoints } from '../../src/codec/index.ts';

interface Form {
  readonly sort: (names: string[]) => string[];
  readonly number: (value: number | LosslessNumber) => string;
}

const DIGEST_FORM: Form = { sort: sortByCodePoint, number: spelled };
const HASH_FORM: Form = { sort: sortByUnit, number: rounded };

/** The text of method (a). */
export function digestText(value: JsonValue): string {
  return write(value, DIGEST_FORM);
}

/** The SHA-256 of method (a), in bare hexadecimal digits. */
export function digestOf(value: JsonValue): string {
  return sha256Hex(digestText(value));
}

/** The content hash of an event's `{ specversion, type, datacontenttype, subject?, data }`, by method (b). */
export function contentHashOf(content: JsonObject): string {
  return `sha256:${sha256Hex(write(content, HASH_FORM))}`;
}

export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

const SURROGATE = /[\uD800-\uDFFF]/;

/** By code point, in place; repeats stay. */
export function sortByCodePoint(texts: string[]): string[] {
  // Only where there is half of a pair does the order of units differ.
  return texts.some((text) => SURROGATE.test(text))
    ? texts.sort(compareCodePoints)
    : sortByUnit(texts);
}

function sortByUnit(texts: string[]): string[] {
  const isSorted = texts.every((text, at) => at === 0 || texts[at - 1]! <= text);
  return isSorted ? texts : texts.sort();
}

function write(value: JsonValue, form: Form): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return form.number(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
  }
  if (value === null) return 'null';
  if (value instanceof LosslessNumber) return form.number(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, form)).join(',')}]`;
  const members = value as JsonObject;
  let text = '';
  for (const name of form.sort(Object.keys(members))) {
    text += `${text === '' ? '' : ','}${quoted(name)}:${write(members[name]!, form)}`;
  }
  return `{${text}}`;
}

const PLAIN_NAME = /^\w{1,64}$/;

function quoted(name: string): string {
  return PLAIN_NAME.test(name) ? `"${name}"` : JSON.stringify(name);
}

const LEAST_INTEGER = -(2n ** 63n);
const LARGEST_INTEGER = 2n ** 64n - 1n;
/** Digits and sign of the integers in that range, at most. */
const INTEGER_LENGTH = 20;
const LEAST_PLAIN = 1e-5;
const BEYOND_PLAIN = 1e16;

/** Integers of 64 bits as they are; everything else is a double, which never looks like an integer. */
function spelled(value: number | LosslessNumber): string {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : double(value);
  }
  const { lexeme } = value;
  if (value.isInteger && lexeme !== '-0' && lexeme.length <= INTEGER_LENGTH) {
    const integer = BigInt(lexeme);
    if (integer >= LEAST_INTEGER && integer <= LARGEST_INTEGER) return integer.toString();
  }
  return double(value.toNumber());
}

/** The shortest digits that give the same double back. */
function double(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  const scientific = size.toExponential();
  const sign = value < 0 ? '-' : '';
  if (size < LEAST_PLAIN || size >= BEYOND_PLAIN) return sign + scientific;
  const [mantissa, exponent] = scientific.split('e') as [string, string];
  return sign + plain(mantissa.replace('.', ''), Number(exponent));
}

/** @param exponent of the first digit. */
function plain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.padEnd(exponent + 1, '0');
  const fraction = whole.slice(exponent + 1);
  return `${whole.slice(0, exponent + 1)}.${fraction === '' ? '0' : fraction}`;
}

/** The text of RFC 8785; what it cannot hold is rounded, as upstream does. */
function rounded(value: number | LosslessNumber): string {
  return String(typeof value === 'number' ? value : value.toNumber());
}
