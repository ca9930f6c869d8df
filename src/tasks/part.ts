// Owns the parts that messages and artifacts are made of: text, data, bytes or an address, each with what is known of it.
// SPEC.md section 8 (#parts).

import { writeJson } from '../codec/json/write.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { MemberFault } from './member-fault.ts';

interface PartFacts {
  /** Such as `text/plain`. @default what kind of part it is says enough */
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: JsonObject;
}

interface TextPart extends PartFacts {
  readonly text: string;
}

interface DataPart extends PartFacts {
  readonly data: JsonValue;
}

interface BytesPart extends PartFacts {
  readonly bytes: Uint8Array;
}

interface UrlPart extends PartFacts {
  /** Nobody here fetches it. */
  readonly url: string;
}

/** Exactly one of `text`, `data`, `bytes` and `url` holds the content. Immutable. */
export type Part = TextPart | DataPart | BytesPart | UrlPart;

const KINDS = ['text', 'data', 'bytes', 'url'] as const;
type PartKind = (typeof KINDS)[number];

const MAX_FILENAME_LENGTH = 1_024;
const MAX_URL_LENGTH = 8_192;
const MEDIA_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: ?; ?[\w.-]+=(?:[\w.+-]+|"[^"\\]*")){0,8}$/;

/** Checks and copies a part. Wrong use is a TypeError that names the member after `where`. */
export function createPart(input: Part, where: string): Part {
  if (typeof input !== 'object' || input === null) throw new MemberFault(where, 'a part');
  let kind: PartKind | undefined;
  for (const name of KINDS) {
    if ((input as Partial<Record<PartKind, unknown>>)[name] === undefined) continue;
    if (kind !== undefined) throw wrongKind(where);
    kind = name;
  }
  if (kind === undefined) throw wrongKind(where);
  const content = contentIn(kind, input, where);
  const facts = factsOf(input, where);
  return Object.freeze(facts === NO_FACTS ? content : { ...content, ...facts });
}

function wrongKind(where: string): MemberFault {
  return new MemberFault(where, 'exactly one of text, data, bytes and url');
}

const NO_FACTS: PartFacts = Object.freeze({});

function contentIn(kind: PartKind, input: Part, where: string): Part {
  if (kind === 'data') {
    const { data } = input as DataPart;
    // It throws for what is no JSON.
    writeJson(data);
    return { data };
  }
  if (kind === 'bytes') {
    const { bytes } = input as BytesPart;
    if (!(bytes instanceof Uint8Array)) throw new MemberFault(`${where}.bytes`, 'a Uint8Array');
    return { bytes: bytes.slice() };
  }
  const text = (input as Partial<Record<PartKind, unknown>>)[kind];
  if (typeof text !== 'string') throw new MemberFault(`${where}.${kind}`, 'a string');
  if (kind === 'text') return { text };
  if (text.length === 0 || text.length > MAX_URL_LENGTH) {
    throw new MemberFault(`${where}.url`, `1 to ${MAX_URL_LENGTH} characters`);
  }
  return { url: text };
}

function factsOf({ mediaType, filename, metadata }: Part, where: string): PartFacts {
  const hasNone = mediaType === undefined && filename === undefined && metadata === undefined;
  if (hasNone) return NO_FACTS;
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType)) {
    throw new MemberFault(`${where}.mediaType`, 'type/subtype');
  }
  if (
    filename !== undefined &&
    !(typeof filename === 'string' && filename.length <= MAX_FILENAME_LENGTH)
  ) {
    throw new MemberFault(`${where}.filename`, `at most ${MAX_FILENAME_LENGTH} characters`);
  }
  if (metadata !== undefined && !isJsonObject(metadata)) {
    throw new MemberFault(`${where}.metadata`, 'a JSON object');
  }
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The text of all text parts. */
export function textIn(parts: readonly Part[], separator: string): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join(separator);
}

/** The value of the first data part. */
export function dataIn(parts: readonly Part[]): JsonValue | undefined {
  const part = parts.find((candidate) => 'data' in candidate);
  return part?.data;
}

/** Bytes that the part takes on the wire, about; a TypeError for text that no message can carry. */
export function partWeight(part: Part): number {
  const { metadata } = part;
  const facts = PART_WEIGHT + (metadata === undefined ? 0 : writeJson(metadata).length);
  if ('text' in part) return facts + textWeight(part.text);
  if ('data' in part) return facts + writeJson(part.data).length;
  if ('bytes' in part) return facts + Math.ceil((part.bytes.length * 4) / 3);
  return facts + part.url.length;
}

/** Characters that JSON writes as they are, in one byte. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

function textWeight(text: string): number {
  return PLAIN_TEXT.test(text) ? text.length + 2 : writeJson(text).length;
}

/** What a part takes beside its content. */
export const PART_WEIGHT = 128;
