// Owns JSON as people read it: indented, numbers with the text that they were written with.

import type { JsonValue } from '../../src/codec/index.ts';
import { LosslessNumber, isJsonArray, isJsonObject, writeJson } from '../../src/codec/index.ts';

export function prettyJson(value: JsonValue, indent = ''): string {
  const inner = `${indent}  `;
  if (isJsonArray(value)) {
    if (value.length === 0) return '[]';
    const items = value.map((item) => inner + prettyJson(item, inner));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (!isJsonObject(value) || value instanceof LosslessNumber) return scalar(value);
  const names = Object.keys(value);
  if (names.length === 0) return '{}';
  const members = names.map(
    (name) => `${inner}${scalar(name)}: ${prettyJson(value[name]!, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function scalar(value: JsonValue): string {
  return new TextDecoder().decode(writeJson(value));
}
