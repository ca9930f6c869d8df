// Owns the wire of A2A 0.3 over JSON-RPC: objects that name themselves with `kind`. SPEC.md section 20 (#a2a-03).

import type { JsonObject, Part } from '../../../../src/door/index.ts';
import { invalidInput, refusal } from '../../errors/a2a-error.ts';
import type { Fields } from '../../fields/read.ts';
import { readFields } from '../../fields/read.ts';
import { V03_JSON } from '../../fields/v03-json.ts';
import { KINDED_PUSH } from '../../push/kinded.ts';
import { unwrapData, wrapData } from '../data.ts';
import { assertLength, configurationOf, sendOf, wrong } from '../requests.ts';
import type { Shape } from '../shape.ts';
import { WORD_ROLES, kebabStates } from '../shape.ts';
import type { Wire } from '../wire.ts';
import { writersFor } from '../writers.ts';

export const V03_JSONRPC_SHAPE: Shape = {
  name: 'v03-jsonrpc',
  version: '0.3',
  table: V03_JSON,
  states: kebabStates('canceled'),
  roles: WORD_ROLES,
  content: 'parts',
  isKinded: true,
  hasFinal: true,
  writePart: (part) => {
    const { metadata } = part;
    const facts = metadata === undefined ? {} : { metadata };
    if ('text' in part) return { kind: 'text', text: part.text, ...facts };
    if ('data' in part) return { kind: 'data', ...wrapData(part.data, metadata) };
    return { kind: 'file', file: fileOf(part), ...facts };
  },
  readPart,
};

/** Media types of text and data have no place here, nor have their file names. */
function fileOf(
  part: Exclude<Part, { readonly text: string } | { readonly data: unknown }>,
): Fields {
  const { mediaType, filename } = part;
  return {
    ...('bytes' in part ? { bytes: part.bytes } : { uri: part.url }),
    ...(mediaType !== undefined && { mimeType: mediaType }),
    ...(filename !== undefined && { name: filename }),
  };
}

function readPart(fields: Fields, where: string): Part {
  const { kind, text, file, data } = fields;
  const metadata = fields['metadata'] as JsonObject | undefined;
  const facts = metadata === undefined ? {} : { metadata };
  const found = text === undefined ? (file === undefined ? 'data' : 'file') : 'text';
  if (kind !== undefined && kind !== found) {
    throw invalidInput([wrong(`${where}.kind`, 'is not what the part holds')]);
  }
  if (text !== undefined) return { text: text as string, ...facts };
  if (data !== undefined) return unwrapData(data as JsonObject, metadata);
  if (file === undefined) throw invalidInput([wrong(where, 'expected one of text, file and data')]);
  const { bytes, uri, mimeType, name } = file as Fields;
  const named = {
    ...(typeof mimeType === 'string' && mimeType !== '' && { mediaType: mimeType }),
    ...(typeof name === 'string' && name !== '' && { filename: name }),
    ...facts,
  };
  if (bytes !== undefined) return { bytes: bytes as Uint8Array, ...named };
  if (uri !== undefined) return { url: uri as string, ...named };
  throw invalidInput([wrong(`${where}.file`, 'expected one of bytes and uri')]);
}

export const V03_JSONRPC_WIRE: Wire = {
  name: V03_JSONRPC_SHAPE.name,
  table: V03_JSON,
  push: KINDED_PUSH,
  queries: { task: 'TaskRequest', list: 'TaskRequest' },
  readSend: (value) => {
    const request = readFields(V03_JSON, 'SendMessageRequest', value);
    const isWaiting = configurationOf(request)?.['blocking'] !== false;
    return sendOf(V03_JSONRPC_SHAPE, request, 'pushNotificationConfig', isWaiting);
  },
  readTask: (value) => {
    const { id, historyLength } = readFields(V03_JSON, 'TaskRequest', value);
    assertLength(historyLength, 'historyLength');
    return {
      id: id as string,
      ...(historyLength !== undefined && { historyLength: historyLength as number }),
    };
  },
  // No method leads here.
  readList: () => {
    throw refusal('METHOD_NOT_FOUND', 'ADDRESS_WRONG', 'A2A 0.3 has no lists');
  },
  ...writersFor(V03_JSONRPC_SHAPE),
};
