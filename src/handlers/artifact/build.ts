// Owns how output becomes items and references of `artifact.v1`, each with the digest of its exact bytes.
// SPEC.md section 9 (#content-types).

import { encodeBase64url } from '../../codec/base64url.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject } from '../../codec/value.ts';
import { sha256, toHex } from '../../crypto/sha256.ts';
import type { ContentHash } from '../../schema/content-hash.ts';

export interface ItemOptions {
  /** What the item is called, 1 to 256 characters. */
  readonly name: string;
  /** @default `text/plain` for text, `application/octet-stream` for bytes */
  readonly mediaType?: string;
}

export interface ChunkOptions extends ItemOptions {
  /** Bytes of one chunk; base64url makes four characters of three. @default 262144 */
  readonly chunkBytes?: number;
}

export interface RefOptions extends ItemOptions {
  readonly uri: string;
  /** Of the bytes that the address leads to; see {@link digestOf}. */
  readonly digest: ContentHash;
}

const MAX_NAME_LENGTH = 256;
const BYTES = 'application/octet-stream';

/** `sha256:<hex>` of bytes as they are. */
export function digestOf(bytes: Uint8Array): ContentHash {
  return `sha256:${toHex(sha256(bytes))}`;
}

/** Its digest is over the UTF-8 bytes. */
export function textItem(text: string, options: ItemOptions): JsonObject {
  if (typeof text !== 'string') throw new TypeError('"text" expected a string');
  return { ...headOf(options, 'text/plain'), digest: digestOf(encodeUtf8(text)), text };
}

export function bytesItem(bytes: Uint8Array, options: ItemOptions): JsonObject {
  return { ...headOf(options, BYTES), ...dataOf(bytes) };
}

/** The same in pieces, for as many messages as needed. The last one carries the digest of the whole. */
export function* chunkItems(
  bytes: Uint8Array,
  options: ChunkOptions,
): Generator<JsonObject, void, undefined> {
  const { chunkBytes = 262_144 } = options;
  if (!Number.isSafeInteger(chunkBytes) || chunkBytes < 1) {
    throw new RangeError('"chunkBytes" must be an integer of at least 1');
  }
  const head = headOf(options, BYTES);
  const lastIndex = Math.max(0, Math.ceil(bytes.length / chunkBytes) - 1);
  for (let index = 0; index <= lastIndex; index += 1) {
    const piece = bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
    const chunk = index === lastIndex ? { index, last: true, digest: digestOf(bytes) } : { index };
    yield { ...head, ...dataOf(piece), chunk };
  }
}

/** Something that can be fetched elsewhere. Receivers never fetch it by themselves. */
export function artifactRef(options: RefOptions): JsonObject {
  return { ...headOf(options, BYTES), digest: options.digest, uri: options.uri };
}

function dataOf(bytes: Uint8Array): JsonObject {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('"bytes" expected a Uint8Array');
  return { digest: digestOf(bytes), data: encodeBase64url(bytes) };
}

function headOf({ name, mediaType }: ItemOptions, usual: string): JsonObject {
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) {
    throw new TypeError(`"name" expected text of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  return { name, media_type: mediaType ?? usual };
}
