// Owns the descriptor of protobuf that follows from a table of fields, for a protobuf runtime that others wrote.

import type { DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import type { DescriptorProto, FieldDescriptorProto } from '@bufbuild/protobuf/wkt';
import {
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';

import type { Field, Table } from '../../../profiles/a2a/fields/table.ts';

const WELL_KNOWN = [
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
].map(({ proto }) => proto);
const OWN = new Set(['Struct', 'Value', 'Timestamp', 'Empty']);
const SCALARS: Readonly<Record<string, Type>> = {
  string: Type.STRING,
  bytes: Type.BYTES,
  bool: Type.BOOL,
  int32: Type.INT32,
  int64: Type.INT64,
};

type Kind = Pick<FieldDescriptorProto, 'type'> & { readonly typeName?: string };

export function registryOf(table: Table): FileRegistry {
  const file = create(FileDescriptorProtoSchema, {
    name: `${table.package}.proto`,
    package: table.package,
    syntax: 'proto3',
    dependency: WELL_KNOWN.map(({ name }) => name),
    enumType: Object.entries(table.enums).map(([name, values]) => ({
      name,
      value: Object.entries(values).map(([value, number]) => ({ name: value, number })),
    })),
    messageType: Object.keys(table.messages).map((name) => messageOf(table, name)),
    service: [
      {
        name: 'A2AService',
        method: Object.entries(table.service).map(([name, { request, response, isStream }]) => ({
          name,
          inputType: nameOf(table, request),
          outputType: nameOf(table, response),
          serverStreaming: isStream,
        })),
      },
    ],
  });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...WELL_KNOWN, file] }));
}

export function schemaOf(registry: FileRegistry, table: Table, message: string): DescMessage {
  return registry.getMessage(nameOf(table, message).slice(1))!;
}

function messageOf(table: Table, name: string): DescriptorProto {
  const fields = table.messages[name]!;
  const groups = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))];
  const optional = fields.filter(({ isOptional }) => isOptional);
  const oneofs = [...groups, ...optional.map((field) => `_${field.name}`)];
  const maps = fields.filter(({ type }) => type.startsWith('map<'));
  return create(DescriptorProtoSchema, {
    name,
    oneofDecl: oneofs.map((oneof) => ({ name: oneof })),
    nestedType: maps.map((field) => entryOf(table, field)),
    field: fields.map((field) => {
      const isMap = maps.includes(field);
      const group = field.isOptional ? `_${field.name}` : field.oneof;
      const kind: Kind = isMap
        ? { type: Type.MESSAGE, typeName: `${nameOf(table, name)}.${entryName(field)}` }
        : kindOf(table, field.type);
      return create(FieldDescriptorProtoSchema, {
        name: field.name,
        number: field.number,
        jsonName: field.json,
        label: isMap || field.isRepeated ? Label.REPEATED : Label.OPTIONAL,
        ...kind,
        ...(group !== undefined && { oneofIndex: oneofs.indexOf(group) }),
        ...(field.isOptional && { proto3Optional: true }),
      });
    }),
  });
}

function entryOf(table: Table, field: Field): DescriptorProto {
  const [, inner = ''] = /^map<string,(\w+)>$/.exec(field.type)!;
  const label = Label.OPTIONAL;
  return create(DescriptorProtoSchema, {
    name: entryName(field),
    options: { mapEntry: true },
    field: [
      { name: 'key', jsonName: 'key', number: 1, label, type: Type.STRING },
      { name: 'value', jsonName: 'value', number: 2, label, ...kindOf(table, inner) },
    ],
  });
}

/** As the compiler of protobuf calls it. */
function entryName({ name }: Field): string {
  return `${name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Entry`;
}

function kindOf(table: Table, type: string): Kind {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return { type: scalar };
  const isEnum = table.enums[type] !== undefined;
  return { type: isEnum ? Type.ENUM : Type.MESSAGE, typeName: nameOf(table, type) };
}

function nameOf(table: Table, type: string): string {
  return OWN.has(type) ? `.google.protobuf.${type}` : `.${table.package}.${type}`;
}
