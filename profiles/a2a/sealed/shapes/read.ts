// Owns how messages, parts and artifacts of every shape are read. What is no message is told by `undefined`.
// SPEC.md sections 20 and 22 (#a2a-03, #sealed-message).

import type { JsonObject } from '../../../../src/codec/index.ts';
import { isJsonObject } from '../../../../src/codec/index.ts';
import { unwrapData } from '../../wires/data.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import type {
  Bag,
  Family,
  NeutralArtifact,
  NeutralMessage,
  NeutralPart,
  Places,
  Role,
} from './neutral.ts';
import { bagOf, listOf, textOf, textsOf } from './neutral.ts';
import { familyOfState } from './state.ts';
import { toValue } from './values.ts';

export function familyOf(given: Bag): Family {
  const [first] = rawPartsOf(given);
  const part = bagOf(first) ?? {};
  if (typeof given['role'] === 'number' || bagOf(part['content'])?.['$case'] !== undefined) {
    return 'sdk';
  }
  if (typeof given['kind'] === 'string' || typeof part['kind'] === 'string') return 'kind';
  return familyOfState(bagOf(given['status'])?.['state'] ?? given['state']) ?? 'wire';
}

/** JSON of the protobuf messages of 0.3 has `content` for parts. */
export function rawPartsOf(given: Bag): readonly unknown[] {
  return Array.isArray(given['parts']) ? listOf(given['parts']) : listOf(given['content']);
}

export function placesOf(given: Bag): Places {
  const contextId = textOf(given['contextId']);
  const taskId = textOf(given['taskId']);
  return {
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
  };
}

export function readRole(given: unknown): Role | undefined {
  if (given === 1 || given === 'user' || given === 'ROLE_USER') return 'user';
  return given === 2 || given === 'agent' || given === 'ROLE_AGENT' ? 'agent' : undefined;
}

/** Throws a TypeError for data that JSON does not have. */
export function readMessage(given: Bag): NeutralMessage | undefined {
  const messageId = textOf(given['messageId']);
  const role = readRole(given['role']);
  const isProto = !Array.isArray(given['parts']);
  const parts = readParts(rawPartsOf(given), isProto);
  if (messageId === undefined || role === undefined || parts === undefined) return undefined;
  const referenceTaskIds = textsOf(given['referenceTaskIds']);
  return {
    messageId,
    role,
    parts,
    ...(referenceTaskIds && { referenceTaskIds }),
    ...surroundingsOf(given),
  };
}

export function readArtifact(given: Bag): NeutralArtifact | undefined {
  const artifactId = textOf(given['artifactId']);
  const parts = readParts(listOf(given['parts']), false);
  if (artifactId === undefined || parts === undefined) return undefined;
  const name = textOf(given['name']);
  const description = textOf(given['description']);
  return {
    artifactId,
    parts,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...surroundingsOf(given),
  };
}

function surroundingsOf(given: Bag): Pick<NeutralMessage, 'extensions' | 'metadata'> {
  const extensions = textsOf(given['extensions']);
  const metadata = objectIn(given['metadata']);
  return { ...(extensions && { extensions }), ...(metadata && { metadata }) };
}

/** `undefined` where one of them is no part. */
function readParts(given: readonly unknown[], isProto: boolean): NeutralPart[] | undefined {
  const parts = given.map((part) => readPart(bagOf(part) ?? {}, isProto));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function readPart(part: Bag, isProto: boolean): NeutralPart | undefined {
  const said = bagOf(part['content']);
  const content = said === undefined ? part : { [String(said['$case'])]: said['value'] ?? null };
  const file = bagOf(content['file']);
  const metadata = objectIn(part['metadata']);
  const found = [
    contentOf('text', content['text']),
    rawOf(file?.['bytes'] ?? file?.['fileWithBytes'] ?? content['raw']),
    contentOf('url', file?.['uri'] ?? file?.['fileWithUri'] ?? content['url']),
    dataOf(isProto ? bagOf(content['data'])?.['data'] : content['data'], metadata),
  ].filter((one) => one !== undefined);
  if (found.length !== 1) return undefined;
  const filename = textOf(file?.['name'] ?? part['filename']);
  const mediaType = textOf(file?.['mimeType'] ?? file?.['mediaType'] ?? part['mediaType']);
  return {
    ...found[0]!,
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    ...(metadata && found[0]!.data === undefined && { metadata }),
  };
}

function contentOf(name: 'text' | 'url', value: unknown): NeutralPart | undefined {
  return typeof value === 'string' ? { [name]: value } : undefined;
}

function rawOf(value: unknown): NeutralPart | undefined {
  if (value instanceof Uint8Array) return { raw: encodeBase64(value) };
  const bytes = typeof value === 'string' ? decodeBase64(value) : undefined;
  return bytes && { raw: encodeBase64(bytes) };
}

/** A wire that carries only objects wraps what is none, and says so in the metadata of the part. */
function dataOf(given: unknown, metadata: JsonObject | undefined): NeutralPart | undefined {
  if (given === undefined) return undefined;
  const data = toValue(given);
  if (isJsonObject(data)) return unwrapData(data, metadata);
  return { data, ...(metadata && { metadata }) };
}

/** Of what is there and not empty. */
function objectIn(given: unknown): JsonObject | undefined {
  const bag = bagOf(given);
  return bag === undefined || Object.keys(bag).length === 0
    ? undefined
    : (toValue(bag) as JsonObject);
}
