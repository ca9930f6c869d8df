// Owns the shared state that `state.v1` changes step by step, each step bound to the one before. SPEC.md section 9 (#state-base).

import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject, newJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { ContentHash } from '../schema/content-hash.ts';
import { contentHash } from '../schema/content-hash.ts';
import { applyPatchTo } from './apply-patch.ts';
import type { Weight } from './extent.ts';
import { makePatch } from './make-patch.ts';

/** The base of the first patch: SHA-256 of zero bytes, which no document has. */
export const EMPTY_STATE_HASH: ContentHash =
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A value and the hash by which the next patch must name it. */
export interface StateDocument {
  readonly value: JsonValue;
  readonly hash: ContentHash;
}

/** The payload of `state.v1`, as far as it is about the document. */
export interface StatePayload {
  readonly base: string;
  readonly patch: JsonValue;
}

/** Where every state document starts: `{}`, before any patch. */
export const INITIAL_STATE: StateDocument = Object.freeze({
  value: Object.freeze(newJsonObject()),
  hash: EMPTY_STATE_HASH,
});

/**
 * What the documents made here weigh, so that a small patch need not walk a large one. A document that has a
 * hash must not be changed in place, so it keeps its weight too.
 */
const weights = new WeakMap<object, Weight>();

/** The next document. A patch that was made for another one is refused and told which hash to start from. */
export function applyState(
  current: StateDocument,
  payload: StatePayload | JsonValue,
): StateDocument {
  if (!isJsonObject(payload as JsonValue)) {
    throw new SdlError('STATE_PATCH', 'the payload is not an object');
  }
  const { base, patch } = payload as StatePayload;
  if (base !== current.hash) {
    throw new SdlError('STATE_BASE', 'the patch was made for another document: rebase it', {
      details: { expected: current.hash },
    });
  }
  const known = isContainer(current.value) ? weights.get(current.value) : undefined;
  const { value, weight } = applyPatchTo(current.value, patch, known);
  if (isContainer(value)) weights.set(value, weight);
  return { value, hash: contentHash(value) };
}

/** The payload that takes a peer from `current` to `next`. */
export function makeState(
  current: StateDocument,
  next: JsonValue,
): { readonly base: ContentHash; readonly patch: JsonArray } {
  return { base: current.hash, patch: makePatch(current.value, next) };
}

function isContainer(value: JsonValue): value is JsonArray | JsonObject {
  return isJsonArray(value) || isJsonObject(value);
}
