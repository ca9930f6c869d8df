// Owns how messages, parts, artifacts and statuses are written in the shape that the program uses. SPEC.md sections 20
// and 22 (#a2a-03, #sealed-message).

import type { JsonObject } from '../../../../src/codec/index.ts';
import { isJsonObject } from '../../../../src/codec/index.ts';
import { wrapData } from '../../wires/data.ts';
import { decodeBase64 } from './base64.ts';
import type {
  Bag,
  Family,
  NeutralArtifact,
  NeutralMessage,
  NeutralPart,
  Places,
  Role,
} from './neutral.ts';
import type { TaskStateName } from './state.ts';
import { writeState } from './state.ts';
import { toPlain } from './values.ts';

const ROLES: Readonly<Record<Family, Readonly<Record<Role, string | number>>>> = {
  wire: { user: 'ROLE_USER', agent: 'ROLE_AGENT' },
  sdk: { user: 1, agent: 2 },
  kind: { user: 'user', agent: 'agent' },
};

export function writeMessage(message: NeutralMessage, places: Places, family: Family): Bag {
  const { messageId, role, parts, referenceTaskIds, extensions, metadata } = message;
  const said = {
    messageId,
    role: ROLES[family][role],
    parts: parts.map((part) => writePart(part, family)),
  };
  if (family === 'sdk') {
    return {
      contextId: '',
      taskId: '',
      ...places,
      ...said,
      metadata: metadata && toPlain(metadata),
      extensions: [...(extensions ?? [])],
      referenceTaskIds: [...(referenceTaskIds ?? [])],
    };
  }
  return {
    ...(family === 'kind' && { kind: 'message' }),
    ...said,
    ...places,
    ...(referenceTaskIds && { referenceTaskIds: [...referenceTaskIds] }),
    ...(extensions && { extensions: [...extensions] }),
    ...(metadata && { metadata: toPlain(metadata) }),
  };
}

export function writeArtifact(artifact: NeutralArtifact, family: Family): Bag {
  const { artifactId, name, description, extensions, metadata } = artifact;
  const parts = artifact.parts.map((part) => writePart(part, family));
  if (family === 'sdk') {
    return {
      artifactId,
      name: name ?? '',
      description: description ?? '',
      parts,
      metadata: metadata && toPlain(metadata),
      extensions: [...(extensions ?? [])],
    };
  }
  return {
    artifactId,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts,
    ...(extensions && { extensions: [...extensions] }),
    ...(metadata && { metadata: toPlain(metadata) }),
  };
}

/** The timestamp stays as it was. */
export function writeStatus(
  given: Bag,
  state: TaskStateName,
  message: Bag | undefined,
  family: Family,
): Bag {
  return { ...given, state: writeState(state, family), ...(message && { message }) };
}

function writePart(part: NeutralPart, family: Family): Bag {
  if (family === 'sdk') return sdkPart(part);
  if (family === 'kind') return kindPart(part);
  const { data, metadata, ...rest } = part;
  return {
    ...rest,
    ...(data !== undefined && { data: toPlain(data) }),
    ...(metadata && { metadata: toPlain(metadata) }),
  };
}

function sdkPart({ text, raw, url, data, filename, mediaType, metadata }: NeutralPart): Bag {
  const content =
    text !== undefined
      ? { $case: 'text', value: text }
      : raw !== undefined
        ? { $case: 'raw', value: bytesOf(raw) }
        : url !== undefined
          ? { $case: 'url', value: url }
          : { $case: 'data', value: toPlain(data ?? null) };
  return {
    content,
    metadata: metadata && toPlain(metadata),
    filename: filename ?? '',
    mediaType: mediaType ?? '',
  };
}

/** The media type and file name of text and data have no place in 0.3. */
function kindPart({ text, raw, url, data, filename, mediaType, metadata }: NeutralPart): Bag {
  if (text !== undefined) return { kind: 'text', text, ...metadataOf(metadata) };
  if (raw === undefined && url === undefined) {
    const wrapped = wrapData(data ?? null, metadata);
    return { kind: 'data', data: toPlain(wrapped.data), ...metadataOf(wrapped.metadata) };
  }
  const file = {
    ...(raw !== undefined ? { bytes: raw } : { uri: url }),
    ...(filename !== undefined && { name: filename }),
    ...(mediaType !== undefined && { mimeType: mediaType }),
  };
  return { kind: 'file', file, ...metadataOf(metadata) };
}

function metadataOf(given: JsonObject | undefined): Bag {
  return given === undefined ? {} : { metadata: toPlain(given) };
}

/** The SDK has buffers of Node; elsewhere there are none. */
function bytesOf(raw: string): Uint8Array {
  const bytes = decodeBase64(raw) ?? new Uint8Array(0);
  const { Buffer: nodes } = globalThis as { readonly Buffer?: typeof Buffer };
  return nodes === undefined ? bytes : nodes.from(bytes);
}

/** Is it an object by which a wire of 0.3 can carry it as it is? */
export function isObjectData({ data }: NeutralPart): boolean {
  return data === undefined || isJsonObject(data);
}
