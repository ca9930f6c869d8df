// Owns the JSON that goes on the wire: compact, members in their own order, every number as it was read. SPEC.md section 4.2 (#json).

import type { JsonForm } from './form.ts';
import { writeJsonForm } from './form.ts';
import { quoteForLog } from '../pointer.ts';
import type { JsonValue } from '../value.ts';
import { lexemeOf } from '../value.ts';

const WIRE: JsonForm = {
  order: (names) => names,
  number: (value) => (typeof value === 'number' ? lexemeOf(value) : value.lexeme),
  refuse: (pointer) => new TypeError(`the number at ${quoteForLog(pointer)} cannot be written`),
};

export function writeJson(value: JsonValue): Uint8Array {
  return writeJsonForm(value, WIRE);
}
