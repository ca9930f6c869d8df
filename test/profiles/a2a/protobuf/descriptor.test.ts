// Proves that the descriptor of protobuf that follows from each table says what was published, member by member.

import type { DescField } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';

import type { Table } from '../../../../profiles/a2a/fields/table.ts';
import { V03 } from '../../../../profiles/a2a/fields/v03.ts';
import { V1 } from '../../../../profiles/a2a/fields/v1.ts';
import { registryOf, schemaOf } from '../../../support/a2a/descriptor.ts';
import { hasVectors, vectorJson } from '../../../support/repository/vectors.ts';

interface PublishedField {
  readonly name: string;
  readonly json: string;
  readonly number: number;
  readonly type: string;
  readonly repeated?: boolean;
  readonly optional?: boolean;
  readonly oneof?: string;
}

interface Published {
  readonly package: string;
  readonly messages: Readonly<Record<string, readonly PublishedField[]>>;
  readonly service: Readonly<
    Record<string, { readonly request: string; readonly response: string; stream?: boolean }>
  >;
}

const SCALARS: Readonly<Partial<Record<ScalarType, string>>> = {
  [ScalarType.STRING]: 'string',
  [ScalarType.BYTES]: 'bytes',
  [ScalarType.BOOL]: 'bool',
  [ScalarType.INT32]: 'int32',
  [ScalarType.INT64]: 'int64',
};

function typeOf(field: DescField, prefix: string): string {
  const short = (typeName: string): string => typeName.replace(`${prefix}.`, '');
  const inner = (kind: string | undefined): string => {
    if (kind === 'message') return short(field.message!.typeName);
    return kind === 'enum' ? short(field.enum!.typeName) : SCALARS[field.scalar!]!;
  };
  if (field.fieldKind === 'map') return `map<string, ${inner(field.mapKind)}>`;
  return inner(field.fieldKind === 'list' ? field.listKind : field.fieldKind);
}

describe.skipIf(!hasVectors)('the descriptor #a2a-fields', () => {
  test.each([
    ['v1', V1],
    ['v0.3', V03],
  ] as const)('of %s is the one that was published', (name, table: Table) => {
    const published = vectorJson<Readonly<Record<string, Published>>>('a2a/fields.json')[name]!;
    const registry = registryOf(table);
    const told = Object.keys(published.messages).map((message) => [
      message,
      schemaOf(registry, table, message).fields.map((field) => ({
        name: field.name,
        json: field.jsonName,
        number: field.number,
        type: typeOf(field, published.package),
        repeated: field.fieldKind === 'list',
        optional: field.proto.proto3Optional,
        oneof: field.oneof?.name,
      })),
    ]);
    const expected = Object.entries(published.messages).map(([message, fields]) => [
      message,
      fields.map(({ name: said, json, number, type, oneof, ...marks }) => ({
        name: said,
        json,
        number,
        type,
        repeated: marks.repeated === true,
        optional: marks.optional === true,
        oneof,
      })),
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
    const service = registry.getService(`${published.package}.A2AService`)!;
    const methods = service.methods.map(({ name: method, input, output, methodKind }) => [
      method,
      {
        request: input.typeName.replace(`${published.package}.`, ''),
        response: output.typeName.replace(`${published.package}.`, ''),
        stream: methodKind === 'server_streaming',
      },
    ]);
    const facts = Object.entries(published.service).map(
      ([method, { request, response, stream }]) => [
        method,
        { request, response, stream: stream === true },
      ],
    );
    expect(Object.fromEntries(methods)).toEqual(Object.fromEntries(facts));
  });
});
