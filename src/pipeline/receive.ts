// Owns the way of a message through the runtime: checks, handler, replies. SPEC.md section 13 (#checks, #seal).

import type {
  Answer,
  ContentHandler,
  RequestContext,
  TaskFacts,
  VerifiedRequest,
} from '../content.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError, toSdlError } from '../errors.ts';
import { modeOf } from '../security/message/mode.ts';
import { thumbprint } from '../security/identity/thumbprint.ts';
import type { Inbound, Receive, Reply } from '../transport.ts';
import { untilAborted } from '../handlers/until-aborted.ts';
import { announcedAdditions } from './announced.ts';
import { partsOf } from './answers.ts';
import { callOf } from './call-of.ts';
import { Handover } from './handover.ts';
import type { CheckServices, Snapshot } from './passage.ts';
import { ReceivedPassage } from './received-passage.ts';
import type { ReplyServices } from './reply.ts';
import { sealAnswer, sealError } from './reply.ts';
import type { Refusals } from './refusals.ts';
import { createRefusals } from './refusals.ts';
import type { Refusal } from './run-stages.ts';
import type { RetryVerdict } from './resume.ts';
import { isRead, judgeRetry, keptReply, resumeEvents, takesEvents } from './resume.ts';
import { runStages, settleRefusal } from './run-stages.ts';
import type { StageName } from './stages.ts';
import { storedReply } from './stored-reply.ts';

/** What became of a message. For the local log and counters: it may name what peers are not told. */
export interface Outcome {
  /** How it came: a transport, or the name of another dialect. */
  readonly transport: string;
  /** What a call in another dialect asked for, such as `start`. @default it is a message */
  readonly operation?: string;
  /** What it was refused with in the words of that dialect. @default the code of `error` */
  readonly refusal?: string;
  /** Absent when so little could be read that it is not known. */
  readonly id?: string;
  readonly ct?: string;
  /** As claimed, unless `isProven`. */
  readonly from?: string;
  readonly isProven: boolean;
  /** The check that refused it, or `route` when the handler failed. */
  readonly stage?: StageName;
  readonly error?: SdlError;
  /** The task that the answer told of. The message may be fine and its task still have failed. */
  readonly task?: TaskFacts;
  readonly isRetry: boolean;
  readonly durationMs: number;
}

export interface PipelineServices extends CheckServices, ReplyServices {
  readonly handlerFor: (ct: string) => ContentHandler | undefined;
  /** Keys and peers as they are now. */
  readonly snapshot: () => MaybePromise<Snapshot>;
  readonly now: () => number;
  /** How long a handler may take. */
  readonly handlerTimeoutMs: number;
  /** What ends each handler at work; called by a runtime that stops waiting for them. */
  readonly running: Set<() => void>;
  readonly onOutcome: (outcome: Outcome) => void;
}

const PARTS_A_TURN = 32;

export function createReceive(services: PipelineServices): Receive {
  const refusals = createRefusals(services.now);
  return async function* receive(inbound: Inbound): AsyncGenerator<Reply> {
    const startedMs = services.now();
    const passage = new ReceivedPassage(inbound, services, await services.snapshot());
    const { refusal, gets } = await judge(passage, services);
    if (refusal !== undefined) {
      const reply = await refuse(passage, services, refusal, refusals);
      tell(passage, services, startedMs, refusal);
      if (reply !== undefined) yield reply;
      return;
    }
    if (passage.replayVerdict?.kind === 'retry' && gets !== 'run') {
      yield* retry(passage, services, passage.replayVerdict.reply, gets, startedMs);
      return;
    }
    const handover = new Handover<Reply>();
    // Not part of this iteration: a request goes on when its sender loses the connection, and a retry finds the answer.
    void handle(passage, services, handover, startedMs);
    yield* handover;
  };
}

async function judge(passage: ReceivedPassage, services: PipelineServices): Promise<RetryVerdict> {
  const refusal = await runStages(passage);
  if (refusal !== undefined) return { gets: 'reply', refusal };
  return passage.replayVerdict?.kind === 'retry' ? judgeRetry(passage, services) : { gets: 'run' };
}

/** Never throws. */
async function refuse(
  passage: ReceivedPassage,
  services: PipelineServices,
  { stage, error }: Refusal,
  refusals: Refusals,
): Promise<Reply | undefined> {
  try {
    let reply: Reply | undefined;
    const isKept = await settleRefusal(passage, { stage, error }, async () => {
      reply = await sealError(passage, services, error);
      return storedReply(reply);
    });
    if (isKept) return reply;
    if (stage !== 'admit') return await sealError(passage, services, error);
    return await refusals.answer(passage, error, () => sealError(passage, services, error));
  } catch {
    // Without a key or a store there is no error that the sender could believe. The outcome tells the operator.
    if (passage.replayVerdict?.kind === 'new') passage.replayVerdict.fail();
    return undefined;
  } finally {
    passage.ticket?.release();
  }
}

async function* retry(
  passage: ReceivedPassage,
  services: PipelineServices,
  stored: Promise<Uint8Array>,
  gets: RetryVerdict['gets'],
  startedMs: number,
): AsyncGenerator<Reply> {
  const { signal } = passage.inbound;
  let refusal: Refusal | undefined;
  try {
    if (gets === 'events') {
      const context = contextOf(passage, services, signal);
      yield* resumeEvents(passage, services, stored, context);
    }
    const reply = keptReply(await untilAborted(stored, signal), passage);
    if (reply !== undefined) yield reply;
  } catch (thrown) {
    refusal = { stage: 'replay', error: toSdlError(thrown) };
    const reply = await sealError(passage, services, refusal.error).catch(() => undefined);
    if (reply !== undefined) yield reply;
  } finally {
    passage.ticket?.release();
    tell(passage, services, startedMs, refusal);
  }
}

/** Runs the handler to its end, even if nobody listens any more. Never throws. */
async function handle(
  passage: ReceivedPassage,
  services: PipelineServices,
  handover: Handover<Reply>,
  startedMs: number,
): Promise<void> {
  const deadline = startDeadline(passage, services);
  // An event is done for nobody's sake: its sender need not stay.
  if (passage.envelope.type === 'req') passage.ticket?.awaitedUntil(passage.inbound.signal);
  let refusal: Refusal | undefined;
  let told: TaskFacts | undefined;
  try {
    const { reply, error, task } = await answer(passage, services, handover, deadline.signal);
    told = task;
    if (error !== undefined) refusal = { stage: 'route', error };
    const kept = isRead(passage, services) ? undefined : reply;
    if (passage.replayVerdict?.kind === 'new')
      await passage.replayVerdict.complete(storedReply(kept));
    handover.end(reply);
  } catch (thrown) {
    // Neither the answer nor its error could be sealed or kept: nobody may take it for answered.
    refusal = { stage: 'route', error: toSdlError(thrown) };
    if (passage.replayVerdict?.kind === 'new') passage.replayVerdict.fail();
    handover.end(await lastWords(passage, services));
  } finally {
    deadline.stop();
    passage.ticket?.release();
    tell(passage, services, startedMs, refusal, told);
  }
}

/** The bare error, without a receipt: what failed may have been the log. */
async function lastWords(
  passage: ReceivedPassage,
  services: PipelineServices,
): Promise<Reply | undefined> {
  if (passage.envelope.type !== 'req') return undefined;
  passage.auditSeq = undefined;
  const error = new SdlError('INTERNAL', 'the reply could not be made or kept');
  return sealError(passage, services, error).catch(() => undefined);
}

interface Answered {
  readonly reply: Reply | undefined;
  readonly error?: SdlError;
  readonly task?: TaskFacts | undefined;
}

async function answer(
  passage: ReceivedPassage,
  services: PipelineServices,
  handover: Handover<Reply>,
  signal: AbortSignal,
): Promise<Answered> {
  const isRequest = passage.envelope.type === 'req';
  try {
    let last: Answer | undefined;
    const handler = services.handlerFor(passage.envelope.ct);
    if (handler === undefined) throw new SdlError('INTERNAL', 'the content type has no handler');
    const context = contextOf(passage, services, signal);
    const isStream = isRequest && context.wantsStream;
    let count = 0;
    for await (const part of partsOf(handler.handle(passage.payload, context), signal)) {
      if (part.isLast) last = part.answer;
      else if (isStream && !handover.isAbandoned && part.answer !== undefined) {
        const event = await sealAnswer(passage, services, part.answer, 'evt');
        await untilAborted(handover.put(event), signal);
      }
      // A generator that never waits would keep the deadline, and everybody else, from their turn.
      if ((count += 1) % PARTS_A_TURN === 0) await nextTurn();
    }
    if (!isRequest) return { reply: undefined };
    if (last === undefined) throw new SdlError('INTERNAL', 'the handler gave no answer');
    return { reply: await sealAnswer(passage, services, last, 'res'), task: last.task };
  } catch (thrown) {
    const error = toSdlError(thrown);
    return { reply: isRequest ? await sealError(passage, services, error) : undefined, error };
  }
}

function contextOf(
  passage: ReceivedPassage,
  services: PipelineServices,
  signal: AbortSignal,
): RequestContext {
  const { envelope, sender, inbound, snapshot, payload, replayVerdict } = passage;
  // Who sends it for the first time has seen nothing of it.
  const afterGeneration = replayVerdict?.kind === 'new' ? undefined : inbound.afterGeneration;
  return {
    request: { ...envelope, payload } as VerifiedRequest,
    peer: sender.peer,
    mode: modeOf(envelope),
    ...(sender.key && { keyThumbprint: thumbprint('ed25519', sender.key.key) }),
    call: callOf(passage, {
      face: 'sdl',
      received: {
        bytes: inbound.bytes,
        mediaType: `application/${inbound.encoding}`,
        version: String(envelope.v),
        transport: inbound.peer.transport,
        sentAt: envelope.ts,
      },
      signal,
      now: services.now,
    }),
    agentId: snapshot.identity.agentId,
    wantsStream: takesEvents(passage),
    takesParts: announcedAdditions(envelope).includes('parts'),
    ...(afterGeneration !== undefined && { afterGeneration }),
    signal,
    now: services.now,
  };
}

/**
 * What has no nonce cannot be asked for again, and what only asks need not be: both end with their connection. The rest
 * ends with its time.
 */
function startDeadline(
  passage: ReceivedPassage,
  services: PipelineServices,
): { signal: AbortSignal; stop: () => void } {
  const { handlerTimeoutMs, running } = services;
  const controller = new AbortController();
  const end = (reason: string): void =>
    controller.abort(new SdlError('DEADLINE', reason, { details: { outcome: 'unknown' } }));
  const timer = setTimeout(() => end('the handler took too long'), handlerTimeoutMs);
  const onStop = (): void => end('the runtime has stopped');
  const onGone = (): void => end('the sender has gone');
  running.add(onStop);
  const { signal } = passage.inbound;
  const isBoundToConnection = passage.replayVerdict === undefined || isRead(passage, services);
  if (isBoundToConnection) signal.addEventListener('abort', onGone, { once: true });
  if (isBoundToConnection && signal.aborted) onGone();
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      running.delete(onStop);
      signal.removeEventListener('abort', onGone);
    },
  };
}

function tell(
  passage: ReceivedPassage,
  services: PipelineServices,
  startedMs: number,
  refusal: Refusal | undefined,
  task?: TaskFacts,
): void {
  const envelope = passage.hasEnvelope ? passage.envelope : undefined;
  services.onOutcome({
    transport: passage.peer.transport,
    ...(envelope && { id: envelope.id, ct: envelope.ct, from: envelope.from.agent_id }),
    isProven: passage.isProven,
    ...refusal,
    ...(task && { task }),
    isRetry: passage.replayVerdict?.kind === 'retry',
    durationMs: services.now() - startedMs,
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
