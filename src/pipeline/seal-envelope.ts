// Owns how a message of ours is sealed: validate, encrypt, add what goes under the signature, sign, encode.
// SPEC.md sections 6 and 13 (#sec-order, #seal).

import { encodeBase64url } from '../codec/base64url.ts';
import { writePythonJson } from '../codec/canonical-python.ts';
import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import type { JsonObject } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import type { Encoding } from '../envelope/decode.ts';
import { encodeMessage } from '../envelope/encode.ts';
import type { Envelope, Sec, SigningForm } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import { bindTag } from '../security/message/bind.ts';
import { modeFor } from '../security/message/mode.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { signingKeyOf } from '../security/identity/own-identity.ts';
import type { RecipientKey } from '../security/message/encrypt-payload.ts';
import { encryptPayload } from '../security/message/encrypt-payload.ts';
import { signEnvelope } from '../security/message/sign.ts';

/** What messages are sealed with. */
export interface SealServices {
  readonly crypto: CryptoProvider;
  readonly registry: SchemaRegistry;
}

/** How one message is sealed. */
export interface SealPlan {
  readonly encoding: Encoding;
  /** Whose keys sign. */
  readonly identity: OwnIdentity;
  readonly nowMs: number;
  /** The form that is signed; what JCS cannot write exactly is signed as Python-JSON. @default no signature */
  readonly form?: SigningForm | undefined;
  /** Whom the payload is encrypted to. @default nobody: it is in clear */
  readonly recipients?: readonly RecipientKey[] | undefined;
  readonly replay?: Sec['replay'];
  readonly session?: JsonObject | undefined;
  /** The SHA-256 of the signing input of the request that is answered. */
  readonly answersInput?: Uint8Array | undefined;
  /** Where it stands among the answers: the number of an event, of a `res` how many came before it. @default not told */
  readonly number?: number | undefined;
  /** Adds what depends on the encrypted message and goes under the signature. @default nothing */
  readonly complete?: (envelope: Envelope) => Promise<Envelope>;
}

export interface SealedEnvelope {
  readonly envelope: Envelope;
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  /** What was signed; absent when nothing was. */
  readonly input?: Uint8Array;
}

/** Throws PAYLOAD_INVALID where the payload does not fit our own schema: what we would refuse we do not send. */
export async function sealEnvelope(
  envelope: Envelope,
  plan: SealPlan,
  services: SealServices,
): Promise<SealedEnvelope> {
  const { ct, payload, schema } = envelope;
  services.registry.checkOwn({ ct, payload, descriptor: schema });
  const { encoding, form, complete } = plan;
  const encrypted = secure(envelope, plan, services.crypto);
  const secured = complete === undefined ? encrypted : await complete(encrypted);
  if (form === undefined) {
    return { envelope: secured, bytes: encodeMessage(secured, encoding), encoding };
  }
  const signed = await sign(secured, form, plan, services.crypto);
  const asSigned = encoding === 'json' ? signedText(signed) : undefined;
  return { ...signed, bytes: asSigned ?? encodeMessage(signed.envelope, encoding), encoding };
}

/** Everything but the signature's value, which covers all of it. */
function secure(envelope: Envelope, plan: SealPlan, crypto: CryptoProvider): Envelope {
  const { recipients, form, identity, nowMs, replay, session, answersInput, number } = plan;
  const isEncrypted = recipients !== undefined;
  const mode = modeFor(form !== undefined, isEncrypted);
  if (mode === 'none') return envelope;
  const x: Record<string, string | number> = {};
  if (answersInput !== undefined) x['req'] = encodeBase64url(answersInput);
  if (number !== undefined) x['n'] = number;
  const head: Sec = {
    mode,
    ...(form !== undefined && { kid: signingKeyOf(identity, nowMs).kid }),
    ...(form !== undefined && { sig: { alg: 'ed25519', value: '', canon: form } }),
  };
  const tail = { ...(replay && { replay }), ...(session && { session }) };
  if (!isEncrypted) {
    return { ...envelope, sec: { ...head, ...tail, ...(Object.keys(x).length > 0 && { x }) } };
  }
  const { enc, contentKey } = encryptPayload(writePythonJson(envelope.payload), recipients, crypto);
  const sealed: Envelope = { ...envelope, payload: null, sec: { ...head, enc } };
  x['bind'] = bindTag(sealed, contentKey, crypto);
  contentKey.fill(0);
  return { ...sealed, sec: { ...head, enc, ...tail, x } };
}

interface Signed {
  readonly envelope: Envelope;
  readonly input: Uint8Array;
}

/**
 * What was signed, with the signature in its place: to write the envelope once more takes several times as long.
 * `undefined` where the place cannot be told, as in a payload that looks like a blank signature, or in CBOR.
 */
function signedText({ envelope, input }: Signed): Uint8Array | undefined {
  const { alg, canon, value } = envelope.sec!.sig!;
  if (canon === 'cbor') return undefined;
  const blank = `{"alg":"${alg}","canon":"${canon}","value":""}`;
  const text = decodeUtf8(input);
  const at = text.indexOf(blank);
  if (at < 0 || text.includes(blank, at + 1)) return undefined;
  const place = at + blank.length - '"}'.length;
  return encodeUtf8(`${text.slice(0, place)}${value}${text.slice(place)}`);
}

async function sign(
  envelope: Envelope,
  form: SigningForm,
  { identity, nowMs }: SealPlan,
  crypto: CryptoProvider,
): Promise<Signed> {
  const secret = signingKeyOf(identity, nowMs).key.reveal();
  try {
    const value = envelope as unknown as JsonObject;
    const signed = await signEnvelope(value, form, secret, crypto);
    return { envelope: signed.envelope as unknown as Envelope, input: signed.input };
  } catch (thrown) {
    const isInexact = thrown instanceof SdlError && thrown.code === 'NUMBER_INEXACT';
    if (!isInexact || form !== 'jcs') throw thrown;
    const sec = envelope.sec!;
    const announced: Envelope = {
      ...envelope,
      sec: { ...sec, sig: { ...sec.sig!, canon: 'python' } },
    };
    return sign(announced, 'python', { identity, nowMs } as SealPlan, crypto);
  }
}
