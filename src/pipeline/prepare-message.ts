// Owns how a message of ours is made ready for one receiver: which key it is encrypted to, which form is signed, which
// keys it tells of, and its nonce. SPEC.md sections 6 and 7 (#sec-order, #replay).

import { encodeBase64url } from '../codec/base64url.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import type { Envelope, SigningForm } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import type { RecipientKey } from '../security/message/encrypt-payload.ts';
import { usableKeys } from '../security/peers/keys.ts';
import type { Peer } from '../security/peers/peer.ts';
import { withBundles } from './announced.ts';
import type { SealPlan, SealServices, SealedEnvelope } from './seal-envelope.ts';
import { sealEnvelope } from './seal-envelope.ts';

/** What is known of the forms that the receiver reads. */
export interface ReadForms {
  /** It said that it reads whatever form is announced. */
  readonly readsAll: boolean;
  /** The first that is known counts. */
  readonly known: readonly (SigningForm | undefined)[];
  /** @default 'jcs' */
  readonly otherwise?: SigningForm;
}

/** Which key bundles the two ends have of each other. */
export interface KnownBundles {
  /** The newest of the receiver's that we have. */
  readonly theirs: KeyBundle | undefined;
  /** The `seq` of the newest of ours that the receiver has shown to have; ours goes along until it has it. */
  readonly oursSeq: number | undefined;
}

export interface MessagePlan extends Omit<SealPlan, 'form' | 'recipients' | 'replay'> {
  /** The form that is signed, or what it is chosen by. @default no signature */
  readonly form?: SigningForm | ReadForms | undefined;
  /** The payload is encrypted to the newest key of this peer. @default it is in clear */
  readonly encryptTo?: Peer | undefined;
  /** @default the envelope's `cap` goes as it is */
  readonly bundles?: KnownBundles;
  /** @default none: an answer is tied to its request */
  readonly nonce?: { readonly value: string; readonly lifetimeMs: number } | undefined;
}

export interface PreparedMessage extends SealedEnvelope {
  readonly bringsBundle: boolean;
}

const NONCE_BYTES = 18;

export function newNonce({ crypto }: Pick<SealServices, 'crypto'>): string {
  return encodeBase64url(crypto.randomBytes(NONCE_BYTES));
}

/** Throws MODE_REFUSED where there is no key to encrypt to. */
export async function prepareMessage(
  envelope: Envelope,
  { form, encryptTo, bundles, nonce, ...plan }: MessagePlan,
  services: SealServices,
): Promise<PreparedMessage> {
  const { identity, nowMs } = plan;
  const ours = bundles && bundleToBring(identity.bundle, bundles.oursSeq);
  const announced = bundles
    ? { ...envelope, cap: withBundles(envelope.cap, bundles.theirs, ours) }
    : envelope;
  const sealed = await sealEnvelope(
    announced,
    {
      ...plan,
      form: typeof form === 'object' ? chooseForm(form) : form,
      recipients: encryptTo && [newestKeyOf(encryptTo, nowMs)],
      ...(nonce && {
        replay: { nonce: nonce.value, exp: formatTimestamp(nowMs + nonce.lifetimeMs) },
      }),
    },
    services,
  );
  return { ...sealed, bringsBundle: ours !== undefined };
}

function chooseForm({ readsAll, known, otherwise = 'jcs' }: ReadForms): SigningForm {
  return readsAll ? 'jcs' : (known.find((form) => form !== undefined) ?? otherwise);
}

function bundleToBring(ours: KeyBundle | undefined, seq = -1): KeyBundle | undefined {
  return ours === undefined || seq >= ours.seq ? undefined : ours;
}

function newestKeyOf({ agentId, encryptionKeys }: Peer, nowMs: number): RecipientKey {
  const [newest] = usableKeys(encryptionKeys, nowMs);
  if (newest !== undefined) return { kid: newest.kid, publicKey: newest.key };
  throw new SdlError(
    'MODE_REFUSED',
    `no encryption key of ${agentId} is known: fetch its agent document, add a key to its entry, or send signed only`,
  );
}
