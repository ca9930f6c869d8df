// Owns what the items and references of `artifact.v1` say, checked: one content, and a digest that holds.
// SPEC.md section 9 (#content-types).

import { decodeBase64url } from '../../codec/base64url.ts';
import { readJson } from '../../codec/json/read.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import { isText } from '../../envelope/fields.ts';
import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import { isContentHash } from '../../schema/content-hash.ts';
import { digestOf } from './build.ts';

/** One piece of output, or a chunk of one. */
export interface ArtifactItem {
  readonly name?: string;
  readonly mediaType?: string;
  /** The content: `data` decoded, or `text` as UTF-8. None for an item of a form that only its sender knows. */
  readonly bytes?: Uint8Array;
  /** The content as text; `undefined` where there is none, or it is not UTF-8. */
  readonly text: string | undefined;
  /** The content as JSON; `undefined` where there is none, or it is not JSON. */
  readonly json: JsonValue | undefined;
  /** It continues the item of this name. */
  readonly append: boolean;
  readonly chunk?: ArtifactChunk;
  /** Where the content can be fetched, if it is not here; nothing is fetched. */
  readonly uri?: string;
  /** As it came; for an item that came in chunks, the chunk that completed it. */
  readonly source: JsonObject;
}

/** An item without what is read out of it. */
type ItemParts = Omit<ArtifactItem, 'text' | 'json'>;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is read out of the content is read when it is asked for. */
class ReadItem implements ArtifactItem {
  declare readonly name?: string;
  declare readonly mediaType?: string;
  declare readonly bytes?: Uint8Array;
  declare readonly append: boolean;
  declare readonly chunk?: ArtifactChunk;
  declare readonly uri?: string;
  declare readonly source: JsonObject;

  constructor(parts: ItemParts) {
    Object.assign(this, parts);
  }

  get text(): string | undefined {
    try {
      return this.bytes && decoder.decode(this.bytes);
    } catch {
      return undefined;
    }
  }

  get json(): JsonValue | undefined {
    try {
      return this.bytes && readJson(this.bytes);
    } catch {
      return undefined;
    }
  }
}

/** The item with other content. */
export function itemWith(
  { chunk: _piece, ...item }: ArtifactItem,
  bytes: Uint8Array,
): ArtifactItem {
  return new ReadItem({ ...item, bytes });
}

/** Where a chunk belongs. */
export interface ArtifactChunk {
  /** From 0. */
  readonly index: number;
  /** Of the whole item; only the last chunk has it. */
  readonly digest?: ContentHash;
}

/** What can be fetched elsewhere; nothing is fetched here. */
export interface ArtifactRef {
  readonly name?: string;
  readonly mediaType?: string;
  readonly uri?: string;
  /** What the fetched bytes must hash to. */
  readonly digest?: ContentHash;
  readonly source: JsonObject;
}

const MAX_NAME_LENGTH = 256;
const MAX_MEDIA_TYPE_LENGTH = 1_024;
const MAX_URI_LENGTH = 8_192;

/** Throws PAYLOAD_INVALID with the path of what is wrong. */
export function readItems(items: JsonArray): ArtifactItem[] {
  return items.map((item, index) => readItem(item as JsonObject, `/items/${index}`));
}

/** Throws PAYLOAD_INVALID with the path of what is wrong. */
export function readRefs(refs: JsonArray): ArtifactRef[] {
  return refs.map((ref, index) => {
    const source = ref as JsonObject;
    const path = `/refs/${index}`;
    const uri = optionalText(source, 'uri', MAX_URI_LENGTH, path);
    const digest = digestAt(source, path);
    return {
      ...headOf(source, path),
      ...(uri !== undefined && { uri }),
      ...(digest !== undefined && { digest }),
      source,
    };
  });
}

function readItem(source: JsonObject, path: string): ArtifactItem {
  const bytes = contentOf(source, path);
  const digest = digestAt(source, path);
  const given = member(source, 'uri');
  const uri = bytes === undefined && isText(given, MAX_URI_LENGTH) ? given : undefined;
  // A digest without content is a promise that nobody keeps, unless it is that of what an address leads to.
  const isWrong = bytes === undefined ? uri === undefined : digestOf(bytes) !== digest;
  if (digest !== undefined && isWrong) {
    throw misfit(`${path}/digest`, 'is not the digest of the content');
  }
  const chunk = chunkOf(source, path);
  const head = headOf(source, path);
  if (chunk !== undefined && (bytes === undefined || head.name === undefined)) {
    throw misfit(path, 'is a chunk without name or data');
  }
  return new ReadItem({
    ...head,
    ...(bytes !== undefined && { bytes }),
    append: member(source, 'append') === true,
    ...(chunk !== undefined && { chunk }),
    ...(uri !== undefined && { uri }),
    source,
  });
}

function contentOf(source: JsonObject, path: string): Uint8Array | undefined {
  const text = member(source, 'text');
  const data = member(source, 'data');
  if (text !== undefined && data !== undefined) throw misfit(path, 'has both text and data');
  if (typeof text === 'string') return encodeUtf8(text);
  if (text !== undefined) throw misfit(`${path}/text`, 'must be text');
  if (data === undefined) return undefined;
  const bytes = typeof data === 'string' ? decodeBase64url(data) : undefined;
  if (bytes === undefined) throw misfit(`${path}/data`, 'must be base64url without padding');
  return bytes;
}

function chunkOf(source: JsonObject, path: string): ArtifactChunk | undefined {
  const chunk = member(source, 'chunk');
  if (chunk === undefined) return undefined;
  if (!isJsonObject(chunk)) throw misfit(`${path}/chunk`, 'must be an object');
  const index = member(chunk, 'index');
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) {
    throw misfit(`${path}/chunk/index`, 'must be an integer of at least 0');
  }
  const digest = digestAt(chunk, `${path}/chunk`);
  const isLast = member(chunk, 'last') === true;
  if (isLast !== (digest !== undefined)) {
    throw misfit(`${path}/chunk/digest`, 'must be on the last chunk and on no other');
  }
  return { index, ...(digest !== undefined && { digest }) };
}

function headOf(source: JsonObject, path: string): { name?: string; mediaType?: string } {
  const name = optionalText(source, 'name', MAX_NAME_LENGTH, path);
  const mediaType = optionalText(source, 'media_type', MAX_MEDIA_TYPE_LENGTH, path);
  return { ...(name !== undefined && { name }), ...(mediaType !== undefined && { mediaType }) };
}

function digestAt(source: JsonObject, path: string): ContentHash | undefined {
  const digest = member(source, 'digest');
  if (digest === undefined) return undefined;
  if (typeof digest === 'string' && isContentHash(digest)) return digest;
  throw misfit(`${path}/digest`, 'must be "sha256:" and 64 lower-case hexadecimal digits');
}

function optionalText(
  source: JsonObject,
  name: string,
  maxLength: number,
  path: string,
): string | undefined {
  const value = member(source, name);
  if (value === undefined || isText(value, maxLength)) return value;
  throw misfit(`${path}/${name}`, `must be text of 1 to ${maxLength} characters`);
}

function member(source: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

function misfit(path: string, what: string): SdlError {
  return new SdlError('PAYLOAD_INVALID', `${path} ${what}`, { details: { path } });
}
