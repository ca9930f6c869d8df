// Owns the opening of a message or a task: by who asked, or by who is asked. SPEC.md section 22 (#sealed-verdict,
// #sealed-policy).

import type { OpenRequest } from '../../../src/message/index.ts';
import type { Carrier } from './carrier.ts';
import { carrierOf } from './carrier.ts';
import { toSealedError } from './error.ts';
import { envelopeBeside, envelopeBytes, envelopeInPart } from './locate.ts';
import { openRequest } from './open-request.ts';
import type { ArtifactOf, MessageOf, OpenPolicy, Opened } from './opened.ts';
import { Verdicts, protectionOf } from './opened.ts';
import { AnswerOpener } from './opener.ts';
import type { SealedOptions, Session } from './session.ts';
import { sessionFor } from './session.ts';
import type { Bag } from './shapes/neutral.ts';
import { rawPartsOf, readRole } from './shapes/read.ts';
import type { TaskStateName } from './shapes/state.ts';
import { isResting } from './shapes/state.ts';
import { writeArtifact, writeMessage } from './shapes/write.ts';

export interface OpenOptions extends SealedOptions {
  /**
   * What was asked: the message that {@link sealMessage} gave; of a task with several turns all of them, in order. Only
   * with it one task of ours cannot be shown for another. @default those of ours in the history of the task
   */
  readonly request?: object | readonly object[] | undefined;
  /** The task was asked for with so many messages: others may not be in it. @default with all */
  readonly historyLength?: number | undefined;
  /** @default 'prefer' */
  readonly policy?: OpenPolicy | undefined;
}

/**
 * What is proven of a task, a message or an answer around one; or of a request, at the agent that it is for. Throws a
 * {@link SealedError} for what does not hold.
 */
export async function openTask<T extends object>(
  taskOrMessage: T,
  options: OpenOptions,
): Promise<Opened<MessageOf<T>, ArtifactOf<T>>> {
  const carrier = carrierOf(taskOrMessage);
  const { policy = 'prefer' } = options;
  const session = await sessionFor(options);
  const verdicts = new Verdicts(policy);
  const opened = isRequest(carrier)
    ? await openRequest(carrier, session, verdicts)
    : await openAnswer(carrier, session, verdicts, options);
  return opened as Opened<MessageOf<T>, ArtifactOf<T>>;
}

function isRequest({ kind, messages }: Carrier): boolean {
  const [first] = messages;
  if (kind !== 'message' || first === undefined) return false;
  const envelope = envelopeOfMessage(first.given);
  return envelope === undefined
    ? readRole(first.given['role']) === 'user'
    : envelope['type'] === 'req';
}

function envelopeOfMessage(given: Bag): Bag | undefined {
  const inside = rawPartsOf(given).map(envelopeInPart);
  return inside.find((one) => one !== undefined) ?? envelopeBeside(given);
}

async function openAnswer(
  carrier: Carrier,
  session: Session,
  verdicts: Verdicts,
  options: OpenOptions,
): Promise<Opened<Bag, Bag>> {
  const requests = await requestsOf(carrier, session, options);
  const opener = new AnswerOpener(session, requests, verdicts, false);
  for (const message of carrier.messages) await opener.takeMessage(message);
  for (const artifact of carrier.artifacts) await opener.takeArtifact(artifact);
  return resultOf(carrier, opener, verdicts, options.historyLength !== undefined);
}

/** Those that were given, else those in the history that we have signed. */
export async function requestsOf(
  { asked }: Carrier,
  { kit }: Session,
  { request, policy }: OpenOptions,
): Promise<OpenRequest[]> {
  if (request === undefined) {
    if (policy === 'require') throw new TypeError('"request" is needed to require protection');
    const found = asked.map(envelopeOfMessage).filter((one) => one !== undefined);
    const read = found.map((one) =>
      kit.requestOf(envelopeBytes(one), 'found').catch(() => undefined),
    );
    return (await Promise.all(read)).filter((one) => one !== undefined);
  }
  const given: readonly object[] = Array.isArray(request) ? request : [request];
  return Promise.all(
    given.map(async (message) => {
      const envelope = envelopeOfMessage(message as Bag);
      if (envelope === undefined) throw new TypeError('"request" expected what sealMessage() gave');
      try {
        return await kit.requestOf(envelopeBytes(envelope), 'given');
      } catch (thrown) {
        throw toSealedError(thrown, 'request');
      }
    }),
  );
}

function resultOf(
  carrier: Carrier,
  opener: AnswerOpener,
  verdicts: Verdicts,
  isHistoryCut: boolean,
): Opened<Bag, Bag> {
  const { family, state: claimedState, kind } = carrier;
  opener.settle();
  const ends = opener.finish();
  const end = ends.at(-1);
  if (!isHistoryCut && ends.some((one) => (one?.missingMessages ?? 0) > 0)) {
    verdicts.unproven('EVENT_MISSING', 'something that the agent said is not in it', 'history');
  }
  const state = end?.receipt?.state;
  const isAtRest = kind === 'message' || (claimedState !== undefined && isResting(claimedState));
  if (isAtRest && end === undefined) {
    verdicts.unproven('END_UNPROVEN', 'the agent has not signed the end of it', 'status');
  }
  assertState(state, claimedState, verdicts);
  const messages = opener.words.map(({ message, places }) => writeMessage(message, places, family));
  return {
    kind: 'answer',
    protection: protectionOf(opener.strengths, opener.plain),
    ...(opener.strengths.length > 0 && { from: opener.readers.at(-1)!.request.agentId }),
    ...(messages.length > 0 && { message: messages.at(-1)! }),
    messages,
    artifacts: opener.artifacts.map((artifact) => writeArtifact(artifact, family)),
    ...(state !== undefined && { state }),
    ...(claimedState !== undefined && { claimedState }),
    isFinal: end !== undefined,
    missing: end?.missing ?? [],
    ...(end?.receipt && { receipt: end.receipt }),
    problems: verdicts.problems,
  };
}

export function assertState(
  state: TaskStateName | undefined,
  claimed: TaskStateName | undefined,
  verdicts: Verdicts,
): void {
  if (state === undefined || claimed === undefined || state === claimed) return;
  verdicts.unproven(
    'STATE_CHANGED',
    `the agent says ${state}, the path ${claimed}`,
    'status.state',
  );
}
