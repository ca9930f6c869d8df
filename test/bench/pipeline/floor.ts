// What no receiver of a message can leave out: reading, canonical forms, the bare calls of cryptography, writing.

import type { JsonObject } from '../../../src/codec/value.ts';
import { sha256 } from '../../../src/crypto/sha256.ts';
import type { Sec, SecurityMode } from '../../../src/envelope/types.ts';
import { isEncrypted, isSigned } from '../../../src/security/message/mode.ts';
import { signingInput } from '../../../src/security/message/signing-input.ts';
import type { Calls } from '../bare-crypto.ts';

export interface FloorOptions {
  readonly mode: SecurityMode;
  readonly audit: boolean;
  /** The bare calls of a library on a message of this many bytes. */
  readonly bareFor: (message: Uint8Array) => Calls;
  /** One exchange as it went over the wire. */
  readonly request: Uint8Array;
  readonly reply: Uint8Array;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Does all of it once. The reply is signed in every mode. */
export function floorOf({ mode, audit, bareFor, request, reply }: FloorOptions): () => void {
  const parse = (bytes: Uint8Array): JsonObject => JSON.parse(decoder.decode(bytes)) as JsonObject;
  const [asked, answered] = [parse(request), parse(reply)];
  const input = isSigned(mode) ? signingInput(asked, 'jcs') : request;
  const output = signingInput(answered, 'jcs');
  const parts: (() => unknown)[] = [
    () => parse(request),
    () => sha256(input),
    () => signingInput(answered, 'jcs'),
    bareFor(output).sign,
    () => encoder.encode(JSON.stringify(answered)),
  ];
  if (isSigned(mode)) parts.push(() => signingInput(asked, 'jcs'), bareFor(input).verify);
  if (isEncrypted(mode)) {
    const payload = plaintextLike(asked);
    const { takeKey, agree, hkdf, unwrap, open } = bareFor(payload);
    const { keyPair, wrap, seal } = bareFor(plaintextLike(answered));
    parts.push(takeKey, agree, hkdf, unwrap, open, () => parse(payload));
    parts.push(keyPair, agree, hkdf, wrap, seal);
  }
  if (audit) {
    const receipt = (answered['trace'] as JsonObject)['audit'];
    const words = encoder.encode(JSON.stringify(receipt));
    const hash = (): Uint8Array => sha256(words);
    parts.push(bareFor(words).sign, hash, hash, hash);
  }
  return () => {
    for (const part of parts) part();
  };
}

/** JSON text as long as the one that is encrypted here. */
function plaintextLike(envelope: JsonObject): Uint8Array {
  const { ciphertext } = (envelope['sec'] as unknown as Sec).enc!;
  const length = Math.floor((ciphertext.length * 3) / 4) - 16;
  return encoder.encode(JSON.stringify({ text: 'x'.repeat(length - '{"text":""}'.length) }));
}
