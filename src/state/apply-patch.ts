// Owns how a JSON patch changes a document: every operation or none. RFC 6902; SPEC.md section 9 (#state).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { Draft } from './draft.ts';
import type { Weight } from './extent.ts';
import { MAX_STATE_DEPTH } from './extent.ts';
import { hasMoreTokens, parsePointer } from './pointer.ts';

/** Operations of one patch. */
export const MAX_PATCH_OPERATIONS = 10_000;

/** Tokens of one pointer: no document is deep enough for more. */
const MAX_POINTER_TOKENS = MAX_STATE_DEPTH + 1;

type Refusal = (reason: string) => SdlError;

/** The patched document. It shares what did not change with `document`, which stays as it is. */
export function applyPatch(document: JsonValue, patch: JsonValue): JsonValue {
  return applyPatchTo(document, patch).value;
}

/** As {@link applyPatch}, for a caller that knows what the document weighs from the patch before. */
export function applyPatchTo(
  document: JsonValue,
  patch: JsonValue,
  known?: Weight,
): { readonly value: JsonValue; readonly weight: Weight } {
  if (!isJsonArray(patch)) throw new SdlError('STATE_PATCH', 'the patch is not an array');
  if (patch.length > MAX_PATCH_OPERATIONS) {
    throw new SdlError('STATE_PATCH', `${patch.length} operations exceed ${MAX_PATCH_OPERATIONS}`, {
      details: { limit: MAX_PATCH_OPERATIONS },
    });
  }
  let current: number | undefined;
  const refusal: Refusal = (reason) =>
    current === undefined
      ? new SdlError('STATE_PATCH', reason)
      : new SdlError('STATE_PATCH', `operation ${current}: ${reason}`, {
          details: { operation: current },
        });
  const draft = new Draft(document, known, refusal);
  for (current = 0; current < patch.length; current += 1) {
    applyOperation(draft, patch[current]!, refusal);
  }
  current = undefined;
  return draft.finish();
}

function applyOperation(draft: Draft, operation: JsonValue, refusal: Refusal): void {
  if (!isJsonObject(operation)) throw refusal('it is not an object');
  const path = pointerOf(operation, 'path', refusal);
  switch (memberOf(operation, 'op')) {
    case 'add':
      return draft.add(path, valueOf(operation, refusal));
    case 'remove':
      return draft.remove(path);
    case 'replace':
      return draft.replace(path, valueOf(operation, refusal));
    case 'move':
      return draft.move(pointerOf(operation, 'from', refusal), path);
    case 'copy':
      return draft.copy(pointerOf(operation, 'from', refusal), path);
    case 'test':
      return draft.test(path, valueOf(operation, refusal));
    default:
      throw refusal('"op" is not one of the six of RFC 6902');
  }
}

function memberOf(operation: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(operation, name) ? operation[name] : undefined;
}

function valueOf(operation: JsonObject, refusal: Refusal): JsonValue {
  const value = memberOf(operation, 'value');
  if (value === undefined) throw refusal('"value" is missing');
  return value;
}

function pointerOf(operation: JsonObject, name: 'path' | 'from', refusal: Refusal): string[] {
  const text = memberOf(operation, name);
  if (typeof text === 'string' && hasMoreTokens(text, MAX_POINTER_TOKENS)) {
    throw refusal(`"${name}" has more than ${MAX_POINTER_TOKENS} tokens`);
  }
  const tokens = typeof text === 'string' ? parsePointer(text) : undefined;
  if (tokens === undefined) throw refusal(`"${name}" is not a JSON pointer`);
  return tokens;
}
