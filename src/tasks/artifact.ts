// Owns a task's output: artifacts with ids and parts, pieces that continue them, and what a later attempt keeps of them.
// SPEC.md section 8 (#exchange, #parts).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { appendBytes } from './growing-bytes.ts';
import type { Part } from './part.ts';
import { createPart, dataIn, textIn } from './part.ts';

/** An artifact as it is stored and sent. */
export interface ArtifactContent {
  /** Unique in its task. */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** Immutable. */
export interface Artifact extends ArtifactContent {
  /** The text of its text parts. */
  readonly text: string;
  /** The value of its first data part. */
  readonly data: JsonValue | undefined;
  /** Nothing continues it. */
  readonly isComplete: boolean;
}

interface ArtifactFacts {
  /** @default that of the newest artifact of this name with `append`, else a new one */
  readonly id?: string;
  /** What it is called, at most 256 characters. @default none */
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  /** The parts continue the artifact; otherwise they replace one of this id. @default false */
  readonly append?: boolean;
  /** Nothing continues it. @default false */
  readonly last?: boolean;
}

interface OnePart {
  readonly text?: string;
  /** Travels as a data part. */
  readonly json?: JsonValue;
  readonly bytes?: Uint8Array;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
}

/** One piece of output, as an author hands it over: exactly one of `text`, `json`, `bytes`, `url` and `parts`. */
export type ArtifactInput = ArtifactFacts & (OnePart | { readonly parts: readonly Part[] });

/** {@link ArtifactInput}, checked. */
export interface ArtifactPiece {
  readonly artifact: ArtifactContent;
  readonly append: boolean;
  readonly last: boolean;
}

const MAX_NAME_LENGTH = 256;
const MAX_DESCRIPTION_LENGTH = 8_192;
const MAX_PARTS = 1_000;
const MAX_NAMES = 100;

class ReadableArtifact implements Artifact {
  readonly id: string;
  declare readonly name?: string;
  declare readonly description?: string;
  readonly parts: readonly Part[];
  declare readonly metadata?: JsonObject;
  declare readonly extensions?: readonly string[];
  readonly isComplete: boolean;

  constructor(content: ArtifactContent, isComplete: boolean) {
    const { id, name, description, parts, metadata, extensions } = content;
    this.id = id;
    if (name !== undefined) this.name = name;
    if (description !== undefined) this.description = description;
    this.parts = parts;
    if (metadata !== undefined) this.metadata = metadata;
    if (extensions !== undefined) this.extensions = extensions;
    this.isComplete = isComplete;
    Object.freeze(this);
  }

  get text(): string {
    return textIn(this.parts, '');
  }

  get data(): JsonValue | undefined {
    return dataIn(this.parts);
  }

  toString(): string {
    return this.text;
  }
}

export function createArtifact(content: ArtifactContent, isComplete: boolean): Artifact {
  return new ReadableArtifact(content, isComplete);
}

/** What decides which artifact a piece continues. */
type Known = Pick<Artifact, 'id' | 'name' | 'isComplete'>;

/** Checks and copies what an author hands over. Wrong use is a TypeError. @param known those that the task has. */
export function parseArtifact(input: ArtifactInput, known: readonly Known[]): ArtifactPiece {
  const { name, description, metadata, extensions, append = false, last = false } = input;
  assertText('name', name, MAX_NAME_LENGTH);
  assertText('id', input.id, MAX_NAME_LENGTH);
  assertText('description', description, MAX_DESCRIPTION_LENGTH);
  if (metadata !== undefined && !isJsonObject(metadata)) {
    throw new TypeError('"metadata" expected a JSON object');
  }
  if (extensions !== undefined && !(Array.isArray(extensions) && extensions.length <= MAX_NAMES)) {
    throw new TypeError(`"extensions" expected at most ${MAX_NAMES} URIs`);
  }
  const id = input.id ?? idFor(name, append, known);
  if (append && known.some((artifact) => artifact.id === id && artifact.isComplete)) {
    throw new TypeError(
      `"append" came after the "last" of ${JSON.stringify(name ?? id)}: begin another artifact`,
    );
  }
  const artifact = Object.freeze({
    id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: Object.freeze(partsIn(input)),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions: Object.freeze([...extensions]) }),
  });
  return Object.freeze({ artifact, append, last });
}

function idFor(name: string | undefined, append: boolean, known: readonly Known[]): string {
  const named = append ? known.findLast((artifact) => artifact.name === name) : undefined;
  return named?.id ?? newArtifactId(name, known);
}

/** The name, or what comes close to it. */
export function newArtifactId(
  name: string | undefined,
  known: readonly Pick<Artifact, 'id'>[],
): string {
  const taken = new Set(known.map(({ id }) => id));
  const base = name ?? 'artifact';
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const id = `${base.slice(0, MAX_NAME_LENGTH - 12)}-${number}`;
    if (!taken.has(id)) return id;
  }
}

function partsIn(input: ArtifactInput): readonly Part[] {
  const one: OnePart = 'parts' in input ? {} : input;
  const contents = [one.text, one.json, one.bytes, one.url].filter((value) => value !== undefined);
  const parts = 'parts' in input ? input.parts : undefined;
  if (contents.length + (parts === undefined ? 0 : 1) !== 1) {
    throw new TypeError('"artifact" expected one of text, json, bytes, url and parts');
  }
  if (parts !== undefined) {
    if (!Array.isArray(parts) || parts.length > MAX_PARTS) {
      throw new TypeError(`"parts" expected at most ${MAX_PARTS} parts`);
    }
    return parts.map((part: Part, at) => createPart(part, `parts[${at}]`));
  }
  const { json, text, bytes, url, mediaType, filename } = one;
  const content = {
    ...(json !== undefined && { data: json }),
    ...(text !== undefined && { text }),
    ...(bytes !== undefined && { bytes }),
    ...(url !== undefined && { url }),
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
  };
  return [createPart(content as Part, 'artifact')];
}

function assertText(option: string, value: string | undefined, most: number): void {
  if (
    value === undefined ||
    (typeof value === 'string' && value.length > 0 && value.length <= most)
  )
    return;
  throw new TypeError(`"${option}" expected text of 1 to ${most} characters`);
}

/** The list with one more piece: new, in place of the one of its id, or the continuation of that. */
export function joinArtifact(
  artifacts: readonly Artifact[],
  { artifact, append, last }: ArtifactPiece,
): readonly Artifact[] {
  const at = artifacts.findLastIndex(({ id }) => id === artifact.id);
  const begun = artifacts[at];
  if (begun === undefined) return [...artifacts, createArtifact(artifact, last)];
  if (!append) return artifacts.with(at, createArtifact(artifact, last));
  const {
    name = begun.name,
    description = begun.description,
    metadata = begun.metadata,
  } = artifact;
  const { extensions = begun.extensions } = artifact;
  const joined = {
    id: begun.id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: joinParts(begun.parts, artifact.parts),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
  };
  return artifacts.with(at, createArtifact(joined, last || begun.isComplete));
}

/** Text continues text, and bytes continue bytes, where nothing else tells the two parts apart. */
function joinParts(begun: readonly Part[], more: readonly Part[]): readonly Part[] {
  const last = begun.at(-1);
  const [first, ...rest] = more;
  if (last === undefined || first === undefined || !isPlainContinuation(last, first)) {
    return Object.freeze([...begun, ...more]);
  }
  return Object.freeze([...begun.slice(0, -1), joinPart(last, first), ...rest]);
}

function isPlainContinuation(last: Part, next: Part): boolean {
  const isSameKind = ('text' in last && 'text' in next) || ('bytes' in last && 'bytes' in next);
  return (
    isSameKind &&
    (next.mediaType === undefined || next.mediaType === last.mediaType) &&
    (next.filename === undefined || next.filename === last.filename) &&
    next.metadata === undefined
  );
}

function joinPart(last: Part, next: Part): Part {
  if ('text' in last && 'text' in next)
    return Object.freeze({ ...last, text: last.text + next.text });
  if ('bytes' in last && 'bytes' in next) {
    return Object.freeze({ ...last, bytes: appendBytes(last.bytes, next.bytes) });
  }
  return next;
}

/** How much of one artifact a later attempt goes on from. */
export interface KeptArtifact {
  readonly id: string;
  /** How many parts it had, and how long the last one was, where it was text or bytes. */
  readonly parts: number;
  readonly length?: number;
  readonly isComplete: boolean;
}

export function keptOf({ id, parts, isComplete }: Artifact): KeptArtifact {
  const length = lengthOf(parts.at(-1));
  return { id, parts: parts.length, ...(length !== undefined && { length }), isComplete };
}

function lengthOf(part: Part | undefined): number | undefined {
  if (part === undefined) return undefined;
  if ('text' in part) return part.text.length;
  return 'bytes' in part ? part.bytes.length : undefined;
}

/** Cuts the artifacts back to what is kept of them, and drops the others. */
export function keepArtifacts(
  artifacts: readonly Artifact[],
  kept: readonly KeptArtifact[],
): readonly Artifact[] {
  return kept.flatMap((keep) => {
    const artifact = artifacts.find(({ id }) => id === keep.id);
    if (artifact === undefined) return [];
    const parts = artifact.parts.slice(0, keep.parts);
    const last = parts.pop();
    if (last !== undefined) parts.push(cutPart(last, keep.length));
    return [createArtifact({ ...artifact, parts: Object.freeze(parts) }, keep.isComplete)];
  });
}

function cutPart(part: Part, length: number | undefined): Part {
  if (length === undefined) return part;
  if ('text' in part && part.text.length > length)
    return { ...part, text: part.text.slice(0, length) };
  if ('bytes' in part && part.bytes.length > length)
    return { ...part, bytes: part.bytes.slice(0, length) };
  return part;
}

/** Bytes that an artifact takes beside its parts, at most. */
export const ITEM_WEIGHT = 2_048;
