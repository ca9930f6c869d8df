// Owns parts and messages as JSON: the form of the log and of the SDL wire. SPEC.md section 8 (#parts).

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import type { Message, MessageContent, MessageSource } from './message.ts';
import { createMessage } from './message.ts';
import type { Part } from './part.ts';
import { createPart } from './part.ts';

function writePart(part: Part): JsonObject {
  const { mediaType, filename, metadata } = part;
  return {
    ...contentOf(part),
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(filename !== undefined && { filename }),
    ...(metadata !== undefined && { metadata }),
  };
}

function contentOf(part: Part): JsonObject {
  if ('text' in part) return { text: part.text };
  if ('data' in part) return { data: part.data };
  if ('bytes' in part) return { bytes: encodeBase64url(part.bytes) };
  return { url: part.url };
}

export function writeParts(parts: readonly Part[]): JsonArray {
  return parts.map(writePart);
}

/** Throws a TypeError that names what is wrong. */
function readPart(value: JsonValue, where: string): Part {
  if (!isJsonObject(value)) throw new TypeError(`"${where}" expected a part`);
  const { bytes, media_type: mediaType, ...rest } = value;
  const decoded = typeof bytes === 'string' ? decodeBase64url(bytes) : undefined;
  if (bytes !== undefined && decoded === undefined) {
    throw new TypeError(`"${where}.bytes" expected base64url`);
  }
  const facts = {
    ...rest,
    ...(decoded && { bytes: decoded }),
    ...(mediaType !== undefined && { mediaType }),
  };
  return createPart(facts as unknown as Part, where);
}

export function readParts(value: JsonValue | undefined, where: string): readonly Part[] {
  if (!isJsonArray(value)) throw new TypeError(`"${where}" expected an array of parts`);
  return value.map((part, at) => readPart(part, `${where}[${at}]`));
}

export function writeMessage(message: MessageContent): JsonObject {
  const { id, role, parts, metadata, extensions, references } = message;
  return {
    id,
    role,
    parts: writeParts(parts),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions: [...extensions] }),
    ...(references !== undefined && { references: [...references] }),
  };
}

/** Throws a TypeError that names what is wrong. Where it came from nobody outside may say. */
export function readMessage(value: JsonValue | undefined, where: string): Message {
  if (!isJsonObject(value)) throw new TypeError(`"${where}" expected a message`);
  const { parts, source: _source, ...rest } = value;
  return createMessage(
    { ...(rest as unknown as MessageContent), parts: readParts(parts, `${where}.parts`) },
    where,
  );
}

/** For the log: with what it came in. */
export function writeKeptMessage(message: MessageContent): JsonObject {
  const { source } = message;
  const written = writeMessage(message);
  return source === undefined
    ? written
    : { ...written, source: { face: source.face, value: source.value } };
}

/** What {@link writeKeptMessage} wrote. */
export function readKeptMessage(value: JsonValue | undefined): Message {
  const message = readMessage(value, 'message');
  const { source } = value as JsonObject;
  if (!isJsonObject(source)) return message;
  return createMessage({ ...message, source: source as unknown as MessageSource });
}
