// Owns base64 as A2A writes bytes: with padding. Either alphabet is read, with or without padding, as protobuf's JSON does.

import { decodeBase64url, encodeBase64url } from '../../../../src/security/index.ts';

export function encodeBase64(bytes: Uint8Array): string {
  const text = encodeBase64url(bytes).replaceAll('-', '+').replaceAll('_', '/');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** `undefined` for what is none. */
export function decodeBase64(text: string): Uint8Array | undefined {
  return decodeBase64url(
    text
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/={1,2}$/, ''),
  );
}
