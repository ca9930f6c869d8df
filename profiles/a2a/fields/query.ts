// Owns how the query of an address becomes JSON by the table: every value there is text. SPEC.md section 20 (#a2a-input).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import type { Violation } from '../errors/a2a-error.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import type { Table } from './table.ts';

const WHOLE = /^-?\d{1,15}$/;

/** What the table does not name is ignored; what was said twice is refused, as in a body. */
export function readQuery(table: Table, message: string, query: URLSearchParams): JsonObject {
  const object: Record<string, JsonValue> = {};
  const violations: Violation[] = [];
  for (const { json, name, type } of table.messages[message]!) {
    const names = table.package === '' ? [json] : new Set([json, name]);
    const [text, ...more] = [...names].flatMap((one) => query.getAll(one));
    if (text === undefined) continue;
    if (more.length > 0) violations.push({ field: json, description: 'was said twice' });
    object[json] = valueOf(type, text);
  }
  if (violations.length > 0) throw invalidInput(violations);
  return object;
}

/** What fits no type stays text, and is refused by the check that follows. */
function valueOf(type: string, text: string): JsonValue {
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true';
  return type !== 'string' && WHOLE.test(text) ? Number(text) : text;
}
