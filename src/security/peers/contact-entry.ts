// Owns what the store keeps of a contact, and how it is read back. SPEC.md sections 8 and 10 (#cap-x, #key-bundle).

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import { quoteForLog } from '../../codec/pointer.ts';
import type { JsonValue } from '../../codec/value.ts';
import { isJsonArray } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { malformed } from '../../envelope/fields.ts';
import type { SigningForm } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { requireCount, requireMembers } from '../identity/document-fields.ts';
import type { KeyBundle } from '../identity/key-bundle-shape.ts';
import { verifyStoredBundle } from '../identity/key-bundle.ts';

/** What a peer's own proven messages have told of it. Immutable. */
export interface Contact {
  /** The one with the highest `seq` so far, ended or not. */
  readonly bundle?: KeyBundle;
  /** The form in which it signs. */
  readonly form?: SigningForm;
  /** What it lists in `cap.a2a_sdl.x`. */
  readonly additions: ReadonlySet<string>;
  /** The `seq` of our own bundle that it has shown to know. */
  readonly knowsSeq?: number;
}

const MEMBERS = ['bundle', 'form', 'additions', 'knows_seq'];
const FORMS: readonly JsonValue[] = ['jcs', 'python', 'cbor'] satisfies SigningForm[];

export function writeContact({ bundle, form, additions, knowsSeq }: Contact): Uint8Array {
  return writeJson({
    ...(bundle && { bundle: bundle.document }),
    ...(form && { form }),
    additions: [...additions],
    ...(knowsSeq !== undefined && { knows_seq: knowsSeq }),
  });
}

/** The bundle is verified again: who can write to the store does not thereby speak for its peers. */
export async function readContact(
  agentId: string,
  bytes: Uint8Array,
  crypto: CryptoProvider,
): Promise<Contact> {
  try {
    const { bundle, form, additions, knows_seq } = requireMembers(readJson(bytes), MEMBERS, '');
    if (form !== undefined && !FORMS.includes(form)) throw malformed('/form', 'is no form');
    return {
      ...(bundle !== undefined && { bundle: await bundleOf(agentId, bundle, crypto) }),
      ...(form !== undefined && { form: form as SigningForm }),
      additions: additionsOf(additions),
      ...(knows_seq !== undefined && { knowsSeq: requireCount(knows_seq, '/knows_seq') }),
    };
  } catch (cause) {
    if (!(cause instanceof SdlError)) throw cause;
    const reason = `what the store holds of the peer ${quoteForLog(agentId)} is damaged: restore the store from a copy, or forget the peer's contact so that it is learned anew`;
    throw new SdlError('INTERNAL', reason, { cause });
  }
}

async function bundleOf(
  agentId: string,
  value: JsonValue,
  crypto: CryptoProvider,
): Promise<KeyBundle> {
  const bundle = await verifyStoredBundle(value, crypto);
  if (bundle.agentId !== agentId) throw malformed('/bundle/agent_id', 'is of another agent');
  return bundle;
}

function additionsOf(value: JsonValue | undefined): ReadonlySet<string> {
  if (isJsonArray(value) && value.every((name) => typeof name === 'string')) return new Set(value);
  throw malformed('/additions', 'must be an array of texts');
}
