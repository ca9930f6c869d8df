// Owns the published forms of A2A 1.0, by which what an agent says is judged: every member known, of its type, and there
// where it has to be; nothing else. Independent of the tables in profiles/a2a.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';
import { vectorJson } from '../repository/vectors.ts';

interface Member {
  readonly json: string;
  readonly type: string;
  readonly repeated?: boolean;
  readonly required?: boolean;
  readonly oneof?: string;
}

interface Published {
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly messages: Readonly<Record<string, readonly Member[]>>;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MAX_INT32 = 2_147_483_647;

const SCALARS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int32: (value) => Number.isInteger(value) && Math.abs(value as number) <= MAX_INT32,
  bytes: (value) => typeof value === 'string' && BASE64.test(value),
  'google.protobuf.Timestamp': (value) => typeof value === 'string' && MOMENT.test(value),
  'google.protobuf.Struct': (value) => isJsonObject(value),
  'google.protobuf.Value': () => true,
};

let published: Published | undefined;

/** What is wrong with it, with its path; nothing where it fits. Needs the shared vectors. */
export function misfits(message: string, value: JsonValue, path = message): readonly string[] {
  published ??= vectorJson<Readonly<Record<string, Published>>>('a2a/fields.json')['v1']!;
  const members = published.messages[message];
  if (members === undefined) throw new Error(`there is no message ${message}`);
  if (!isJsonObject(value)) return [`${path} is no object`];
  const unknown = Object.keys(value)
    .filter((name) => !members.some(({ json }) => json === name))
    .map((name) => `${path}.${name} is not known`);
  const groups = new Set(members.flatMap(({ oneof }) => oneof ?? []));
  const choices = [...groups].flatMap((name) => {
    const group = members.filter(({ oneof }) => oneof === name);
    const count = group.filter(({ json }) => value[json] !== undefined).length;
    return count === 1 ? [] : [`${path} has ${count} of ${name}`];
  });
  return [...unknown, ...choices, ...members.flatMap((member) => misfit(member, value, path))];
}

function misfit(member: Member, value: JsonObject, path: string): readonly string[] {
  const { json, required = false, repeated = false } = member;
  const found = value[json];
  const where = `${path}.${json}`;
  if (found === undefined) return required ? [`${where} is missing`] : [];
  if (!repeated) return ofType(member.type, found, where);
  if (!Array.isArray(found)) return [`${where} is no list`];
  return (found as readonly JsonValue[]).flatMap((one, at) =>
    ofType(member.type, one, `${where}[${at}]`),
  );
}

function ofType(type: string, value: JsonValue, where: string): readonly string[] {
  const [, inner] = /^map<string, (.+)>$/.exec(type) ?? [];
  if (inner !== undefined) {
    if (!isJsonObject(value)) return [`${where} is no map`];
    return Object.entries(value).flatMap(([name, one]) => ofType(inner, one, `${where}.${name}`));
  }
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar(value) ? [] : [`${where} is no ${type}`];
  const names = published!.enums[type];
  if (names === undefined) return misfits(type, value, where);
  return typeof value === 'string' && (names[value] ?? 0) > 0 ? [] : [`${where} is no ${type}`];
}
