// Owns the hash by which two agents make sure that they saw the same `cap` blocks (W19). SPEC.md sections 8 and 9 (#cap-x).

import { writeJcs } from '../../codec/canonical-jcs.ts';
import type { JsonObject } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import { sha256, toHex } from '../../crypto/sha256.ts';
import type { ContentHash } from '../../schema/content-hash.ts';

/** Leaves out the key bundle, which its own signature proves, and which bundle is known: both come and go. */
export function capHash(requesterCap: JsonObject, responderCap: JsonObject): ContentHash {
  const caps = { requester: lasting(requesterCap), responder: lasting(responderCap) };
  // JCS: the one form in which a number is the same before and after a signature over JCS.
  return `sha256:${toHex(sha256(writeJcs(caps)))}`;
}

/** For the requester: is `cap_hash` of the answer over the `cap` that it sent and the one that came with the answer? */
export function isCapHash(
  claimed: unknown,
  requesterCap: JsonObject,
  responderCap: JsonObject,
): boolean {
  return claimed === capHash(requesterCap, responderCap);
}

/** A `cap` as it is hashed and told. */
export function lasting(cap: JsonObject): JsonObject {
  const announced = Object.hasOwn(cap, 'a2a_sdl') ? cap['a2a_sdl'] : undefined;
  if (!isJsonObject(announced)) return cap;
  const { bundle: _, knows: __, ...rest } = announced;
  return { ...cap, a2a_sdl: rest };
}
