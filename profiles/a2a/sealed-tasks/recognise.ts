// Owns how a sealed message is known and opened: by what is in its body, through the one pipeline of the agent. SPEC.md
// section 22 (#sealed-recognised, #sealed-checks, #sealed-refused).

import type { JsonObject, MessageContent } from '../../../src/door/index.ts';
import { SdlError, toSdlError } from '../../../src/door/index.ts';
import type {
  FaceTicket,
  ListenContext,
  OpenedRequest,
  PeerFacts,
} from '../../../src/transport.ts';
import { writeJson } from '../../../src/transport.ts';
import { A2aError, refusal, toA2aError } from '../errors/a2a-error.ts';
import { MESSAGE_COVERS, coveredMessage, digestIn, digestOfMessage } from '../sealed/digest.ts';
import { SealedError } from '../sealed/error.ts';
import type { Strength } from '../sealed/exchange.ts';
import { envelopeBeside, envelopeInPart } from '../sealed/locate.ts';
import type { NeutralMessage } from '../sealed/shapes/neutral.ts';
import { wordsIn } from '../sealed/words.ts';
import { sha256 } from './exchange.ts';
import { neutralMessage } from './neutral.ts';

const CONTENT_TYPES: ReadonlySet<string> = new Set(['a2a.message.v1', 'a2a.digest.v1']);

/** What came along with the call. */
export interface Carriage {
  readonly peer: PeerFacts;
  readonly ticket: FaceTicket;
}

/** An envelope that was found; nothing of it has been looked at. */
export interface FoundEnvelope {
  readonly envelope: JsonObject;
  readonly isDetached: boolean;
}

/** A request whose sender is proven. */
export interface SealedRequest {
  readonly opened: OpenedRequest;
  readonly words: NeutralMessage;
  readonly strength: Strength;
  readonly envelope: JsonObject;
}

/** `undefined` for a plain message. Throws where an envelope does not stand alone. */
export function envelopeOf(message: MessageContent): FoundEnvelope | undefined {
  const { parts } = message;
  const inside = parts.map((part) => ('data' in part ? envelopeInPart(part) : undefined));
  const found = inside.find((one) => one !== undefined);
  if (found !== undefined) {
    if (parts.length > 1)
      throw rejected('ENVELOPE_INVALID', 'something stands beside the envelope');
    return { envelope: found as JsonObject, isDetached: false };
  }
  if (message.metadata === undefined) return undefined;
  const beside = envelopeBeside({ metadata: message.metadata });
  return beside && { envelope: beside as JsonObject, isDetached: true };
}

/** Throws an A2aError: one for whatever is wrong with an envelope. What may pass is told as it is. */
export async function openSealed(
  message: MessageContent,
  { envelope, isDetached }: FoundEnvelope,
  context: Pick<ListenContext, 'open'>,
  { peer, ticket }: Carriage,
): Promise<SealedRequest> {
  let opened: OpenedRequest;
  try {
    const bytes = writeJson(envelope);
    opened = await context.open({
      bytes,
      peer,
      ticket,
      contentTypes: CONTENT_TYPES,
      right: 'task.v1',
    });
  } catch (thrown) {
    throw refusedBy(toSdlError(thrown));
  }
  try {
    const words = isDetached ? wordsBeside(opened, message) : wordsIn(opened, 'user');
    if (words === undefined) throw new SdlError('PAYLOAD_INVALID', 'it is no message of the user');
    const strength = isDetached ? 'detached' : opened.mode === 'sig' ? 'sig' : 'enc+sig';
    return { opened, words, strength, envelope };
  } catch (thrown) {
    // What was changed on the way has not used up the request that it was made of.
    if (opened.use.kind === 'new') await opened.use.abandon(thrown);
    throw refusedBy(causeOf(thrown));
  }
}

/** Only what is covered of them. */
function wordsBeside(opened: OpenedRequest, message: MessageContent): NeutralMessage {
  const clear = neutralMessage(message);
  const signed = digestIn(opened, MESSAGE_COVERS);
  if (signed === undefined || signed !== digestOfMessage(clear, sha256)) {
    throw new SealedError('CONTENT_CHANGED', 'the message is not what was signed');
  }
  return coveredMessage(clear);
}

function causeOf(thrown: unknown): SdlError {
  return thrown instanceof SealedError
    ? new SdlError('PAYLOAD_INVALID', thrown.message, { cause: thrown })
    : toSdlError(thrown);
}

function refusedBy(error: SdlError): Error {
  const { code, row } = error;
  // A fault of this program is told to its operator.
  if (code === 'INTERNAL') return error.cause instanceof Error ? error.cause : error;
  if (code === 'CT_UNSUPPORTED') {
    const words = `envelopes of this content type are not taken; these are: ${[...CONTENT_TYPES].join(', ')}`;
    return refusal('CONTENT_TYPE_NOT_SUPPORTED', 'CT_UNSUPPORTED', words);
  }
  // What has nothing to do with the envelope may pass.
  if (row.retryable) return toA2aError(error);
  return new A2aError('SDL_ENVELOPE_REJECTED', error, UNIFORM);
}

/** The same words whatever was wrong; the audit log has the cause. */
const UNIFORM = 'the envelope is not accepted';

/** For what the face finds wrong with an envelope by itself. */
export function rejected(code: 'ENVELOPE_INVALID' | 'REPLAYED', reason: string): A2aError {
  return new A2aError('SDL_ENVELOPE_REJECTED', new SdlError(code, reason), UNIFORM);
}
