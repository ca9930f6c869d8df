// Owns the wire of A2A 0.3 over REST: JSON of its protobuf messages, which are not the objects of its JSON-RPC.
// SPEC.md section 20 (#a2a-03).

import type { JsonObject, Part } from '../../../../src/door/index.ts';
import { isJsonObject } from '../../../../src/transport.ts';
import { invalidInput, refusal } from '../../errors/a2a-error.ts';
import type { Fields } from '../../fields/read.ts';
import { readFields } from '../../fields/read.ts';
import { V03 } from '../../fields/v03.ts';
import { namedPush } from '../../push/named.ts';
import { wrapData } from '../data.ts';
import { assertLength, configurationOf, sendOf, wrong } from '../requests.ts';
import type { Shape } from '../shape.ts';
import { PROTOBUF_ROLES, protobufStates } from '../shape.ts';
import type { Wire } from '../wire.ts';
import { writersFor } from '../writers.ts';

export const V03_REST_SHAPE: Shape = {
  name: 'v03-rest',
  version: '0.3',
  table: V03,
  states: protobufStates('TASK_STATE_CANCELLED'),
  roles: PROTOBUF_ROLES,
  content: 'content',
  isKinded: false,
  hasFinal: true,
  // A part has no metadata, and a file no name.
  writePart: (part) => {
    if ('text' in part) return { text: part.text };
    if ('data' in part) return { data: { data: wrapData(part.data, undefined).data } };
    const { mediaType } = part;
    const content = 'bytes' in part ? { fileWithBytes: part.bytes } : { fileWithUri: part.url };
    return { file: { ...content, ...(mediaType !== undefined && { mimeType: mediaType }) } };
  },
  readPart,
};

function readPart({ text, file, data }: Fields, where: string): Part {
  if (text !== undefined) return { text: text as string };
  if (data !== undefined) {
    const inner = (data as Fields)['data'];
    if (inner === undefined) throw invalidInput([wrong(`${where}.data.data`, 'is required')]);
    return { data: inner as JsonObject };
  }
  if (file === undefined) throw invalidInput([wrong(where, 'expected one of text, file and data')]);
  const { fileWithUri, fileWithBytes, mimeType } = file as Fields;
  const facts = mimeType === undefined || mimeType === '' ? {} : { mediaType: mimeType as string };
  if (fileWithBytes !== undefined) return { bytes: fileWithBytes as Uint8Array, ...facts };
  if (fileWithUri !== undefined) return { url: fileWithUri as string, ...facts };
  throw invalidInput([wrong(`${where}.file`, 'expected one of fileWithUri and fileWithBytes')]);
}

export const V03_REST_WIRE: Wire = {
  name: V03_REST_SHAPE.name,
  table: V03,
  push: namedPush(V03, 'v03', {
    one: 'GetTaskPushNotificationConfigRequest',
    list: 'ListTaskPushNotificationConfigRequest',
  }),
  queries: { task: 'GetTaskRequest', list: 'GetTaskRequest' },
  readSend: (value) => {
    const request = readFields(V03, 'SendMessageRequest', withContent(value));
    const configuration = configurationOf(request);
    // Protobuf leaves out what is false: a configuration that does not say so does not wait.
    const isWaiting = configuration === undefined || configuration['blocking'] === true;
    const sent = sendOf(V03_REST_SHAPE, request, 'pushNotification', isWaiting);
    const { historyLength, ...rest } = sent;
    return { ...rest, ...lengthOf(historyLength) };
  },
  readTask: (value) => {
    const name = `tasks/${value['id'] as string}`;
    const { historyLength } = readFields(V03, 'GetTaskRequest', { ...value, name });
    assertLength(historyLength, 'historyLength');
    return { id: value['id'] as string, ...lengthOf(historyLength as number | undefined) };
  },
  // No path leads here.
  readList: () => {
    throw refusal('METHOD_NOT_FOUND', 'ADDRESS_WRONG', 'A2A 0.3 has no lists');
  },
  ...writersFor(V03_REST_SHAPE),
};

/** There are clients that say `parts`, as every later version does. */
function withContent(value: JsonObject): JsonObject {
  const { message } = value;
  if (!isJsonObject(message)) return value;
  const { content, parts } = message;
  if (content !== undefined || parts === undefined) return value;
  return { ...value, message: { ...message, content: parts } };
}

/** Protobuf does not tell 0 and nothing apart: both are all. */
function lengthOf(length: number | undefined): { readonly historyLength?: number } {
  return length === undefined || length === 0 ? {} : { historyLength: length };
}
