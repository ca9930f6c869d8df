// Owns a JSON Schema in a few words for people: its members, their types, which are needed. What has no short words is
// shown as it is.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject, writeJson } from '../../src/codec/index.ts';

/** Of one value. */
const MAX_WORDS = 200;

/** Rows of name, type and what else is said; words where there are no members; nothing where there are no words. */
export function schemaRows(schema: JsonValue): readonly (readonly string[])[] | string | undefined {
  if (!isJsonObject(schema)) return schema === false ? 'none fits' : 'not told';
  const { properties } = schema;
  if (!isJsonObject(properties)) {
    const words = typeWords(schema);
    return words === undefined ? undefined : withDescription(words, schema);
  }
  const all = Object.keys(properties);
  if (all.length === 0) return 'none';
  const required = isJsonArray(schema['required']) ? schema['required'] : [];
  // On the wire members have no order of their author's, but those that are needed come first.
  const names = [
    ...all.filter((name) => required.includes(name)),
    ...all.filter((name) => !required.includes(name)),
  ];
  const rows = names.map((name) => {
    const member = properties[name]!;
    const words = typeWords(member);
    if (words === undefined) return undefined;
    const need = required.includes(name) ? 'required' : '';
    const said = isJsonObject(member) ? textOf(member['description']) : '';
    return [name, words, [need, said].filter((text) => text !== '').join('; ')];
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function typeWords(schema: JsonValue): string | undefined {
  if (!isJsonObject(schema)) return 'anything';
  const { type, enum: values, const: constant, items } = schema;
  if (constant !== undefined) return shortJson([constant]);
  if (isJsonArray(values)) return shortJson(values);
  const either = schema['anyOf'] ?? schema['oneOf'];
  if (isJsonArray(either)) return joined(either.map(typeWords));
  if (schema['$ref'] !== undefined || schema['allOf'] !== undefined) return undefined;
  if (isJsonArray(type)) return joined(type.map(textOf));
  if (type === 'array') {
    const inner = items === undefined ? 'anything' : typeWords(items);
    return inner === undefined || inner === 'anything' ? 'array' : `array of ${inner}`;
  }
  return typeof type === 'string' ? type : 'anything';
}

function joined(words: readonly (string | undefined)[]): string | undefined {
  return words.every((word) => word !== undefined) ? words.join(' or ') : undefined;
}

function shortJson(values: readonly JsonValue[]): string | undefined {
  const words = values.map((value) => new TextDecoder().decode(writeJson(value))).join(' or ');
  return words.length > MAX_WORDS ? undefined : words;
}

function withDescription(words: string, schema: JsonObject): string {
  const said = textOf(schema['description']);
  return said === '' ? words : `${words}; ${said}`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
