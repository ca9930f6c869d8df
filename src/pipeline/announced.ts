// Owns what a message says of its sender's abilities in `cap.a2a_sdl`. It is a claim until the signature holds.
// SPEC.md section 8 (#cap-x).

import type { JsonObject } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import type { Envelope } from '../envelope/types.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';

/** More names than anybody has additions are not kept. */
const MAX_ADDITIONS = 32;
const STREAM = 'stream';
/** Who says that it takes less than this does not mean it. An error is always small enough. */
const SMALL_MESSAGE = 16_384;

/** `cap.a2a_sdl.x`. */
export function announcedAdditions({ cap }: Envelope): string[] {
  const list = own(cap)?.['x'];
  if (!isJsonArray(list)) return [];
  return list.filter((name) => typeof name === 'string').slice(0, MAX_ADDITIONS);
}

/** Does the sender take the events of this exchange? `stream` is asked for message by message. */
export function asksForStream(envelope: Envelope): boolean {
  return announcedAdditions(envelope).includes(STREAM);
}

/** What the sender can do whatever it asks for now. */
export function lastingAdditions(envelope: Envelope): string[] {
  return announcedAdditions(envelope).filter((name) => name !== STREAM);
}

/** A `cap` that does not ask for events. */
export function withoutStream(cap: JsonObject): JsonObject {
  const announced = own(cap);
  const list = announced?.['x'];
  if (announced === undefined || !isJsonArray(list)) return cap;
  return { ...cap, a2a_sdl: { ...announced, x: list.filter((name) => name !== STREAM) } };
}

/** A `cap` that tells which bundle of the other end we have, and brings ours where that is wanted. */
export function withBundles(
  cap: JsonObject,
  theirs: KeyBundle | undefined,
  ours: KeyBundle | undefined,
): JsonObject {
  const announced = own(cap);
  if (announced === undefined || (theirs === undefined && ours === undefined)) return cap;
  return {
    ...cap,
    a2a_sdl: {
      ...announced,
      ...(theirs && { knows: theirs.seq }),
      ...(ours && { bundle: ours.document }),
    },
  };
}

/** `cap.a2a_sdl.knows`: the `seq` of the newest of our key bundles that the sender has. */
export function knownSeq({ cap }: Envelope): number | undefined {
  const seq = own(cap)?.['knows'];
  return Number.isSafeInteger(seq) ? (seq as number) : undefined;
}

/** `cap.limits.max_bytes`: what the sender says that it takes. */
export function announcedMaxBytes({ cap }: Envelope): number | undefined {
  const limits = cap['limits'];
  const most = isJsonObject(limits) ? limits['max_bytes'] : undefined;
  return typeof most === 'number' && most >= SMALL_MESSAGE ? most : undefined;
}

function own(cap: JsonObject): JsonObject | undefined {
  const announced = cap['a2a_sdl'];
  return isJsonObject(announced) ? announced : undefined;
}
