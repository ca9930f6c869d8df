// Owns what stands in double braces: variables of the document, of the runner, and what earlier steps have captured.

import type { JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';

/** By name, or by step and name. */
export type Variables = ReadonlyMap<string, string>;

const BRACES = /\{\{([^{}]+)\}\}/g;

/** The same, with every variable in it replaced. */
export function filled<T extends JsonValue>(value: T, variables: Variables): T {
  return fill(value, variables) as T;
}

function fill(value: JsonValue, variables: Variables): JsonValue {
  if (typeof value === 'string') {
    return value.replaceAll(BRACES, (_braces, name: string) => {
      const found = variables.get(name);
      if (found === undefined) throw new Error(`there is no variable "${name}"`);
      return found;
    });
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((one) => fill(one, variables));
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, fill(one, variables)]);
  return Object.fromEntries(entries) as JsonValue;
}
