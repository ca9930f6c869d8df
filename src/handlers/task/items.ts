// Owns the output of a task as it travels: each part of an artifact is an item of `artifact.v1`, or a reference where it
// is an address. SPEC.md sections 8 and 9 (#parts, #content-types).

import { writeJson } from '../../codec/json/write.ts';
import { decodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject } from '../../codec/value.ts';
import type { Artifact, ArtifactContent } from '../../tasks/artifact.ts';
import type { Part } from '../../tasks/part.ts';
import { bytesItem, textItem } from '../artifact/build.ts';

const JSON_TYPE = 'application/json';

/** Parts of one artifact, and where they stand in it. */
export interface Piece {
  readonly artifact: ArtifactContent;
  /** The place of the first of these parts. */
  readonly firstPart: number;
  /** The first of them goes on where that part ended. */
  readonly append: boolean;
  /** Nothing continues the artifact. */
  readonly last: boolean;
}

export function wholePiece(artifact: Artifact): Piece {
  return { artifact, firstPart: 0, append: false, last: artifact.isComplete };
}

/**
 * The parts in order, each as one item.
 * @param takesParts otherwise they look as they did before there were parts: by name, without what only parts have.
 */
export function itemsOf(piece: Piece, takesParts: boolean): JsonObject[] {
  const { artifact, append, last } = piece;
  const { parts } = artifact;
  const name = artifact.name ?? artifact.id;
  // An artifact that has no part yet is there all the same.
  if (parts.length === 0) return takesParts ? [{ name, ...artifactFacts(artifact) }] : [];
  return parts.map((part, at) =>
    Object.assign(
      contentItem(part, name),
      takesParts && partFacts(part, piece, at),
      append && at === 0 && { append: true },
      last && at === parts.length - 1 && { last: true },
    ),
  );
}

/** The `artifact.v1` payload of one piece of output; its digests are those of the piece. */
export function piecePayload(piece: Piece, takesParts: boolean): JsonObject {
  const all = itemsOf(piece, takesParts);
  const isRef = (_item: JsonObject, at: number): boolean =>
    'url' in (piece.artifact.parts[at] ?? {});
  return {
    items: all.filter((item, at) => !isRef(item, at)),
    refs: all.filter(isRef),
  };
}

function contentItem(part: Part, name: string): JsonObject {
  const { mediaType } = part;
  const options = { name, ...(mediaType !== undefined && { mediaType }) };
  if ('text' in part) return textItem(part.text, options);
  if ('bytes' in part) return bytesItem(part.bytes, options);
  if ('data' in part) {
    return textItem(decodeUtf8(writeJson(part.data)), { mediaType: JSON_TYPE, ...options });
  }
  return { name, ...(mediaType !== undefined && { media_type: mediaType }), uri: part.url };
}

function partFacts(part: Part, { artifact, firstPart }: Piece, at: number): JsonObject {
  const { mediaType, filename, metadata } = part;
  // An item of text, data or bytes always has a type, whether its author gave one or not.
  const isUntyped = mediaType === undefined && !('url' in part);
  return {
    ...(at === 0 ? artifactFacts(artifact) : { id: artifact.id }),
    part: firstPart + at,
    ...('data' in part && { json: true }),
    ...(isUntyped && { untyped: true }),
    ...(filename !== undefined && { filename }),
    ...(metadata !== undefined && { part_metadata: metadata }),
  };
}

function artifactFacts({ id, description, metadata, extensions }: ArtifactContent): JsonObject {
  return {
    id,
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions: [...extensions] }),
  };
}
