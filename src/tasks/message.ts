// Owns messages between an agent and the owner of a task: what was asked, questions, replies, last words.
// SPEC.md section 8 (#parts).

import { writeJson } from '../codec/json/write.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { MemberFault } from './member-fault.ts';
import type { Part } from './part.ts';
import { createPart, dataIn, partWeight, textIn } from './part.ts';

/** A message as it is given: without what can be read from its parts. */
export interface MessageContent {
  readonly id: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  /** The extensions that it uses, by their URIs. */
  readonly extensions?: readonly string[];
  /** The ids of other tasks that it speaks of. */
  readonly references?: readonly string[];
  /** What it came in, and private facts of that dialect: read by its face only, and never sent by others. @default none */
  readonly source?: MessageSource;
}

/** As the source of a task. */
export interface MessageSource {
  readonly face: string;
  readonly value: JsonObject;
}

/** Immutable. As text it is its own text. */
export interface Message extends MessageContent {
  /** The text of its text parts, a line each. */
  readonly text: string;
  /** The value of its first data part. */
  readonly data: JsonValue | undefined;
  /** Its text. */
  toString(): string;
}

/** What an author says: text, a part, parts, or parts with metadata. */
export type Words =
  | string
  | Part
  | readonly Part[]
  | Pick<MessageContent, 'parts' | 'metadata' | 'extensions' | 'references'>;

const MAX_ID_LENGTH = 256;
const MAX_PARTS = 1_000;
const MAX_NAMES = 100;

class ReadableMessage implements Message {
  readonly id: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  declare readonly metadata?: JsonObject;
  declare readonly extensions?: readonly string[];
  declare readonly references?: readonly string[];
  declare readonly source?: MessageSource;

  /** @param parts are its own, as are the names. */
  constructor(
    { id, role, metadata, source }: MessageContent,
    parts: readonly Part[],
    extensions: readonly string[] | undefined,
    references: readonly string[] | undefined,
  ) {
    this.id = id;
    this.role = role;
    this.parts = parts;
    if (metadata !== undefined) this.metadata = metadata;
    if (extensions !== undefined) this.extensions = extensions;
    if (references !== undefined) this.references = references;
    if (source !== undefined) this.source = Object.freeze({ ...source });
    Object.freeze(this);
  }

  get text(): string {
    return textIn(this.parts, '\n');
  }

  get data(): JsonValue | undefined {
    return dataIn(this.parts);
  }

  toString(): string {
    return this.text;
  }
}

export function isMessage(value: unknown): value is Message {
  return value instanceof ReadableMessage;
}

/** Checks and copies a message. Wrong use is a TypeError that names the member after `where`. */
export function createMessage(content: MessageContent, where = 'message'): Message {
  if (content instanceof ReadableMessage) return content;
  if (typeof content !== 'object' || content === null) throw new MemberFault(where, 'a message');
  const { id, role, parts, metadata, extensions, references } = content;
  if (typeof id !== 'string' || id.length === 0 || id.length > MAX_ID_LENGTH) {
    throw new MemberFault(`${where}.id`, `1 to ${MAX_ID_LENGTH} characters`);
  }
  if (role !== 'user' && role !== 'agent') throw new MemberFault(`${where}.role`, 'user or agent');
  if (!Array.isArray(parts) || parts.length > MAX_PARTS) {
    throw new MemberFault(`${where}.parts`, `at most ${MAX_PARTS} parts`);
  }
  if (metadata !== undefined && !isJsonObject(metadata)) {
    throw new MemberFault(`${where}.metadata`, 'a JSON object');
  }
  return new ReadableMessage(
    content,
    Object.freeze(parts.map((part: Part, at) => createPart(part, `${where}.parts[${at}]`))),
    extensions === undefined ? undefined : namesIn(extensions, `${where}.extensions`),
    references === undefined ? undefined : namesIn(references, `${where}.references`),
  );
}

function namesIn(names: readonly string[], where: string): readonly string[] {
  const isUsable =
    Array.isArray(names) &&
    names.length <= MAX_NAMES &&
    names.every((name) => typeof name === 'string');
  if (!isUsable) throw new MemberFault(where, `at most ${MAX_NAMES} strings`);
  return Object.freeze([...names]);
}

/** What the agent says, as a message. */
export function agentMessage(words: Words, id: string): Message {
  return createMessage({ id, role: 'agent', ...contentOf(words) });
}

/** Somebody else's message may be words too: then its id and role are not taken over. */
function contentOf(words: Words): Omit<MessageContent, 'id' | 'role'> {
  if (typeof words === 'string') return { parts: [{ text: words }] };
  if (Array.isArray(words)) return { parts: words as readonly Part[] };
  if (!('parts' in words)) return { parts: [words as Part] };
  const { parts, metadata, extensions, references } = words;
  return {
    parts,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
    ...(references !== undefined && { references }),
  };
}

/** Bytes that the message takes on the wire, about. */
export function messageWeight({ parts, metadata }: MessageContent): number {
  const facts =
    metadata === undefined ? MESSAGE_WEIGHT : MESSAGE_WEIGHT + writeJson(metadata).length;
  return parts.reduce((sum, part) => sum + partWeight(part), facts);
}

const MESSAGE_WEIGHT = 256;
