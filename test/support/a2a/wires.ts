// Owns messages on their way through the wires of A2A: read and written by the tables, so that what a wire has no place
// for is gone.

import { V03 } from '../../../profiles/a2a/fields/v03.ts';
import { V03_JSON } from '../../../profiles/a2a/fields/v03-json.ts';
import { V1 } from '../../../profiles/a2a/fields/v1.ts';
import { readFields } from '../../../profiles/a2a/fields/read.ts';
import type { Table } from '../../../profiles/a2a/fields/table.ts';
import { writeFields } from '../../../profiles/a2a/fields/write.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import { parse, textOf } from '../wire/bytes.ts';
import type { Shape } from './sealed.ts';
import { FAMILIES } from './sealed.ts';

export function v1Wire(message: Shape): Shape {
  return through(V1, message);
}

export function v03Wire(message: Shape): Shape {
  return through(V03_JSON, FAMILIES[2]!.message(message));
}

export function v03RestWire({ parts, ...message }: Shape): Shape {
  const content = (parts as Shape[]).map(({ text, data }) =>
    text === undefined ? { data: { data } } : { text },
  );
  return through(V03, { ...message, content });
}

function through(table: Table, message: Shape): Shape {
  const fields = readFields(table, 'Message', parse(JSON.stringify(message)));
  return JSON.parse(textOf(writeJson(writeFields(table, 'Message', fields)))) as Shape;
}
