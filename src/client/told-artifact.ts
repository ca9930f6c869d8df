// Owns the output of another agent's task as its requester reads it: items that belong together are one artifact.
// SPEC.md sections 8 and 9 (#parts, #artifact-items).

import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import type { ArtifactItem } from '../handlers/artifact/read.ts';
import { readItems } from '../handlers/artifact/read.ts';
import type { Artifact } from '../tasks/artifact.ts';
import type { Part } from '../tasks/part.ts';
import { dataIn, textIn } from '../tasks/part.ts';

/** An artifact, or the piece of one that a message brought; digests are verified. */
export interface RemoteArtifact extends Artifact {
  /** It goes on where what came before under this id has ended. */
  readonly append: boolean;
  /** As they came, one a part. */
  readonly items: readonly ArtifactItem[];
}

class ToldArtifact implements RemoteArtifact {
  readonly id: string;
  declare readonly name?: string;
  declare readonly description?: string;
  declare readonly metadata?: JsonObject;
  declare readonly extensions?: readonly string[];
  readonly parts: readonly Part[];
  readonly isComplete: boolean;
  readonly append: boolean;
  readonly items: readonly ArtifactItem[];

  constructor(id: string, items: readonly ArtifactItem[]) {
    const first = items[0]!;
    const { description, metadata, extensions, part } = first.source;
    this.id = id;
    if (first.name !== undefined) this.name = first.name;
    if (typeof description === 'string') this.description = description;
    if (isJsonObject(metadata)) this.metadata = metadata;
    if (isJsonArray(extensions)) this.extensions = extensions.filter(isName);
    this.parts = Object.freeze(items.flatMap((item) => partOf(item) ?? []));
    this.isComplete = items.some(({ source }) => source['last'] === true);
    this.append = first.append || (typeof part === 'number' && part > 0);
    this.items = Object.freeze(items);
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

/** The artifacts in lists of items and references. Throws PAYLOAD_INVALID for a digest that does not hold. */
export function artifactsIn(...lists: readonly (JsonValue | undefined)[]): RemoteArtifact[] {
  const items = lists.flatMap((list) => readItems(objectsIn(list)));
  const groups = new Map<string, ArtifactItem[]>();
  for (const item of items) {
    const { id } = item.source;
    if (typeof id !== 'string') groups.set(freeId(item.name ?? 'artifact', groups), [item]);
    else if (groups.has(id)) groups.get(id)!.push(item);
    else groups.set(id, [item]);
  }
  return [...groups].map(([id, group]) => new ToldArtifact(id, inOrder(group)));
}

/** Items of agents that give no ids are artifacts of their own, called by their names. */
function freeId(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const id = `${name}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** References stand in a list of their own, and belong between the items. */
function inOrder(items: readonly ArtifactItem[]): readonly ArtifactItem[] {
  return items.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function placeOf({ source }: ArtifactItem): number {
  const { part } = source;
  return typeof part === 'number' ? part : 0;
}

/** `undefined` for an item of a form that only its sender knows. */
function partOf(item: ArtifactItem): Part | undefined {
  const { source, mediaType, bytes, uri } = item;
  const { filename, part_metadata: metadata } = source;
  const facts = {
    ...(mediaType !== undefined && source['untyped'] !== true && { mediaType }),
    ...(typeof filename === 'string' && { filename }),
    ...(isJsonObject(metadata) && { metadata }),
  };
  const data = source['json'] === true ? item.json : undefined;
  if (data !== undefined) return Object.freeze({ data, ...facts });
  if (typeof source['text'] === 'string') return Object.freeze({ text: source['text'], ...facts });
  if (bytes !== undefined) return Object.freeze({ bytes, ...facts });
  return uri === undefined ? undefined : Object.freeze({ url: uri, ...facts });
}

function objectsIn(list: JsonValue | undefined): JsonArray {
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

function isName(value: JsonValue): value is string {
  return typeof value === 'string';
}
