// The envelopes that the Python reference made, with the keys that they were made with.

import type { JsonObject } from '../../../src/codec/value.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import { utf8 } from './bytes.ts';
import { hasVectors, vectorJson } from '../repository/vectors.ts';

export interface GoldenCase {
  readonly name: string;
  readonly wire: { encoding: 'json'; text: string } | { encoding: 'cbor'; b64: string };
  readonly signing_canon: 'json' | 'cbor' | null;
  readonly verifies: boolean | null;
  readonly payload_canonical: string | null;
}

interface Golden {
  readonly keys: Record<string, Record<string, string>>;
  readonly cases: GoldenCase[];
}

const golden: Golden = hasVectors ? vectorJson('a2a-sdl/golden.json') : { keys: {}, cases: [] };

export const goldenCases: readonly GoldenCase[] = golden.cases;

/** A key in raw base64url, such as `sig-1`, `ed25519_public_b64url`. */
export function goldenKey(name: string, member: string): Uint8Array {
  return new Uint8Array(Buffer.from(golden.keys[name]![member]!, 'base64url'));
}

export function goldenBytes({ wire }: GoldenCase): Uint8Array {
  if (wire.encoding === 'json') return utf8(wire.text);
  return new Uint8Array(Buffer.from(wire.b64, 'base64'));
}

export function goldenValue(one: GoldenCase): JsonObject {
  return decodeMessage(goldenBytes(one), one.wire.encoding) as JsonObject;
}
