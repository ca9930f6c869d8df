// Owns what a transport and the runtime say to each other: bytes in, bytes out, and what is known of the other end.
// A transport decides nothing. SPEC.md sections 11 and 12 (#transport-same, #errors-transport).

import type { JsonObject } from './codec/value.ts';
import type { Shown } from './door/principal.ts';
import type { Authenticated } from './door/rights.ts';
import type { Encoding } from './envelope/decode.ts';
import type { DecodedMessage } from './envelope/decoded.ts';
import type { JsonValue } from './codec/value.ts';
import type { StartTask, TaskService } from './door/service.ts';
import type { SdlError, WireCode } from './errors.ts';
import type { Limits } from './limits.ts';

// The kit: what a transport needs to cut, look at and refuse messages.
export { FrameReader, writeFrame } from './codec/frame.ts';
export { readJson } from './codec/json/read.ts';
export { writeJson } from './codec/json/write.ts';
export type { JsonValue } from './codec/value.ts';
export { isJsonObject } from './codec/value.ts';
export type { Principal, Shown } from './door/principal.ts';
export type {
  Authenticated,
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

/** What the runtime gives to a transport that listens. The last six are for faces: dialects other than envelopes. */
export interface ListenContext {
  readonly receive: Receive;
  /** The one way to the tasks of the agent, for faces of other dialects. */
  readonly tasks: TaskService;
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
