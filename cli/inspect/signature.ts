// Owns what a signature tells of itself: the form that it is over, and when it does not hold, which bytes each form
// gives and where they part. SPEC.md sections 4.7 and 6 (#explain, #sec-canon).

import type { Form, FormDifference, JsonObject } from '../../src/codec/index.ts';
import { explainForms } from '../../src/codec/index.ts';
import type { SigningForm } from '../../src/envelope/index.ts';
import { toSdlError } from '../../src/errors.ts';
import type { Passage } from '../../src/internal.ts';
import type { PeerKey } from '../../src/security/index.ts';
import {
  decodeBase64url,
  encodeBase64url,
  equalBytes,
  signingInput,
  signingInputOfText,
} from '../../src/security/index.ts';

/** `text` is the received text itself, where no canonical form gives these bytes. */
export type SignedForm = SigningForm | 'text';

export const FORM_WORDS: Readonly<Record<SignedForm, string>> = {
  text: 'the text of the message as it is',
  jcs: 'JCS (RFC 8785)',
  python: 'Python-JSON',
  cbor: 'canonical CBOR',
};

const OPEN_BRACKET = 0x5b;

const FORMS: readonly SignedForm[] = ['text', 'python', 'jcs', 'cbor'];

/** The form that held; `undefined` until a signature did. */
export function heldForm(passage: Passage): SignedForm | undefined {
  const { form, inputHash, isProven } = passage;
  if (!isProven || form === undefined || inputHash === undefined) return undefined;
  if (form !== 'python') return form;
  // Python-JSON stands for the received text, too; that may be another form, or none.
  const { sha256 } = passage.services.crypto;
  const named = (['python', 'jcs'] as const).find((candidate) => {
    const { input } = inputIn(passage, candidate);
    return input !== undefined && equalBytes(sha256(input), inputHash);
  });
  return named ?? 'text';
}

/** In words, and whether the sender signed the very text that it sent; only where a signature holds. */
export function describeForm(passage: Passage): string {
  const form = heldForm(passage)!;
  const { input } = inputIn(passage, 'text');
  const { sha256 } = passage.services.crypto;
  const isText = input !== undefined && equalBytes(sha256(input), passage.inputHash!);
  return isText && form !== 'text'
    ? `${FORM_WORDS[form]}, which is ${FORM_WORDS.text}`
    : FORM_WORDS[form];
}

/** The bytes that one form of the message gives to sign. */
interface FormFinding {
  readonly form: SignedForm;
  /** Why there are none. */
  readonly refusal?: string;
  readonly length?: number;
  /** base64url. */
  readonly sha256?: string;
  /** Where they part from the received text. */
  readonly differsAt?: number;
  /** The kid of the known key under which the signature holds over them. */
  readonly heldBy?: string;
}

interface FormPlace {
  readonly left: Form;
  readonly right: Form;
  /** JSON pointer. */
  readonly path: string;
  readonly reason: string;
}

export interface SignatureExplanation {
  readonly forms: readonly FormFinding[];
  readonly places: readonly FormPlace[];
  /** What follows from it, a sentence each. */
  readonly meaning: readonly string[];
}

/** For a message whose check `verify` failed although its sender's keys are known. */
export async function explainSignature(passage: Passage): Promise<SignatureExplanation> {
  const { envelope, sender } = passage;
  const keys = sender.peer.signingKeys;
  const forms: FormFinding[] = [];
  const text = inputIn(passage, 'text').input;
  for (const form of FORMS) {
    if (form !== 'text' || passage.encoding === 'json') {
      forms.push(await examine(passage, form, text, keys));
    }
  }
  const places = placesOf(passage);
  const { sig, kid } = envelope.sec!;
  return { forms, places, meaning: meaningOf(forms, places, sig?.canon, kid!) };
}

async function examine(
  passage: Passage,
  form: SignedForm,
  text: Uint8Array | undefined,
  keys: readonly PeerKey[],
): Promise<FormFinding> {
  const { crypto } = passage.services;
  const { input, refusal } = inputIn(passage, form);
  if (input === undefined) return { form, refusal: refusal! };
  const signature = decodeBase64url(passage.envelope.sec!.sig!.value);
  let heldBy: string | undefined;
  for (const { kid, key } of signature === undefined ? [] : keys) {
    if (await crypto.verify(signature!, input, key)) heldBy ??= kid;
  }
  const differsAt = form === 'text' || form === 'cbor' || !text ? -1 : firstDifference(text, input);
  return {
    form,
    length: input.length,
    sha256: encodeBase64url(crypto.sha256(input)),
    ...(differsAt >= 0 && { differsAt }),
    ...(heldBy !== undefined && { heldBy }),
  };
}

function inputIn(
  { value, envelope, bytes, encoding }: Passage,
  form: SignedForm,
): { readonly input?: Uint8Array; readonly refusal?: string } {
  try {
    if (form !== 'text') return { input: signingInput(value as JsonObject, form) };
    if (encoding !== 'json') return { refusal: 'the message is no text' };
    const input = signingInputOfText(bytes, envelope.sec!.sig!.value);
    return input === undefined
      ? { refusal: 'the signature does not stand in the text exactly once' }
      : { input };
  } catch (thrown) {
    return { refusal: toSdlError(thrown).message };
  }
}

function firstDifference(some: Uint8Array, others: Uint8Array): number {
  const length = Math.max(some.length, others.length);
  for (let at = 0; at < length; at += 1) if (some[at] !== others[at]) return at;
  return -1;
}

/**
 * Numbers against the text, since a signer may have taken them as they are, and member order between the two forms
 * that sort differently; that a text is not sorted is no finding. CBOR means what Python-JSON means.
 */
function placesOf({ value, encoding }: Passage): FormPlace[] {
  const numbers: readonly (readonly [Form, Form])[] =
    encoding === 'json'
      ? [
          ['wire', 'python'],
          ['wire', 'jcs'],
        ]
      : [['cbor', 'jcs']];
  const between = (left: Form, right: Form, isWanted: typeof isOrder): FormPlace[] =>
    explainForms(value!, left, right)
      .filter(isWanted)
      .map(({ pointer, reason }) => ({ left, right, path: pointer, reason }));
  return [
    ...numbers.flatMap(([left, right]) => between(left, right, (found) => !isOrder(found))),
    ...between('python', 'jcs', isOrder),
  ];
}

/** The bytes of a difference in order are the list of the names. */
function isOrder({ left }: FormDifference): boolean {
  return left?.[0] === OPEN_BRACKET;
}

function meaningOf(
  forms: readonly FormFinding[],
  places: readonly FormPlace[],
  announced: SigningForm | undefined,
  kid: string,
): string[] {
  const held = forms.find(({ heldBy }) => heldBy === kid) ?? forms.find(({ heldBy }) => heldBy);
  const quoted = JSON.stringify(kid);
  if (held?.heldBy === kid) {
    const claim = announced === undefined ? 'announces no form' : `announces ${announced}`;
    const words = FORM_WORDS[held.form];
    return [
      `the message ${claim}, but was signed over ${words}: its sender has to announce the form that it signs`,
    ];
  }
  if (held !== undefined) {
    return [
      `the signature is of the key ${JSON.stringify(held.heldBy)} over ${FORM_WORDS[held.form]}, and the message names ${quoted}: its kid is wrong, or was changed`,
    ];
  }
  const changed = `no form holds under the key ${quoted}: the message was changed after it was signed, or another key signed it`;
  if (places.length > 0) {
    return [
      changed,
      'the forms differ at the places above: a sender that writes one of them in yet another way has signed other bytes',
    ];
  }
  return [changed, 'all forms mean the same here, so that the form is not the reason'];
}
