// Owns how an agent opens what it is asked: judged by every check, taken once. SPEC.md section 22 (#sealed-checks,
// #sealed-replay).

import type { OpenedRequest } from '../../../src/transport.ts';
import { SdlError } from '../../../src/transport.ts';
import type { Carrier } from './carrier.ts';
import { Exchange } from './exchange.ts';
import { envelopeBeside, envelopeBytes, envelopeInPart } from './locate.ts';
import type { Opened, Verdicts } from './opened.ts';
import { protectionOf } from './opened.ts';
import type { Session } from './session.ts';
import type { Bag, NeutralMessage } from './shapes/neutral.ts';
import { placesOf, rawPartsOf } from './shapes/read.ts';
import { writeMessage } from './shapes/write.ts';
import { wordsBeside, wordsIn } from './words.ts';

const CONTENT_TYPES: ReadonlySet<string> = new Set(['a2a.message.v1', 'a2a.digest.v1']);
const NOTHING = new Uint8Array(0);

type Request = Opened<Bag, Bag>;

/** It may be plain: then that is told. */
export async function openRequest(
  { family, messages }: Carrier,
  session: Session,
  verdicts: Verdicts,
): Promise<Request> {
  const { given } = messages[0]!;
  const parts = rawPartsOf(given);
  const envelopes = parts.map(envelopeInPart);
  const inside = envelopes.find((one) => one !== undefined);
  const envelope = inside ?? envelopeBeside(given);
  const plain = inside === undefined ? 0 : envelopes.filter((one) => one !== inside).length;
  if (envelope === undefined) {
    verdicts.unproven('NOT_PROTECTED', 'it is not protected', 'message');
    return plainRequest(verdicts);
  }
  if (plain > 0) verdicts.unproven('NOT_PROTECTED', 'something stands beside it', 'message.parts');
  try {
    const request = await session.kit.openRequest(
      { bytes: envelopeBytes(envelope), contentTypes: CONTENT_TYPES, right: 'task.v1' },
      session.peers,
    );
    const message = await takenOnce(request, inside === undefined ? given : undefined, session);
    const strength = inside === undefined ? 'detached' : request.mode === 'sig' ? 'sig' : 'enc+sig';
    const places = placesOf(given);
    const opened = writeMessage(message, places, family);
    return {
      kind: 'request',
      protection: protectionOf([strength], plain),
      from: request.agentId,
      message: opened,
      messages: [opened],
      artifacts: [],
      isFinal: false,
      missing: [],
      problems: verdicts.problems,
      mode: strength,
      exchange: new Exchange({ facts: request.facts, agentId: request.agentId, strength, places }),
    };
  } catch (thrown) {
    verdicts.wrong(thrown, 'message');
    return plainRequest(verdicts);
  }
}

function plainRequest({ problems }: Verdicts): Request {
  const nothing = { messages: [], artifacts: [], missing: [] };
  return { kind: 'request', protection: 'none', ...nothing, isFinal: false, problems };
}

/** A repeat is refused. What was changed on the way has not used up the request that it was made of. */
async function takenOnce(
  request: OpenedRequest,
  inClear: Bag | undefined,
  session: Session,
): Promise<NeutralMessage> {
  const { use } = request;
  if (use.kind === 'retry') throw new SdlError('REPLAYED', 'this request has come before');
  try {
    const message = wordsOf(request, inClear, session);
    await use.complete(NOTHING);
    return message;
  } catch (thrown) {
    await use.abandon(thrown);
    throw thrown;
  }
}

function wordsOf(
  request: OpenedRequest,
  inClear: Bag | undefined,
  { kit }: Session,
): NeutralMessage {
  const words =
    inClear === undefined
      ? wordsIn(request, 'user')
      : wordsBeside(request, inClear, kit.crypto.sha256);
  if (words?.role === 'user') return words;
  throw new SdlError('PAYLOAD_INVALID', 'it is no message of the user');
}
