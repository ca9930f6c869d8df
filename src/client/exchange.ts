// Owns one exchange from the asking side: seal once, send the same bytes until they are answered, judge every answer.
// SPEC.md sections 7 and 8 (#replay-retry, #exchange, #x-req).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray } from '../codec/value.ts';
import type { Content, EnvelopeBuilder } from '../envelope/build.ts';
import type { Encoding } from '../envelope/decode.ts';
import { DecodedMessage } from '../envelope/decoded.ts';
import type { Envelope, SecurityMode, Trace } from '../envelope/types.ts';
import { chooseContentType } from '../handlers/negotiation/content-version.ts';
import { judgeAnswer } from '../message/answer.ts';
import type { RequestPlan, SealedRequest } from '../message/request.ts';
import { sealRequest } from '../message/request.ts';
import { knownSeq } from '../pipeline/announced.ts';
import type { CheckServices, OpenRequest, Passage, Snapshot } from '../pipeline/passage.ts';
import type { Incoming, Outbound } from '../transport.ts';
import { TransportError } from '../transport.ts';
import type { Connections } from './connections.ts';
import { noWayTo } from './connections.ts';
import type { ReceiptServices } from './keep-receipt.ts';
import { keepReceipt } from './keep-receipt.ts';
import { RemoteError } from './remote-error.ts';
import type { Target } from './target.ts';

/** What a client sends with. */
export interface ClientServices extends CheckServices, ReceiptServices {
  readonly builder: EnvelopeBuilder;
  readonly connections: Connections;
  readonly snapshot: () => Snapshot;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ExchangeOptions {
  /** @default 'enc+sig', which needs a known encryption key of the peer */
  readonly mode?: SecurityMode;
  /** @default 'json' */
  readonly encoding?: Encoding;
  /** For the whole exchange, retries included. @default 60000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** How often the same bytes are sent again when the connection fails. @default 3 */
  readonly retries?: number;
  /** Take the events too. @default false */
  readonly stream?: boolean;
  /**
   * Rather fail than lose events: where the transport does not tell which were seen, nothing is sent again after the
   * first one. @default false
   */
  readonly keepsEvents?: boolean;
  /** Of a session that was opened with the peer. */
  readonly session?: JsonObject;
  /** Where the request stands in a chain of calls. @default a new trace */
  readonly trace?: Trace;
  /** The payload's `authz`: `grant` is shown to the agent, `grants` are given to it. @default as the payload has it */
  readonly authz?: JsonObject;
}

/** One message of the answer, every check passed. */
export interface Received {
  readonly type: 'res' | 'evt';
  readonly ct: string;
  readonly payload: JsonValue;
  readonly envelope: Envelope;
  /** The request as it was sent. */
  readonly request: Envelope;
  /** The agent that was asked has signed it. False only where the peer's entry allows unsigned replies. */
  readonly isProven: boolean;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** A nonce lives a little longer than the exchange, so that the last retry still counts. */
const NONCE_MARGIN_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Yields the events and last the `res`. Throws a RemoteError for `error.v1`, an SdlError for an answer that is none. */
export async function* runExchange(
  target: Target,
  content: Content,
  options: ExchangeOptions,
  services: ClientServices,
): AsyncGenerator<Received> {
  const signal = deadlineOf(options);
  let sent = content;
  let request = await prepare(target, sent, options, services);
  for (;;) {
    try {
      yield* sendUntilAnswered(request, target, options, services, signal);
      return;
    } catch (thrown) {
      // What is not signed for this request could come from anybody, and must not change what is done next (W19).
      if (!(thrown instanceof RemoteError && thrown.isSigned)) throw thrown;
      const older = olderContent(thrown, sent, services);
      // It no longer has our keys: introduce ourselves again, once.
      const isForgotten =
        thrown.wireCode === 'SECURITY_UNSUPPORTED' &&
        thrown.knowsSeq === undefined &&
        !request.bringsBundle;
      // Its keys have changed, and its refusal of these very bytes brought the new ones: nothing was run.
      const isOutdated =
        thrown.wireCode === 'SECURITY_UNSUPPORTED' &&
        thrown.isProven &&
        (await seqOf(target, services)) > request.peerSeq;
      if (isOutdated) {
        request = await prepare(target, sent, options, services);
        continue;
      }
      if (older === undefined && !isForgotten) throw thrown;
      if (isForgotten) {
        await services.contacts.learn(target.agentId, { knowsSeq: 0 }, { isStranger: false });
      }
      sent = older ?? sent;
      // Under the same nonce: if the first was run after all, whatever somebody says of it, this one is not.
      const { nonce } = request;
      request = await prepare(target, sent, options, services, {
        mustBringBundle: isForgotten,
        nonce,
      });
    }
  }
}

async function seqOf({ agentId }: Target, { contacts }: ClientServices): Promise<number> {
  return (await contacts.get(agentId))?.bundle?.seq ?? -1;
}

/** The same payload as an older version of its content type, if the peer knows that and the payload fits it. */
function olderContent(
  { wireCode, details }: RemoteError,
  { ct, payload }: Content,
  { registry }: ClientServices,
): Content | undefined {
  const supported = details['supported_ct'];
  if (wireCode !== 'UNSUPPORTED_CT' || !isJsonArray(supported)) return undefined;
  const names = supported.filter((name) => typeof name === 'string');
  const older = chooseContentType(ct, names);
  if (older === undefined || older === ct || !registry.contentTypes.has(older)) return undefined;
  try {
    registry.checkOwn({ ct: older, payload, descriptor: registry.descriptorFor(older) });
    return { ct: older, payload };
  } catch {
    return undefined;
  }
}

/** Sends an event, which nothing answers. */
export async function sendEvent(
  target: Target,
  content: Content,
  options: ExchangeOptions,
  services: ClientServices,
): Promise<void> {
  const signal = deadlineOf(options);
  const sealed = await prepare(target, content, options, services, { type: 'evt' });
  const connection = await services.connections.get(endpointOf(target, services));
  try {
    await connection.notify({ ...outboundOf(sealed, options), signal });
  } catch (thrown) {
    throw named(thrown, signal);
  }
}

/** Sealed once; its bytes are sent until they are answered. */
function prepare(
  { agentId }: Target,
  content: Content,
  {
    mode = 'enc+sig',
    encoding,
    stream,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    ...options
  }: ExchangeOptions,
  services: ClientServices,
  more: Pick<RequestPlan, 'type' | 'nonce' | 'mustBringBundle'> = {},
): Promise<SealedRequest> {
  const { trace, session } = options;
  const lifetimeMs = timeoutMs + NONCE_MARGIN_MS;
  return sealRequest(
    { agentId, content, mode, encoding, wantsStream: stream, lifetimeMs, trace, session, ...more },
    services,
  );
}

function outboundOf(
  { envelope, bytes, encoding }: SealedRequest,
  { stream = false }: ExchangeOptions,
): Omit<Outbound, 'signal'> {
  return { bytes, encoding, id: envelope.id, spanId: envelope.trace!.span_id, wantsStream: stream };
}

async function* sendUntilAnswered(
  sealed: SealedRequest,
  target: Target,
  options: ExchangeOptions,
  services: ClientServices,
  signal: AbortSignal,
): AsyncGenerator<Received> {
  const { envelope: request, open } = sealed;
  const { retries = 3, keepsEvents = false } = options;
  const outbound = outboundOf(sealed, options);
  const url = endpointOf(target, services);
  let seen = 0;
  let mayLose = false;
  let wasLost = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const connection = await services.connections.get(url);
      // From the second time on: the other end then tells the events again that were lost on their way.
      const resumed = attempt > 0 && outbound.wantsStream && { afterGeneration: seen };
      for await (const incoming of connection.exchange({ ...outbound, ...resumed, signal })) {
        const passage = await judge(incoming, open, url, services);
        seen = incoming.generation ?? seen;
        mayLose ||= keepsEvents && incoming.generation === undefined;
        // Before anybody acts on the answer: a receipt that may be lost proves nothing.
        if (passage.envelope.type === 'res')
          await keepReceipt(passage, request, outbound.bytes, services);
        const received = { request, ...receivedFrom(passage, open) };
        yield received;
        if (received.type === 'res') return;
      }
      throw new TransportError('lost', 'the connection ended before the answer');
    } catch (thrown) {
      const isRetryable = thrown instanceof TransportError && thrown.isRetryable;
      if (!isRetryable || mayLose || attempt >= retries || signal.aborted) {
        throw named(wasLost ? asLost(thrown) : thrown, signal);
      }
      wasLost ||= thrown.fault === 'lost';
      await services.wait(Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS), signal);
    }
  }
}

function judge(
  { bytes, encoding, decoded }: Incoming,
  open: OpenRequest,
  url: string,
  services: ClientServices,
): Promise<Passage> {
  const peer = { transport: url.slice(0, url.indexOf(':')), address: url };
  const value = DecodedMessage.valueOf(decoded, bytes, encoding, services.limits);
  return judgeAnswer(
    { bytes, encoding, peer, ...(value !== undefined && { value }) },
    open,
    services,
  );
}

/** Throws what the peer reports. */
function receivedFrom(passage: Passage, open: OpenRequest): Omit<Received, 'request'> {
  const { envelope, payload, isProven } = passage;
  if (envelope.ct === 'error.v1' && envelope.type === 'res')
    throw new RemoteError(payload, {
      isSigned: isProven && !passage.isUnbound,
      // The id alone is not enough: anybody who saw it can make the other end refuse a broken copy.
      isProven: isProven && (passage.isBoundByHash || open.inputHash === undefined),
      knowsSeq: knownSeq(envelope),
    });
  const type = envelope.type === 'evt' ? 'evt' : 'res';
  return { type, ct: envelope.ct, payload, envelope, isProven };
}

function endpointOf({ endpoints }: Target, { connections }: ClientServices): string {
  const url = connections.choose(endpoints);
  if (url !== undefined) return url;
  throw new TransportError('unreachable', noWayTo(endpoints[0] ?? ''));
}

/** Who cannot be reached any more may have the request of an attempt before. */
function asLost(thrown: unknown): unknown {
  if (!(thrown instanceof TransportError && thrown.fault === 'unreachable')) return thrown;
  return new TransportError('lost', `the connection was lost, and now: ${thrown.message}`, thrown);
}

/** A transport sees only that the exchange was aborted; its signal tells whether that was its time or who asked. */
function named(thrown: unknown, signal: AbortSignal): unknown {
  const isAborted = thrown instanceof TransportError && thrown.fault === 'aborted';
  return isAborted ? abortError(signal, thrown) : thrown;
}

/** Of a signal that has aborted: its time was over, or who asked has ended it. */
export function abortError({ reason }: AbortSignal, cause?: unknown): TransportError {
  return (reason as Partial<Error> | undefined)?.name === 'TimeoutError'
    ? new TransportError('timeout', 'there was no answer in time', cause)
    : new TransportError('aborted', 'the exchange was aborted', cause);
}

/** Node 20 collects a timeout that only a combined signal knows of, and the time would never be over. */
const TIMEOUTS = new WeakMap<AbortSignal, AbortSignal>();

/** Aborts when the time of an exchange is over, or who asked ends it. */
export function deadlineOf({
  timeoutMs = DEFAULT_TIMEOUT_MS,
  signal,
}: ExchangeOptions): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  if (signal === undefined) return timeout;
  const deadline = AbortSignal.any([signal, timeout]);
  TIMEOUTS.set(deadline, timeout);
  return deadline;
}
