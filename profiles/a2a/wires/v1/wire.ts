// Owns the wire of A2A 1.0: JSON of the protobuf messages, the same over JSON-RPC and REST. SPEC.md section 20
// (#a2a-wires).

import type { JsonValue, Part } from '../../../../src/door/index.ts';
import { invalidInput } from '../../errors/a2a-error.ts';
import type { Fields } from '../../fields/read.ts';
import { readFields } from '../../fields/read.ts';
import { V1 } from '../../fields/v1.ts';
import { FLAT_PUSH } from '../../push/flat.ts';
import { assertLength, configurationOf, listOf, sendOf, textIn, wrong } from '../requests.ts';
import type { Shape } from '../shape.ts';
import { PROTOBUF_ROLES, protobufStates } from '../shape.ts';
import type { Wire } from '../wire.ts';
import { writersFor } from '../writers.ts';

export const V1_SHAPE: Shape = {
  name: 'v1',
  version: '1.0',
  table: V1,
  states: protobufStates('TASK_STATE_CANCELED'),
  roles: PROTOBUF_ROLES,
  content: 'parts',
  isKinded: false,
  hasFinal: false,
  writePart: (part) => ('bytes' in part ? { ...part, raw: part.bytes } : part) as Fields,
  readPart: ({ text, raw, url, data, mediaType, filename, metadata }, where) => {
    const facts = {
      ...(mediaType !== undefined && mediaType !== '' && { mediaType }),
      ...(filename !== undefined && filename !== '' && { filename }),
      ...(metadata !== undefined && { metadata }),
    } as Omit<Part, 'text'>;
    if (text !== undefined) return { text: text as string, ...facts };
    if (raw !== undefined) return { bytes: raw as Uint8Array, ...facts };
    if (url !== undefined) return { url: url as string, ...facts };
    if (data !== undefined) return { data: data as JsonValue, ...facts };
    throw invalidInput([wrong(where, 'expected one of text, raw, url and data')]);
  },
};

export const V1_WIRE: Wire = {
  name: V1_SHAPE.name,
  table: V1,
  push: FLAT_PUSH,
  queries: { task: 'GetTaskRequest', list: 'ListTasksRequest' },
  readSend: (value) => {
    const request = readFields(V1, 'SendMessageRequest', value);
    const isWaiting = configurationOf(request)?.['returnImmediately'] !== true;
    return sendOf(V1_SHAPE, request, 'taskPushNotificationConfig', isWaiting);
  },
  readTask: (value) => {
    const request = readFields(V1, 'GetTaskRequest', value);
    const { id, historyLength } = request;
    assertLength(historyLength, 'historyLength');
    return {
      id: id as string,
      ...textIn(request, 'tenant'),
      ...(historyLength !== undefined && { historyLength: historyLength as number }),
    };
  },
  readList: (value) =>
    listOf(V1_SHAPE, readFields(V1, 'ListTasksRequest', value), 'statusTimestampAfter'),
  ...writersFor(V1_SHAPE),
};
