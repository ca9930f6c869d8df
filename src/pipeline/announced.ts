// Owns what a message says of its sender's abilities in `cap.a2a_sdl`. It is a claim until the signature holds.
// SPEC.md section 8 (#cap-x).

import type { JsonObject } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import type { Envelope } from '../envelope/types.ts';

/** More names than anybody has additions are not kept. */
const MAX_ADDITIONS = 32;

/** `cap.a2a_sdl.x`. */
export function announcedAdditions({ cap }: Envelope): string[] {
  const list = own(cap)?.['x'];
  if (!isJsonArray(list)) return [];
  return list.filter((name) => typeof name === 'string').slice(0, MAX_ADDITIONS);
}

/** `cap.a2a_sdl.knows`: the `seq` of the newest of our key bundles that the sender has. */
export function knownSeq({ cap }: Envelope): number | undefined {
  const seq = own(cap)?.['knows'];
  return Number.isSafeInteger(seq) ? (seq as number) : undefined;
}

function own(cap: JsonObject): JsonObject | undefined {
  const announced = cap['a2a_sdl'];
  return isJsonObject(announced) ? announced : undefined;
}
