// Owns `sec.x.bind`, which ties a ciphertext to its header and signer and commits to the content key. SPEC.md section 8 (#x-bind).

import { encodeBase64url } from '../../codec/base64url.ts';
import { writeJcs } from '../../codec/canonical-jcs.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import type { Envelope } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';

const BIND_INFO = encodeUtf8('a2a-sdl-bind-v1');
const NO_SALT = new Uint8Array(0);

/** The tag over the header of an encrypted envelope; an unsigned one has the kid `null`. */
export function bindTag(
  envelope: Envelope,
  contentKey: Uint8Array,
  crypto: CryptoProvider,
): string {
  const { id, ts, type, from, to, ct, schema, sec } = envelope;
  const header = {
    id,
    ts,
    type,
    from: from.agent_id,
    to: to.agent_id,
    ct,
    schema: schema.id,
    kid: sec?.kid ?? null,
    enc: (sec?.enc?.recipients ?? []).map(({ eph }) => eph),
  };
  const key = crypto.hkdfSha256(contentKey, NO_SALT, BIND_INFO, 32);
  return encodeBase64url(crypto.hmacSha256(key, writeJcs(header)));
}

/** Throws BINDING_INVALID unless the envelope carries the tag that its header and content key give. */
export function checkBind(
  envelope: Envelope,
  contentKey: Uint8Array,
  crypto: CryptoProvider,
): void {
  const claimed = envelope.sec?.x?.['bind'];
  const expected = bindTag(envelope, contentKey, crypto);
  if (typeof claimed !== 'string' || !isSameText(claimed, expected)) {
    throw new SdlError('BINDING_INVALID', 'the ciphertext is not bound to this header and signer');
  }
}

/** Looks at every character, so that the time does not tell how many were right. */
function isSameText(claimed: string, expected: string): boolean {
  let difference = claimed.length ^ expected.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= claimed.charCodeAt(index) ^ expected.charCodeAt(index);
  }
  return difference === 0;
}
