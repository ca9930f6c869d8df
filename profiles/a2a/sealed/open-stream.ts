// Owns the opening of a stream, event by event: every number has to come, in order, until the signed end. SPEC.md section
// 22 (#sealed-numbers, #sealed-verdict).

import type { Carrier } from './carrier.ts';
import { carrierOf } from './carrier.ts';
import type { Problem } from './error.ts';
import type { OpenOptions } from './open-task.ts';
import { assertState, requestsOf } from './open-task.ts';
import type { Protection, SealedReceipt } from './opened.ts';
import { Verdicts, protectionOf } from './opened.ts';
import { AnswerOpener } from './opener.ts';
import { sessionFor } from './session.ts';
import { textOf } from './shapes/neutral.ts';
import type { TaskStateName } from './shapes/state.ts';
import { isResting } from './shapes/state.ts';
import { writeArtifact, writeMessage } from './shapes/write.ts';

/** What one event of a stream proves. In the shape of the event. */
export interface OpenedEvent {
  readonly protection: Protection;
  /** What was said in words. */
  readonly messages: readonly object[];
  /** The artifacts that it is about, as far as they have come. */
  readonly artifacts: readonly object[];
  /** Signed by the agent: nothing follows. */
  readonly isFinal: boolean;
  readonly state?: TaskStateName;
  /** As the path says. */
  readonly claimedState?: TaskStateName;
  readonly receipt?: SealedReceipt;
  /** Of this event. */
  readonly problems: readonly Problem[];
}

export interface OpenStreamOptions extends OpenOptions {
  /**
   * It goes on with a task that runs already: what was said before and is not kept need not be there. @default false:
   * it is the stream of the message that was sent
   */
  readonly isResumed?: boolean | undefined;
}

/**
 * Of the events that a client of A2A gives. Throws a {@link SealedError} for what does not hold; where protection is
 * required also when the stream ends without the agent's word on it.
 */
export async function* openStream<T extends object>(
  events: AsyncIterable<T>,
  options: OpenStreamOptions,
): AsyncGenerator<OpenedEvent> {
  const { policy = 'prefer', isResumed = false } = options;
  const session = await sessionFor(options);
  const verdicts = new Verdicts(policy);
  let opener: AnswerOpener | undefined;
  for await (const event of events) {
    const carrier = carrierOf(event);
    const known = opener?.readers.map(({ request }) => request);
    const requests = known ?? (await requestsOf(carrier, session, options));
    const isStored = carrier.kind === 'task';
    const taker =
      isStored || opener === undefined
        ? new AnswerOpener(session, requests, verdicts, !isStored)
        : opener;
    const from = verdicts.problems.length;
    const step = await take(carrier, taker, verdicts);
    if (isStored) {
      opener = new AnswerOpener(session, requests, verdicts, true);
      opener.goOnFrom(taker, isResumed);
    } else opener = taker;
    yield { ...step, problems: verdicts.problems.slice(from) };
  }
  if (opener?.readers.at(-1)?.hasEnded === true) return;
  if (policy !== 'require') return;
  verdicts.unproven('END_UNPROVEN', 'the stream ended without the word of the agent', 'stream');
}

async function take(
  { family, messages, artifacts, state: claimedState, kind }: Carrier,
  opener: AnswerOpener,
  verdicts: Verdicts,
): Promise<OpenedEvent> {
  const before = { words: opener.words.length, strengths: opener.strengths.length };
  const { plain } = opener;
  for (const message of messages) await opener.takeMessage(message);
  for (const artifact of artifacts) await opener.takeArtifact(artifact);
  const settled = opener.settle();
  const end = opener.finish().at(-1);
  const state = end?.receipt?.state;
  const isAtRest = kind === 'message' || (claimedState !== undefined && isResting(claimedState));
  if (isAtRest && end === undefined) {
    verdicts.unproven('END_UNPROVEN', 'the agent has not signed the end of it', 'status');
  }
  if (kind !== 'message') assertState(state, claimedState, verdicts);
  const shown = artifacts.flatMap(
    ({ given }) => opener.artifact(textOf(given['artifactId']) ?? '') ?? [],
  );
  const seen = new Set([...shown, ...settled]);
  return {
    protection: protectionOf(opener.strengths.slice(before.strengths), opener.plain - plain),
    messages: opener.words
      .slice(before.words)
      .map(({ message, places }) => writeMessage(message, places, family)),
    artifacts: [...seen].map((artifact) => writeArtifact(artifact, family)),
    isFinal: end !== undefined,
    ...(state !== undefined && { state }),
    ...(claimedState !== undefined && { claimedState }),
    ...(end?.receipt && { receipt: end.receipt }),
    problems: [],
  };
}
