// Owns how a reply is sealed: as strong as the request, bound to it, in the form that its sender reads.
// SPEC.md sections 6 and 8 (#sec-reply-strength, #re, #x-req).

import type { Verdict } from '../audit/entry.ts';
import { encodeBase64url } from '../codec/base64url.ts';
import type { Answer } from '../content.ts';
import type { EnvelopeBuilder, ReplyTo } from '../envelope/build.ts';
import { salvageReplyTo } from '../envelope/build.ts';
import { toErrorPayload } from '../envelope/error-payload.ts';
import type { Envelope, SigningForm } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import type { Peer } from '../security/peers/peer.ts';
import type { Reply } from '../transport.ts';
import { announcedAdditions, announcedMaxBytes, knownSeq } from './announced.ts';
import type { Passage } from './passage.ts';
import type { KnownBundles, ReadForms } from './prepare-message.ts';
import { prepareMessage } from './prepare-message.ts';
import { withReceipt } from './reply-receipt.ts';

/** What replies are made with. */
export interface ReplyServices {
  readonly builder: EnvelopeBuilder;
}

export async function sealAnswer(
  passage: Passage,
  services: ReplyServices,
  answer: Answer,
  type: 'res' | 'evt',
): Promise<Reply> {
  const { generation } = answer;
  try {
    const reply = services.builder.reply(replyToOf(passage) ?? {}, answer, type);
    const sealed = await seal(reply, passage, type, { status: 200, verdict: 'ok' });
    return generation === undefined ? sealed : { ...sealed, generation };
  } catch (cause) {
    // An answer of ours that fits no schema is our fault, and no reason for the peer to doubt its request.
    throw new SdlError('INTERNAL', 'the answer of the handler cannot be sent', { cause });
  }
}

/** The error that refuses a request, or `undefined` for what is never answered. */
export async function sealError(
  passage: Passage,
  services: ReplyServices,
  error: SdlError,
): Promise<Reply | undefined> {
  const replyTo = replyToOf(passage);
  if (replyTo === undefined) return undefined;
  const content = { ct: 'error.v1', payload: toErrorPayload(error) };
  const reply = services.builder.reply(replyTo, content, 'res');
  return seal(reply, passage, 'res', { status: statusOf(error), verdict: error.code });
}

/** Only what has not reached the checks has a status of its own. */
function statusOf({ code, row }: SdlError): number {
  return code === 'LIMIT_RATE' || code === 'DRAINING' ? row.http : 200;
}

function replyToOf(passage: Passage): ReplyTo | undefined {
  const { value, services } = passage;
  if (!passage.hasEnvelope)
    return value === undefined ? {} : salvageReplyTo(value, services.limits);
  // The shape holds, so nothing of it needs to be looked at again.
  const { id, from, trace, type } = passage.envelope;
  if (type !== 'req') return undefined;
  return trace === undefined ? { id, from } : { id, from, trace };
}

async function seal(
  reply: Envelope,
  passage: Passage,
  type: 'res' | 'evt',
  { status, verdict }: { readonly status: number; readonly verdict: Verdict },
): Promise<Reply> {
  const { services, snapshot, encoding } = passage;
  const { bytes } = await prepareMessage(
    reply,
    {
      encoding,
      identity: snapshot.identity,
      nowMs: snapshot.nowMs,
      form: formsOf(passage),
      encryptTo: recipientOf(passage),
      bundles: bundlesOf(passage),
      answersInput: passage.isProven ? passage.inputHash : undefined,
      ...(type === 'res' && { complete: (sealed) => addReceipt(sealed, passage, verdict) }),
    },
    services,
  );
  const announced = passage.hasEnvelope ? announcedMaxBytes(passage.envelope) : undefined;
  const maxBytes = Math.min(services.limits.maxBytes, announced ?? Infinity);
  if (bytes.length > maxBytes) {
    throw new SdlError(
      'INTERNAL',
      `the reply has ${bytes.length} bytes, and the sender takes at most ${maxBytes}`,
    );
  }
  return { bytes, encoding, type, status };
}

/**
 * The sender's own form once it is proven. Before that only what the message itself says: whether anything is remembered
 * of a sender is nobody else's business.
 */
function formsOf(passage: Passage): SigningForm | ReadForms {
  if (!passage.hasEnvelope) return 'jcs';
  const { envelope } = passage;
  const isKnown = passage.hasSender && passage.sender.key === undefined;
  return {
    readsAll: announcedAdditions(envelope).includes('canon'),
    known: [passage.form, isKnown ? passage.sender.peer.canon : envelope.sec?.sig?.canon],
    otherwise: 'python',
  };
}

/** To nobody while it is not proven who the sender is. */
function recipientOf(passage: Passage): Peer | undefined {
  if (passage.replyRequirement?.encrypt !== true) return undefined;
  return passage.isProven || passage.sender.key === undefined ? passage.sender.peer : undefined;
}

function bundlesOf(passage: Passage): KnownBundles {
  return {
    theirs: passage.isProven ? (passage.sender.newBundle ?? passage.contact?.bundle) : undefined,
    oursSeq: passage.hasEnvelope ? knownSeq(passage.envelope) : undefined,
  };
}

async function addReceipt(reply: Envelope, passage: Passage, verdict: Verdict): Promise<Envelope> {
  const { auditSeq, inputHash, services, snapshot } = passage;
  if (auditSeq === undefined) return reply;
  const req = encodeBase64url(inputHash!);
  const request = { id: passage.envelope.id, req, auditSeq, verdict };
  return withReceipt(reply, request, { ...services, ...snapshot });
}
