// Owns the bytes that an envelope's signature covers. SPEC.md section 6 (#sec-signing-input, #sec-canon).

import { writeJcs } from '../../codec/canonical-jcs.ts';
import { writePythonJson } from '../../codec/canonical-python.ts';
import { writeCbor } from '../../codec/cbor/write.ts';
import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { SigningForm } from '../../envelope/types.ts';

const WRITERS: Readonly<Record<SigningForm, (value: JsonValue) => Uint8Array>> = {
  jcs: writeJcs,
  python: writePythonJson,
  cbor: writeCbor,
};

/** The whole envelope in one form, with the signature's value blank. */
export function signingInput(envelope: JsonObject, form: SigningForm): Uint8Array {
  const sec = envelope['sec'] as JsonObject;
  const sig = sec['sig'] as JsonObject;
  // Spreading keeps an own `__proto__`, and shares what it does not replace.
  const blank = { ...envelope, sec: { ...sec, sig: { ...sig, value: '' } } };
  return WRITERS[form](blank);
}

/**
 * The received JSON text with the signature's value blanked, or `undefined` where that value does not stand in
 * the text exactly once. It is what a peer signed that sends the very text which it signs.
 */
export function signingInputOfText(bytes: Uint8Array, signature: string): Uint8Array | undefined {
  const text = decodeUtf8(bytes);
  const quoted = `"${signature}"`;
  const at = text.indexOf(quoted);
  if (at < 0 || text.includes(quoted, at + 1)) return undefined;
  return encodeUtf8(`${text.slice(0, at)}""${text.slice(at + quoted.length)}`);
}
