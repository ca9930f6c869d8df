// Owns how the command line makes a message by hand: who speaks, to whom, with which keys. SPEC.md section 6.

import type { JsonValue } from '../../src/codec/index.ts';
import type { Envelope, Identity, SigningForm } from '../../src/envelope/index.ts';
import {
  checkShape,
  createEnvelopeBuilder,
  defaultCapabilities,
} from '../../src/envelope/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { SealedEnvelope } from '../../src/internal.ts';
import { newNonce, prepareMessage } from '../../src/internal.ts';
import { SchemaRegistry } from '../../src/schema/index.ts';
import type { CryptoProvider, OwnIdentity, Peer } from '../../src/security/index.ts';
import { failure } from '../kit/exit.ts';

export interface OutgoingMessage {
  readonly identity: OwnIdentity;
  /** What the receiver is told of the sender besides its id. */
  readonly senderName: string;
  readonly receiver: Peer;
  readonly receiverName: string;
  /** Encrypts to the receiver, too. */
  readonly isSealed: boolean;
  readonly form: SigningForm;
  readonly encoding: 'json' | 'cbor';
  readonly lifetimeMs: number;
}

/** A payload with the type it is of, or an envelope that is sealed anew. */
export type MessageBody =
  | { readonly ct: string; readonly payload: JsonValue; readonly type: 'req' | 'evt' }
  | { readonly envelope: JsonValue };

export async function makeMessage(
  body: MessageBody,
  message: OutgoingMessage,
  { crypto, now }: { readonly crypto: CryptoProvider; readonly now: () => number },
): Promise<SealedEnvelope> {
  const registry = new SchemaRegistry();
  const nowMs = now();
  const envelope =
    'envelope' in body
      ? requireSealable(body.envelope, message, registry)
      : buildEnvelope(body, message, registry, now);
  return prepareMessage(
    envelope,
    {
      encoding: message.encoding,
      identity: message.identity,
      nowMs,
      form: message.form,
      encryptTo: message.isSealed ? message.receiver : undefined,
      // Our bundle goes along: a receiver may not have seen these keys yet.
      ...('ct' in body && { bundles: { theirs: undefined, oursSeq: undefined } }),
      nonce: { value: newNonce({ crypto }), lifetimeMs: message.lifetimeMs },
    },
    { crypto, registry },
  ).catch((thrown: unknown) => {
    if (!(thrown instanceof SdlError && thrown.code === 'MODE_REFUSED')) throw thrown;
    throw failure('no key to encrypt to this peer is known, or all have ended', {
      next: 'give one with --enc-key [KID=]KEY, or add it: a2a-sdl keys import KEY --peer PEER --use enc',
    });
  });
}

function buildEnvelope(
  { ct, payload, type }: Exclude<MessageBody, { readonly envelope: JsonValue }>,
  { identity, senderName, receiver, receiverName }: OutgoingMessage,
  registry: SchemaRegistry,
  now: () => number,
): Envelope {
  const builder = createEnvelopeBuilder({
    identity: partyOf(identity.agentId, senderName),
    cap: defaultCapabilities(),
    schemaFor: registry.descriptorFor,
    now,
  });
  const to = partyOf(receiver.agentId, receiverName);
  return builder.request(to, { ct, payload }, { type });
}

/** The same message under new security: who it is from and for must be whom the keys are of. */
function requireSealable(
  value: JsonValue,
  { identity, receiver }: OutgoingMessage,
  registry: SchemaRegistry,
): Envelope {
  const { sec, ...envelope } = checkShape(value, registry);
  if (sec?.enc !== undefined) {
    throw failure('the payload of this envelope is encrypted already', {
      next: 'start from the payload, with --ct and --to',
    });
  }
  if (envelope.from.agent_id !== identity.agentId) {
    throw failure('this envelope is from another agent than the one that would sign it', {
      next: 'choose the identity with --as, or start from the payload, with --ct and --to',
    });
  }
  if (envelope.to.agent_id !== receiver.agentId) {
    throw failure('this envelope is for another agent than --to', { next: 'leave --to out' });
  }
  return envelope;
}

function partyOf(agentId: string, name: string): Identity {
  return { agent_id: agentId, name, instance: '1', role: 'agent' };
}
