// Owns how a request of ours is sealed for one peer: by its entry and by what it has proven of itself.
// SPEC.md sections 6 to 8 (#sec-order, #replay, #x-req).

import type { JsonObject } from '../codec/value.ts';
import type { Content, EnvelopeBuilder } from '../envelope/build.ts';
import type { Encoding } from '../envelope/decode.ts';
import type { SecurityMode, SigningForm, Trace } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import { withoutStream } from '../pipeline/announced.ts';
import type { OpenRequest, Snapshot } from '../pipeline/passage.ts';
import type { KnownBundles, PreparedMessage, ReadForms } from '../pipeline/prepare-message.ts';
import { newNonce, prepareMessage } from '../pipeline/prepare-message.ts';
import type { SealServices } from '../pipeline/seal-envelope.ts';
import { isEncrypted, isSigned } from '../security/message/mode.ts';
import type { Contact } from '../security/peers/contact-entry.ts';
import type { Contacts } from '../security/peers/contacts.ts';
import type { Peer } from '../security/peers/peer.ts';
import { withOwnKeys } from '../security/peers/resolve-sender.ts';

export interface RequestServices extends SealServices {
  readonly builder: EnvelopeBuilder;
  readonly contacts: Contacts;
  readonly snapshot: () => Snapshot;
}

export interface RequestPlan {
  /** Whom it is for; it has an entry. */
  readonly agentId: string;
  readonly content: Content;
  readonly mode: SecurityMode;
  /** How long the receiver takes it for new; at most the longest window. */
  readonly lifetimeMs: number;
  /** @default 'json' */
  readonly encoding?: Encoding | undefined;
  /** @default 'req' */
  readonly type?: 'req' | 'evt' | undefined;
  /** The form that is signed. @default what the receiver is known to read, else 'jcs' */
  readonly form?: SigningForm | undefined;
  /** Does the sender take the events of its exchange? @default false */
  readonly wantsStream?: boolean | undefined;
  /** @default a new one */
  readonly nonce?: string | undefined;
  /** @default only if the receiver has not shown that it knows our keys */
  readonly mustBringBundle?: boolean | undefined;
  /** The answers are to bring their bundle: they may be opened where nothing is remembered. @default false */
  readonly asksForBundle?: boolean | undefined;
  readonly session?: JsonObject | undefined;
  /** @default a new trace */
  readonly trace?: Trace | undefined;
}

export interface SealedRequest extends PreparedMessage {
  /** What an answer to it must fit. */
  readonly open: OpenRequest;
  readonly nonce: string;
  /** The `seq` of the bundle of the receiver that it was made with; -1 without one. */
  readonly peerSeq: number;
}

/** Throws SENDER_REFUSED for a peer without an entry that counts, and MODE_REFUSED without a key to encrypt to. */
export async function sealRequest(
  plan: RequestPlan,
  services: RequestServices,
): Promise<SealedRequest> {
  const { agentId, content, mode, encoding = 'json', type = 'req', trace } = plan;
  const { nonce = newNonce(services) } = plan;
  const snapshot = services.snapshot();
  const contact = await services.contacts.get(agentId);
  const peer = withOwnKeys(entryOf(agentId, snapshot), contact?.bundle, snapshot.nowMs);
  const to = { agent_id: peer.agentId, name: 'agent', instance: 'unknown', role: 'agent' };
  const built = services.builder.request(to, content, { type, ...(trace && { trace }) });
  const lifetimeMs = Math.min(plan.lifetimeMs, snapshot.policy.maxWindowMs);
  const sealed = await prepareMessage(
    plan.wantsStream === true ? built : { ...built, cap: withoutStream(built.cap) },
    {
      encoding,
      identity: snapshot.identity,
      nowMs: snapshot.nowMs,
      form: isSigned(mode) ? (plan.form ?? formsOf(peer, contact)) : undefined,
      encryptTo: isEncrypted(mode) ? peer : undefined,
      bundles: bundlesOf(plan, contact),
      nonce: isSigned(mode) ? { value: nonce, lifetimeMs } : undefined,
      session: plan.session,
    },
    services,
  );
  return {
    ...sealed,
    nonce,
    peerSeq: contact?.bundle?.seq ?? -1,
    open: openRequestOf(sealed, mode, services),
  };
}

function entryOf(agentId: string, { peers }: Snapshot): Peer {
  const entry = peers.find(agentId);
  if (entry === undefined) {
    throw new SdlError('SENDER_REFUSED', `${agentId} is not in the peer book`);
  }
  if (entry.revoked) throw new SdlError('SENDER_REFUSED', `${agentId} is revoked`);
  return entry;
}

function bundlesOf(plan: RequestPlan, contact: Contact | undefined): KnownBundles {
  const { mustBringBundle = false, asksForBundle = false } = plan;
  return {
    theirs: asksForBundle ? undefined : contact?.bundle,
    oursSeq: mustBringBundle ? undefined : contact?.knowsSeq,
  };
}

function openRequestOf(
  { envelope, input }: PreparedMessage,
  mode: SecurityMode,
  { crypto }: RequestServices,
): OpenRequest {
  return {
    id: envelope.id,
    spanId: envelope.trace!.span_id,
    agentId: envelope.to.agent_id,
    mode,
    ...(input && { inputHash: crypto.sha256(input) }),
  };
}

/** Ours, unless the peer is known to read another. */
function formsOf(peer: Peer, contact: Contact | undefined): ReadForms {
  const readsAll = contact?.additions.has('canon') === true;
  return { readsAll, known: [peer.canon, contact?.form] };
}
