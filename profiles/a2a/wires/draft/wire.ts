// Owns the wire of the draft of December 2025, the same over JSON-RPC and REST. SPEC.md section 20 (#a2a-draft).

import type { JsonObject, Part } from '../../../../src/door/index.ts';
import { invalidInput } from '../../errors/a2a-error.ts';
import { DRAFT } from '../../fields/draft.ts';
import type { Fields } from '../../fields/read.ts';
import { readFields } from '../../fields/read.ts';
import { namedPush } from '../../push/named.ts';
import { unwrapData, wrapData } from '../data.ts';
import { assertLength, configurationOf, listOf, sendOf, textIn, wrong } from '../requests.ts';
import type { Shape } from '../shape.ts';
import { WORD_ROLES, kebabStates } from '../shape.ts';
import type { Wire } from '../wire.ts';
import { writersFor } from '../writers.ts';

/** The name of a task as a resource. */
const NAME = /^tasks\/(.+)$/s;

export const DRAFT_SHAPE: Shape = {
  name: 'draft',
  version: 'draft',
  table: DRAFT,
  states: kebabStates('cancelled'),
  roles: WORD_ROLES,
  content: 'parts',
  isKinded: false,
  hasFinal: true,
  writePart: (part) => {
    const { mediaType, filename, metadata } = part;
    const facts = metadata === undefined ? {} : { metadata };
    if ('text' in part) return { text: part.text, ...facts };
    if ('data' in part) {
      const { data, ...marked } = wrapData(part.data, metadata);
      return { data: { data }, ...marked };
    }
    const content = 'bytes' in part ? { fileWithBytes: part.bytes } : { fileWithUri: part.url };
    const named = {
      ...(mediaType !== undefined && { mediaType }),
      ...(filename !== undefined && { name: filename }),
    };
    return { file: { ...content, ...named }, ...facts };
  },
  readPart,
};

function readPart({ text, file, data, ...rest }: Fields, where: string): Part {
  const metadata = rest['metadata'] as JsonObject | undefined;
  const facts = metadata === undefined ? {} : { metadata };
  if (text !== undefined) return { text: text as string, ...facts };
  if (data !== undefined) return unwrapData((data as Fields)['data'] as JsonObject, metadata);
  if (file === undefined) throw invalidInput([wrong(where, 'expected one of text, file and data')]);
  const { fileWithUri, fileWithBytes, mediaType, name } = file as Fields;
  const named = {
    ...(typeof mediaType === 'string' && mediaType !== '' && { mediaType }),
    ...(typeof name === 'string' && name !== '' && { filename: name }),
    ...facts,
  };
  if (fileWithBytes !== undefined) return { bytes: fileWithBytes as Uint8Array, ...named };
  if (fileWithUri !== undefined) return { url: fileWithUri as string, ...named };
  throw invalidInput([wrong(`${where}.file`, 'expected one of fileWithUri and fileWithBytes')]);
}

export const DRAFT_WIRE: Wire = {
  name: DRAFT_SHAPE.name,
  table: DRAFT,
  push: namedPush(DRAFT, 'draft', {
    one: 'PushConfigRequest',
    list: 'ListTaskPushNotificationConfigRequest',
  }),
  queries: { task: 'TaskRequest', list: 'ListTasksRequest' },
  readSend: (value) => {
    const request = readFields(DRAFT, 'SendMessageRequest', value);
    const isWaiting = configurationOf(request)?.['blocking'] === true;
    return sendOf(DRAFT_SHAPE, request, 'pushNotificationConfig', isWaiting);
  },
  readTask: (value) => {
    const request = readFields(DRAFT, 'TaskRequest', value);
    const { historyLength } = request;
    assertLength(historyLength, 'historyLength');
    return {
      id: idIn(request),
      ...textIn(request, 'tenant'),
      ...(historyLength !== undefined && { historyLength: historyLength as number }),
    };
  },
  readList: (value) =>
    listOf(DRAFT_SHAPE, readFields(DRAFT, 'ListTasksRequest', value), 'lastUpdatedAfter'),
  ...writersFor(DRAFT_SHAPE),
};

/** Its examples say `id`, its messages `name`: either will do, but not both for two tasks. */
function idIn(request: Fields): string {
  const { id, name } = { ...textIn(request, 'id'), ...textIn(request, 'name') };
  const [, named] = NAME.exec(name ?? '') ?? [];
  if (name !== undefined && (named === undefined || (id !== undefined && id !== named))) {
    throw invalidInput([wrong('name', 'expected tasks/ and the id of the task')]);
  }
  const found = id ?? named;
  if (found === undefined) throw invalidInput([wrong('id', 'is required')]);
  return found;
}
