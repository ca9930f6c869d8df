// Owns what a card never says: nothing. The SDKs leave empty values out before they verify, the specification does not;
// a card without any is the same to both. SPEC.md section 21 (#a2a-card-signature).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { LosslessNumber, isJsonArray, isJsonObject } from '../../../src/codec/index.ts';

/** `''`, `[]`, `{}` and `null`; `false` and zero say something. */
export function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value !== 'object' || value instanceof LosslessNumber) return false;
  return (isJsonArray(value) ? value : Object.keys(value)).length === 0;
}

/** The members that are not empty. */
export function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const kept = Object.entries(members).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(kept as [string, JsonValue][]);
}

/** The same without anything empty at any depth, or `undefined` where nothing is left. */
export function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (isJsonArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).flatMap(([name, member]) => {
      const left = withoutEmpty(member);
      return left === undefined ? [] : [[name, left] as const];
    });
    return members.length === 0 ? undefined : Object.fromEntries(members);
  }
  return isEmpty(value) ? undefined : value;
}

/** Throws a TypeError that says where something is empty. */
export function requireFull<T extends JsonValue>(value: T | undefined, path: string): T {
  if (value === undefined || isEmpty(value)) {
    throw new TypeError(`"${path}" expected something that is not empty`);
  }
  if (isJsonArray(value))
    for (const [at, item] of value.entries()) requireFull(item, `${path}[${at}]`);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) requireFull(member, `${path}.${name}`);
  }
  return value;
}
