// Owns signatures of envelopes: made in the form that the peer reads, verified in the form that it used. SPEC.md section 6 (#sec-signing-input, #sec-canon).

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts';
import { mergeJcsNumbers } from '../../codec/jcs-merge.ts';
import type { JsonObject } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import type { SigningForm } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { signingInput, signingInputOfText } from './signing-input.ts';

/** Puts the signature into an envelope whose `sec.sig.value` is still blank. */
export async function signEnvelope(
  envelope: JsonObject,
  form: SigningForm,
  secretKey: Uint8Array,
  crypto: CryptoProvider,
): Promise<SignedEnvelope> {
  const input = signingInput(envelope, form);
  const value = encodeBase64url(await crypto.sign(input, secretKey));
  const sec = envelope['sec'] as JsonObject;
  const sig = sec['sig'] as JsonObject;
  return { envelope: { ...envelope, sec: { ...sec, sig: { ...sig, value } } }, input };
}

export interface SignedEnvelope {
  readonly envelope: JsonObject;
  /** The bytes that were signed; replies are bound to their hash. */
  readonly input: Uint8Array;
}

export interface VerifyOptions {
  readonly publicKey: Uint8Array;
  readonly crypto: CryptoProvider;
  /** The message as it came, if it came as JSON: a v1 peer may have signed that very text. */
  readonly jsonText?: Uint8Array;
  /** The form that held for this peer before: tried first where none is announced. */
  readonly remembered?: SigningForm;
}

export interface VerifiedEnvelope extends SignedEnvelope {
  /** The form that held; `text` is the received text itself. */
  readonly form: SigningForm | 'text';
}

/**
 * Verifies the signature of an envelope whose shape holds. Under an announced form only that form is tried.
 * Numbers that JCS merges are replaced in the answer, so use that and not what was read.
 */
export async function verifyEnvelope(
  envelope: JsonObject,
  options: VerifyOptions,
): Promise<VerifiedEnvelope> {
  const sig = (envelope['sec'] as JsonObject)['sig'] as JsonObject;
  const signature = decodeBase64url(sig['value'] as string);
  if (signature === undefined) throw refusal('the signature is not base64url');
  for (const form of formsToTry(sig['canon'] as SigningForm | undefined, options)) {
    const input = inputIn(form, envelope, sig['value'] as string, options);
    if (input === undefined) continue;
    if (await options.crypto.verify(signature, input, options.publicKey)) {
      const trusted = form === 'jcs' ? (mergeJcsNumbers(envelope) as JsonObject) : envelope;
      return { envelope: trusted, input, form };
    }
  }
  throw refusal('the signature does not hold');
}

function formsToTry(
  announced: SigningForm | undefined,
  { remembered, jsonText }: VerifyOptions,
): (SigningForm | 'text')[] {
  if (announced !== undefined) return [announced];
  const forms = new Set<SigningForm | 'text'>();
  if (jsonText !== undefined) forms.add('text');
  if (remembered !== undefined) forms.add(remembered);
  return [...forms.add('python').add('cbor')];
}

function inputIn(
  form: SigningForm | 'text',
  envelope: JsonObject,
  signature: string,
  { jsonText }: VerifyOptions,
): Uint8Array | undefined {
  if (form !== 'text') return signingInput(envelope, form);
  return jsonText && signingInputOfText(jsonText, signature);
}

function refusal(reason: string): SdlError {
  return new SdlError('SIGNATURE_INVALID', reason);
}
