// Owns the schema of P1 payloads for the protobuf runtime that others wrote, without generated code.

import type { DescMessage } from '@bufbuild/protobuf';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import type { FieldDescriptorProto } from '@bufbuild/protobuf/wkt';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';

const { BYTES, STRING, BOOL, MESSAGE } = FieldDescriptorProto_Type;
const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
const PACKAGE = 'swp.p1.a2a.v1';

function field(
  number: number,
  name: string,
  type: FieldDescriptorProto_Type,
  more: { readonly label?: FieldDescriptorProto_Label; readonly typeName?: string } = {},
): FieldDescriptorProto {
  const { label = OPTIONAL, typeName } = more;
  return create(FieldDescriptorProtoSchema, {
    number,
    name,
    type,
    label,
    ...(typeName !== undefined && { typeName, oneofIndex: 0 }),
  });
}

export function payloadSchema(): DescMessage {
  const set = create(FileDescriptorSetSchema, {
    file: [
      {
        name: 'a2a_p1.proto',
        package: PACKAGE,
        syntax: 'proto3',
        messageType: [
          {
            name: 'Handshake',
            field: [
              field(1, 'agent_id', STRING),
              field(2, 'capabilities', STRING, { label: REPEATED }),
            ],
          },
          {
            name: 'Task',
            field: [field(1, 'task_id', BYTES), field(2, 'kind', STRING), field(3, 'input', BYTES)],
          },
          {
            name: 'Event',
            field: [
              field(1, 'task_id', BYTES),
              field(2, 'message', STRING),
              field(3, 'event_payload', BYTES),
            ],
          },
          {
            name: 'Result',
            field: [
              field(1, 'task_id', BYTES),
              field(2, 'ok', BOOL),
              field(3, 'output', BYTES),
              field(4, 'error_message', STRING),
            ],
          },
          {
            name: 'Payload',
            oneofDecl: [{ name: 'body' }],
            field: ['Handshake', 'Task', 'Event', 'Result'].map((name, at) =>
              field(at + 1, name.toLowerCase(), MESSAGE, { typeName: `.${PACKAGE}.${name}` }),
            ),
          },
        ],
      },
    ],
  });
  return createFileRegistry(set).getMessage(`${PACKAGE}.Payload`)!;
}
