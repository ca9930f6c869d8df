// Owns what a transport and the runtime say to each other: bytes in, bytes out, and what is known of the other end.
// A transport decides nothing. SPEC.md sections 11 and 12 (#transport-same, #errors-transport).

import type { JsonObject } from './codec/value.ts';
import type { MaybePromise } from './crypto/provider.ts';
import type { CallContext } from './door/call.ts';
import type { HookTeller } from './door/hook-teller.ts';
import type { Shown } from './door/principal.ts';
import type { Authenticated, CallerSchemes } from './door/rights.ts';
import type { Encoding } from './envelope/decode.ts';
import type { DecodedMessage } from './envelope/decoded.ts';
import type { JsonValue } from './codec/value.ts';
import type { StartTask, TaskService } from './door/service.ts';
import type { SecurityMode } from './envelope/types.ts';
import type { SdlError, WireCode } from './errors.ts';
import type { Limits } from './limits.ts';
import type { KeyBundle } from './security/identity/key-bundle-shape.ts';
import type { ReplayVerdict } from './security/replay/replay.ts';

// The kit: what a transport needs to cut, look at and refuse messages.
export { FrameReader, writeFrame } from './codec/frame.ts';
export { readJson } from './codec/json/read.ts';
export { writeJson } from './codec/json/write.ts';
export { writeJsonText } from './codec/json/write-text.ts';
export type { JsonValue } from './codec/value.ts';
export { isJsonObject } from './codec/value.ts';
export type { HookAnswer, HookNotice, HookTeller } from './door/hook-teller.ts';
export type { Principal, Shown } from './door/principal.ts';
export type {
  Authenticated,
  CallerScheme,
  CallerSchemes,
  Callers,
  Ceiling,
  Rights,
  ShareClass,
  Standing,
  Wish,
} from './door/rights.ts';
export type { Encoding } from './envelope/decode.ts';
export { decodeMessage } from './envelope/decode.ts';
export type { DecodedMessage } from './envelope/decoded.ts';
export type { AnswerHead } from './envelope/peek.ts';
export { peekAnswer } from './envelope/peek.ts';
export { SdlError, toSdlError } from './errors.ts';
export type { Limits } from './limits.ts';
export { resolveLimits } from './limits.ts';

/** What a transport knows of the other end without reading a message. */
export interface PeerFacts {
  /** `http`, `ws`, `ipc`, `memory`. */
  readonly transport: string;
  /** What admission counts by before the sender is proven: a network address, or `local`. */
  readonly address: string;
  /** The SHA-256 of the client's certificate as lower-case hexadecimal digits; only of one that was verified. */
  readonly certificate?: string;
}

/** One message that came in. */
export interface Inbound {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly peer: PeerFacts;
  /** The other end takes the events of an exchange too, not only its `res`. */
  readonly wantsStream: boolean;
  /** The other end has seen the exchange up to this generation (`Last-Event-ID`). */
  readonly afterGeneration?: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One message that goes back. */
export interface Reply {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly type: 'res' | 'evt';
  /** For HTTP: 200, or 429 and 503 for a message that was not admitted. */
  readonly status: number;
  /** Where an event of a task stands in its log; the `id:` of a server-sent event. */
  readonly generation?: number;
}

/** Never throws: what is wrong with a message is told by a reply. No reply answers an event or an answer. */
export type Receive = (inbound: Inbound) => AsyncIterable<Reply>;

/** Room for one call of a face: a dialect other than envelopes. */
export interface FaceTicket {
  /** Aborts when the runtime stops and waits no longer: what the call still does is to end, and its caller to come back. */
  readonly signal: AbortSignal;
  /** Counts the call for the agent that has sealed what it carries. Throws LIMIT_RATE, or rejects with it. */
  claim(agentId: string): MaybePromise<void>;
  /**
   * The call stays open for as long as its caller listens: it counts among the streams of this principal until it is
   * released. Ask before anything is done for it. Throws LIMIT_RATE.
   */
  stream(principalId: string): void;
  /** Must be called once the call is done with; a second call does nothing. */
  release(): void;
}

/** What a face refused by itself: the door was not asked, or cannot know what it means in that dialect. */
export interface FaceRefusal {
  readonly face: string;
  /** What was refused, such as `frame` or `offer`. */
  readonly operation: string;
  /** The code in the words of the dialect: capital letters and `_`. */
  readonly code: string;
  /** The cause in the words of this package. */
  readonly error: SdlError;
  /** The id of the principal. @default nobody has proven who they are */
  readonly from?: string;
  readonly taskId?: string;
}

/** What a face tells of the agent in a document of its own. */
export interface AgentFacts {
  readonly agentId: string;
  readonly name: string;
  /** Sorted. */
  readonly contentTypes: readonly string[];
  readonly tools: readonly string[];
  readonly limits: Limits;
  /** Where it is reached over the network now, in every dialect: the name of each listener with one of its addresses. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
}

/** A public Ed25519 key of the agent and its name. */
export interface SignerKey {
  readonly kid: string;
  readonly publicKey: Uint8Array;
}

/** Signs documents of other dialects with the agent's key: only as JSON Web Signatures, so as nothing of the SDL wire. */
export interface JwsSigner extends SignerKey {
  /** Every key under which something that was signed here verifies now, this one first. */
  readonly keys: readonly SignerKey[];
  /**
   * RFC 7515, Ed25519. `alg` and `kid` are added to the header; what it says of them itself does not count. The bytes
   * under the signature are `BASE64URL(header).BASE64URL(payload)`.
   */
  sign(header: JsonObject, payload: Uint8Array): Promise<JwsSignature>;
}

/** Both in base64url. */
export interface JwsSignature {
  readonly protected: string;
  readonly signature: string;
}

/** A request of the SDL wire that stands inside a message of another dialect. */
export interface CarriedRequest {
  /** The envelope as JSON. */
  readonly bytes: Uint8Array;
  readonly peer: PeerFacts;
  /** Of the call that brought it. */
  readonly ticket: FaceTicket;
  /** What the face takes; nothing else may be in the envelope. Each has a schema. */
  readonly contentTypes: ReadonlySet<string>;
  /** The content type that its sender must be allowed to send for it, such as `task.v1`. */
  readonly right: string;
}

/** A carried request that has passed every check. */
export interface OpenedRequest {
  /** The envelope's. */
  readonly id: string;
  readonly ct: string;
  /** In clear. */
  readonly payload: JsonValue;
  /** The agent that has signed it. */
  readonly agentId: string;
  readonly mode: SecurityMode;
  /** An id for what it begins, the same for every repeat of these signed bytes. */
  readonly key: string;
  /**
   * New: one of `complete`, `abandon` and `fail` must be called. A retry: `reply` is what the first was completed with.
   */
  readonly use: ReplayVerdict;
  /** What `seal` needs for an answer: to be kept, here or in a store. Nobody else reads it. */
  readonly facts: JsonObject;
  /** The call of its sender at the door, whoever has carried it. The message is recorded and counted already. */
  call(facts: Pick<CallContext, 'face' | 'received' | 'signal' | 'now'>): CallContext;
}

/** One answer to a carried request. */
export interface CarriedAnswer {
  readonly ct: string;
  readonly payload: JsonValue;
  readonly type: 'evt' | 'res';
  /** The number of this event, from 1; of the `res` how many events come before it. */
  readonly n: number;
  /** A `res` is written into the audit log and has a receipt, where a log is kept. @default true */
  readonly hasReceipt?: boolean;
}

/** What the runtime gives to a transport that listens. Most of it is for faces: dialects other than envelopes. */
export interface ListenContext {
  readonly receive: Receive;
  /** The one way to the tasks of the agent, for faces of other dialects. */
  readonly tasks: TaskService;
  /**
   * From now on the face tells the hooks that it has asked for (`TaskService.setHook`), also those that were asked for at
   * another node or at an earlier start. `undefined` for an agent that does no tasks.
   */
  readonly tellHooks: ((face: string, teller: HookTeller) => void) | undefined;
  readonly limits: Limits;
  /** A signed `error.v1` as JSON for what is refused before the checks: too large, a foreign Host, a foreign type. */
  readonly refuse: (error: SdlError) => Promise<Reply>;
  /** Can it do what it is asked now? False from the moment that the runtime drains, and while a store does not answer. */
  readonly isReady: () => Promise<boolean>;
  /** The signed agent document as JSON, with these addresses of the transports that listen. */
  readonly agentDocument: () => Promise<Uint8Array>;
  /** Counters in the text format of Prometheus. */
  readonly metrics: () => string;
  /** Who is this? Throws UNAUTHENTICATED, in the same words whatever was wrong, and LIMIT_RATE after too many failures. */
  readonly authenticate: (shown: Shown) => Promise<Authenticated>;
  /** How callers of this face prove themselves now, for what it tells of that. */
  readonly schemes: (face: string) => CallerSchemes;
  /** Room for one call, out of the same budget as that of envelopes. Throws LIMIT_RATE, and DRAINING while it stops. */
  readonly admit: (face: string, facts: PeerFacts) => FaceTicket;
  readonly about: () => AgentFacts;
  /** What signs for the agent now; other keys after a rotation. `undefined` while it has no key that has not ended. */
  readonly signer: () => JwsSigner | undefined;
  /**
   * Puts a refusal into the audit log, the counters and the outcomes. Not for what the door has thrown: it has told it.
   * Of those who have proven nothing the log takes only so many a second; all are counted.
   */
  readonly refused: (refusal: FaceRefusal) => void;
  /** Tells the embedder of what broke inside a face, which its callers are not told. */
  readonly onError: (cause: unknown) => void;
  /**
   * What a `task.v1` payload asks for, read as one in an envelope is, for dialects that carry it: without its source
   * and its id. Throws PAYLOAD_INVALID.
   */
  readonly readTask: (payload: JsonValue) => Omit<StartTask, 'source' | 'idempotency'>;
  /** Judges a carried request by every check but `admit` and `route`. Throws what it is refused with, for the face to tell. */
  readonly open: (request: CarriedRequest) => Promise<OpenedRequest>;
  /**
   * Seals an answer, as strong as its request and bound to it. Throws SENDER_REFUSED and MODE_REFUSED where nothing may
   * or can be sealed to its sender any more, NUMBER_INEXACT for what other dialects would change on the way.
   */
  readonly seal: (facts: JsonObject, answer: CarriedAnswer) => Promise<JsonObject>;
  /** Must what this agent says be sealed, by its entry, or because it has sealed before? */
  readonly mustSeal: (agentId: string) => Promise<boolean>;
  /** It has sealed a message: from now on it may not fall behind, unless its entry says otherwise. */
  readonly hasSealed: (agentId: string) => Promise<void>;
  /** The SHA-256 of a payload in its canonical form, as receipts and the last answer of an exchange have it. */
  readonly digest: (payload: JsonValue) => Uint8Array;
  /** The key bundle of the agent now; `undefined` for one whose id is a label. */
  readonly bundle: () => KeyBundle | undefined;
}

/** A transport that accepts messages. */
export interface Listener {
  /** What it is called where addresses are told, such as `http`, `ws` or `ipc`; of a face the name of its dialect. */
  readonly name: string;
  /** Its addresses are not for envelopes: it speaks another dialect. @default false */
  readonly isFace?: boolean;
  /** Those that it started itself and closes with itself. @default none */
  readonly faces?: readonly Listener[];
  /** Where it can be reached, such as `http://127.0.0.1:8787/a2a`; the port is the real one. */
  readonly urls: readonly string[];
  /**
   * More is about to be served on its port. Until what this returns is called, who asks for what nobody serves is told to
   * come back. @default what nobody serves is not there
   */
  expectFaces?(): () => void;
  /** Accepts nothing new, lets exchanges in flight end for up to `graceMs`, then closes. Closing again does nothing. */
  close(graceMs: number): Promise<void>;
}

export interface Transport {
  readonly name: string;
  /** `earlier` are the listeners started before it, for one that shares their port. */
  listen(context: ListenContext, earlier: readonly Listener[]): Promise<Listener>;
}

/** One request on its way out, as bytes that are sent again unchanged on a retry. */
export interface Outbound {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  /** The request's `id`: answers carry it as `re`. */
  readonly id: string;
  /** The request's `trace.span_id`: answers of v1 peers carry it as `trace.parent_span_id`. */
  readonly spanId: string;
  readonly wantsStream: boolean;
  readonly afterGeneration?: number;
  /** Aborts the exchange. */
  readonly signal: AbortSignal;
}

/** What came back: nothing of it is proven. */
export interface Incoming {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  /** Where an event stands in the log of its task, where the transport tells (the `id:` of a server-sent event). */
  readonly generation?: number;
  /** What {@link peekAnswer} read of these bytes, where the transport had to look into them. */
  readonly decoded?: DecodedMessage;
}

/** A way to one address; it may carry many exchanges at once. */
export interface Connection {
  /** Sends the request and yields what answers it, in order, until its `res`. Throws a {@link TransportError}. */
  exchange(outbound: Outbound): AsyncIterable<Incoming>;
  /** Sends an event, which nothing answers. */
  notify(outbound: Outbound): Promise<void>;
  /** False once it cannot be used again; the next exchange then dials anew. */
  readonly isOpen: boolean;
  close(): Promise<void>;
}

export interface Dialer {
  /** Such as `['http:', 'https:']`. */
  readonly schemes: readonly string[];
  dial(url: string, options: DialOptions): Promise<Connection>;
}

export interface DialOptions {
  /** `maxBytes` bounds each answer while it is read. */
  readonly limits: Limits;
  /** For the connection to come about. @default 10000 */
  readonly connectTimeoutMs?: number;
}

/** How a way out failed. */
export type TransportFault =
  'unreachable' | 'lost' | 'refused' | 'forbidden' | 'timeout' | 'protocol' | 'aborted';

/**
 * `unreachable`: nothing was sent. `lost`: the connection ended before the answer, which may or may not have been
 * worked for. `refused`: the other end speaks, but not this protocol. `protocol`: what it said is no answer.
 * `forbidden`: the rules here do not allow the address; nothing was sent. `timeout`: the time for the exchange was
 * over. `aborted`: who asked has ended it.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly fault: TransportFault;
  /** The fault as a code, such as `TRANSPORT_LOST`, to match on as on those of other errors. It is never on the wire. */
  readonly code: `TRANSPORT_${Uppercase<TransportFault>}`;
  /** What an agent that needs the answer for an answer of its own would tell. */
  readonly wireCode: WireCode = 'INTERNAL';

  constructor(fault: TransportFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.code = `TRANSPORT_${fault.toUpperCase() as Uppercase<TransportFault>}`;
  }

  /** The same bytes may be sent again: the receiver knows a retry by its nonce. */
  get isRetryable(): boolean {
    return this.fault === 'unreachable' || this.fault === 'lost' || this.fault === 'timeout';
  }
}
