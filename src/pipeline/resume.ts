// Owns what a retry gets beyond the reply that was kept: a message that only asks is handled anew, and the events of a
// task are told again to who says which it has seen. SPEC.md sections 7 and 8 (#replay-retry, #exchange).

import type { ContentHandler, RequestContext } from '../content.ts';
import { SdlError } from '../errors.ts';
import type { Reply } from '../transport.ts';
import { asksForStream } from './announced.ts';
import type { ReceivedPassage } from './received-passage.ts';
import type { ReplyServices } from './reply.ts';
import { sealAnswer } from './reply.ts';
import type { Refusal } from './run-stages.ts';
import { runStagesFrom } from './run-stages.ts';
import { readStoredReply } from './stored-reply.ts';

export interface RetryServices extends ReplyServices {
  readonly handlerFor: (ct: string) => ContentHandler | undefined;
}

/** `run`: as if it were new. `events`: those that it has not seen, then the reply. */
export interface RetryVerdict {
  readonly gets: 'run' | 'events' | 'reply';
  readonly refusal?: Refusal;
}

/** Does this message only ask to be told something? */
export function isRead(passage: ReceivedPassage, { handlerFor }: RetryServices): boolean {
  return handlerFor(passage.envelope.ct)?.isRead?.(passage.payload) === true;
}

/** Events are told again only to who says what it has seen; anybody else would take them for new ones. */
export function takesEvents({ inbound, envelope, replayVerdict }: ReceivedPassage): boolean {
  const hasSaid = replayVerdict?.kind !== 'retry' || inbound.afterGeneration !== undefined;
  return inbound.wantsStream && asksForStream(envelope) && hasSaid;
}

/** A retry that gets more than the kept reply has to pass the checks that it has skipped. */
export async function judgeRetry(
  passage: ReceivedPassage,
  services: RetryServices,
): Promise<RetryVerdict> {
  const handler = services.handlerFor(passage.envelope.ct);
  const isResumable = handler?.resume !== undefined && takesEvents(passage);
  if (handler?.isRead === undefined && !isResumable) return { gets: 'reply' };
  const refusal = await runStagesFrom(passage, 'session', 'authorize');
  if (passage.hasPayload && isRead(passage, services)) {
    const reason = refusal ?? (await runStagesFrom(passage, 'audit', 'audit'));
    return { gets: 'run', ...(reason && { refusal: reason }) };
  }
  return { gets: isResumable && refusal === undefined ? 'events' : 'reply' };
}

/** The events after those that the other end has seen, up to the reply, whether that is kept or still to come. */
export async function* resumeEvents(
  passage: ReceivedPassage,
  services: RetryServices,
  stored: Promise<Uint8Array>,
  context: RequestContext,
): AsyncGenerator<Reply> {
  const { inbound, envelope, payload } = passage;
  const { resume } = services.handlerFor(envelope.ct)!;
  const due = new AbortController();
  const end = (): void => due.abort();
  let last: number | undefined;
  void stored
    .then(readStoredReply)
    .catch(() => undefined)
    .then((reply) => {
      // A reply that tells of no task has no events.
      last = reply?.generation ?? 0;
      end();
    });
  inbound.signal.addEventListener('abort', end);
  try {
    for await (const answer of resume!(payload, { ...context, signal: due.signal })) {
      if (inbound.signal.aborted || (answer.generation ?? 0) > (last ?? Infinity)) return;
      yield await sealAnswer(passage, services, answer, 'evt');
    }
  } finally {
    inbound.signal.removeEventListener('abort', end);
  }
}

/** The reply that was kept for a retry; `undefined` for an event, which has none. */
export function keptReply(stored: Uint8Array, passage: ReceivedPassage): Reply | undefined {
  const reply = readStoredReply(stored);
  if (reply !== undefined || passage.envelope.type !== 'req') return reply;
  throw new SdlError('DEADLINE', 'no reply is kept for this request', {
    details: { outcome: 'none' },
  });
}
