// Owns a task's output: what an author hands over, checked, and pieces put together. SPEC.md section 8 (#exchange).

import { writeJson } from '../codec/json/write.ts';
import type { JsonValue } from '../codec/value.ts';

/** One piece of output. Exactly one of `text`, `data` and `json` holds its content. */
export interface ArtifactInput {
  /** What the piece is called, 1–256 characters. */
  readonly name: string;
  readonly text?: string;
  readonly data?: Uint8Array;
  /** Travels as JSON text, so that its digest is over bytes that everybody sees. */
  readonly json?: JsonValue;
  /** @default `text/plain`, `application/octet-stream` or `application/json` */
  readonly mediaType?: string;
  /** Text that continues the text of this name, or bytes that continue the bytes. @default false */
  readonly append?: boolean;
  /** This piece ends the artifact: no later piece continues it. @default false */
  readonly lastChunk?: boolean;
}

/** {@link ArtifactInput}, checked. Immutable. */
export interface TaskArtifact {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
  readonly append: boolean;
  /** Nothing continues it. */
  readonly isLast?: true;
}

const MAX_NAME_LENGTH = 256;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:; ?[\w.-]+=[\w.+-]+){0,8}$/;
const decoder = new TextDecoder();

/** Checks and copies what an author hands over. Wrong use is a TypeError. */
export function parseArtifact(input: ArtifactInput): TaskArtifact {
  const { name, append = false, lastChunk = false } = input;
  if (typeof name !== 'string' || name.length === 0 || name.length > MAX_NAME_LENGTH) {
    throw new TypeError(`"name" expected text of 1–${MAX_NAME_LENGTH} characters`);
  }
  const [content, usualType] = contentOf(input);
  const { mediaType = usualType } = input;
  if (!MEDIA_TYPE.test(mediaType)) throw new TypeError('"mediaType" expected type/subtype');
  if (append && input.json !== undefined) {
    throw new TypeError('"append" expected "text" or "data" with it');
  }
  return Object.freeze({ name, mediaType, content, append, ...(lastChunk && { isLast: true }) });
}

function contentOf({ text, data, json }: ArtifactInput): [string | Uint8Array, string] {
  const given = [text, data, json].filter((value) => value !== undefined);
  if (given.length !== 1) throw new TypeError('"artifact" expected one of text, data and json');
  if (json !== undefined) return [decoder.decode(writeJson(json)), 'application/json'];
  if (data instanceof Uint8Array) return [data.slice(), 'application/octet-stream'];
  if (typeof text === 'string') return [text, 'text/plain'];
  throw new TypeError('"text" expected a string, "data" expected a Uint8Array');
}

/** The facts of an artifact that decide whether a piece continues it. */
interface Continuable {
  readonly name: string;
  readonly isText: boolean;
  readonly isLast: boolean;
}

/** Which artifact the piece continues: the newest one of its name and kind, or -1. */
export function continuedBy(artifacts: readonly Continuable[], piece: TaskArtifact): number {
  const at = newestOf(artifacts, piece);
  return at >= 0 && artifacts[at]!.isLast ? -1 : at;
}

/** The piece continues an ended artifact. Only logs of earlier versions hold such a piece: it begins another one. */
export function isTooLate(artifacts: readonly Continuable[], piece: TaskArtifact): boolean {
  const at = newestOf(artifacts, piece);
  return at >= 0 && artifacts[at]!.isLast;
}

function newestOf(artifacts: readonly Continuable[], piece: TaskArtifact): number {
  if (!piece.append) return -1;
  const isPieceText = typeof piece.content === 'string';
  return artifacts.findLastIndex(
    ({ name, isText }) => name === piece.name && isText === isPieceText,
  );
}

export function continuable({ name, content, isLast }: TaskArtifact): Continuable {
  return { name, isText: typeof content === 'string', isLast: isLast === true };
}

/** The list with one more; a piece that continues an artifact becomes part of it. */
export function joinArtifact(
  artifacts: readonly TaskArtifact[],
  piece: TaskArtifact,
): readonly TaskArtifact[] {
  const at = continuedBy(artifacts.map(continuable), piece);
  if (at < 0) return [...artifacts, { ...piece, append: false }];
  const begun = artifacts[at]!;
  const content = joined(begun.content, piece.content);
  return artifacts.with(at, { ...begun, content, ...(piece.isLast === true && { isLast: true }) });
}

function joined(one: string | Uint8Array, other: string | Uint8Array): string | Uint8Array {
  if (typeof one === 'string' || typeof other === 'string') return `${String(one)}${String(other)}`;
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}

/** Cuts each artifact to its length in `lengths` and drops the rest. The artifacts in `open` have not ended. */
export function keepArtifacts(
  artifacts: readonly TaskArtifact[],
  lengths: readonly number[],
  open: readonly number[] = [],
): readonly TaskArtifact[] {
  return lengths.map((length, at) => {
    const { isLast: _last, ...artifact } = artifacts[at]!;
    // An empty piece may have ended it later, so equal length alone does not show that it had ended by then.
    if (artifact.content.length === length && !open.includes(at)) return artifacts[at]!;
    return { ...artifact, content: artifact.content.slice(0, length) };
  });
}

/** Bytes that the content takes on the wire; a TypeError for text that no message can carry. */
export function contentWeight({ content }: TaskArtifact): number {
  return typeof content === 'string'
    ? writeJson(content).length
    : Math.ceil((content.length * 4) / 3);
}

/** Bytes that an item takes beside its content, at most: names, media type and digest. */
export const ITEM_WEIGHT = 2_048;
