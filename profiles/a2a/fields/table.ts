// Owns what a table of fields is: every message of one wire with the name, number and type of each member. Checks, JSON
// and the protobuf descriptor follow from it. SPEC.md section 20 (#a2a-fields).

/** How one value is written: a scalar, an enum or a message of the table, or a map from strings to one of these. */
type FieldType = string;

export interface Field {
  /** In JSON. */
  readonly json: string;
  /** In protobuf. */
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  readonly isRepeated: boolean;
  /** A value that is empty counts as missing. */
  readonly isRequired: boolean;
  /** In protobuf it is known whether it was set. */
  readonly isOptional: boolean;
  /** At most one field of this group is set. */
  readonly oneof?: string;
}

interface Method {
  readonly request: string;
  readonly response: string;
  readonly isStream: boolean;
}

/** One wire. */
export interface Table {
  /** Of its protobuf messages; empty where there are none. */
  readonly package: string;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly messages: Readonly<Record<string, readonly Field[]>>;
  readonly service: Readonly<Record<string, Method>>;
}

/** `[number, type, oneof?]`; after the type `[]` is a list, `!` required, `?` optional. */
type ShortField = readonly [number: number, type: string, oneof?: string];

interface ShortTable {
  readonly package: string;
  readonly enums: Table['enums'];
  readonly messages: Readonly<Record<string, Readonly<Record<string, ShortField>>>>;
  /** `Message.member` → its name in protobuf, where that is not the JSON name with underscores. */
  readonly names?: Readonly<Record<string, string>>;
  readonly service?: Readonly<Record<string, readonly [string, string, 'stream'?]>>;
}

/** A map from strings. */
export const MAP_TYPE: RegExp = /^map<string,(\w+)>$/;
const TYPE = /^(.+?)(\[\])?([!?])?$/;

export function defineTable(short: ShortTable): Table {
  const { names = {}, service = {} } = short;
  const messages = Object.entries(short.messages).map(([message, fields]) => [
    message,
    Object.entries(fields).map(([json, field]) =>
      fieldOf(json, names[`${message}.${json}`] ?? snakeCase(json), field),
    ),
  ]);
  return {
    package: short.package,
    enums: short.enums,
    messages: Object.fromEntries(messages) as Table['messages'],
    service: Object.fromEntries(
      Object.entries(service).map(([method, [request, response, stream]]) => [
        method,
        { request, response, isStream: stream === 'stream' },
      ]),
    ),
  };
}

function fieldOf(json: string, name: string, [number, text, oneof]: ShortField): Field {
  const [, type = '', list, mark] = TYPE.exec(text)!;
  return {
    json,
    name,
    number,
    type,
    isRepeated: list !== undefined,
    isRequired: mark === '!',
    isOptional: mark === '?',
    ...(oneof !== undefined && { oneof }),
  };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
