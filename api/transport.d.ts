// a2a-sdl/transport: 28 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface AnswerHead {
    readonly type?: MessageType;
    readonly re?: string;
    readonly parentSpanId?: string;
    readonly decoded: DecodedMessage;
}

export interface Connection {
    exchange(outbound: Outbound): AsyncIterable<Incoming>;
    notify(outbound: Outbound): Promise<void>;
    readonly isOpen: boolean;
    close(): Promise<void>;
}

export declare class DecodedMessage {
    #private;
    constructor(bytes: Uint8Array, encoding: Encoding, limits: Limits);
    static valueOf(decoded: DecodedMessage | undefined, bytes: Uint8Array, encoding: Encoding, limits: Limits): JsonValue | undefined;
}

export interface DialOptions {
    readonly limits: Limits;
    readonly connectTimeoutMs?: number;
}

export interface Dialer {
    readonly schemes: readonly string[];
    dial(url: string, options: DialOptions): Promise<Connection>;
}

export type Encoding = 'json' | 'cbor';

export declare class FrameReader {
    #private;
    constructor(maxBytes: number);
    get isInsideFrame(): boolean;
    read(chunk: Uint8Array): Generator<Uint8Array, void>;
}

export interface Inbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly peer: PeerFacts;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

export interface Incoming {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly generation?: number;
    readonly decoded?: DecodedMessage;
}

export type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

export interface Limits {
    readonly maxBytes: number;
    readonly maxDepth: number;
    readonly maxArrayLength: number;
    readonly maxMembers: number;
    readonly maxValues: number;
    readonly maxStringBytes: number;
    readonly maxNumberLength: number;
    readonly maxHops: number;
}

export interface ListenContext {
    readonly receive: Receive;
    readonly limits: Limits;
    readonly refuse: (error: SdlError) => Promise<Reply>;
    readonly isReady: () => Promise<boolean>;
    readonly agentDocument: () => Promise<Uint8Array>;
    readonly metrics: () => string;
}

export interface Listener {
    readonly urls: readonly string[];
    close(graceMs: number): Promise<void>;
}

export interface Outbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly id: string;
    readonly spanId: string;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

export interface PeerFacts {
    readonly transport: string;
    readonly address: string;
    readonly certificate?: string;
}

export type Receive = (inbound: Inbound) => AsyncIterable<Reply>;

export interface Reply {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly type: 'res' | 'evt';
    readonly status: number;
    readonly generation?: number;
}

export declare class SdlError extends Error {
    readonly name = "SdlError";
    readonly code: ErrorCode;
    readonly reason: string;
    readonly details: ErrorDetails;
    constructor(code: ErrorCode, reason: string, options?: SdlErrorOptions);
    get row(): ErrorRow;
    get wireCode(): WireCode;
}

export interface Transport {
    readonly name: string;
    listen(context: ListenContext, earlier: readonly Listener[]): Promise<Listener>;
}

export declare class TransportError extends Error {
    readonly name = "TransportError";
    readonly fault: TransportFault;
    readonly code: `TRANSPORT_${Uppercase<TransportFault>}`;
    readonly wireCode: WireCode;
    constructor(fault: TransportFault, message: string, cause?: unknown);
    get isRetryable(): boolean;
}

export type TransportFault = 'unreachable' | 'lost' | 'refused' | 'timeout' | 'protocol' | 'aborted';

export declare function decodeMessage(bytes: Uint8Array, encoding: Encoding, limits?: Partial<Limits>): JsonValue;

export declare function isJsonObject(value: JsonValue | undefined): value is JsonObject;

export declare function peekAnswer(bytes: Uint8Array, encoding: Encoding, limits?: Partial<Limits>): AnswerHead | undefined;

export declare function readJson(bytes: Uint8Array, limits?: Partial<Limits>): JsonValue;

export declare function resolveLimits(limits?: Partial<Limits>): Limits;

export declare function toSdlError(thrown: unknown): SdlError;

export declare function writeFrame(body: Uint8Array): Uint8Array;

// Reached from these.

type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly rpc: number;
    readonly grpc: number;
    readonly retryable: boolean;
    readonly words: string;
}

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

declare class LosslessNumber {
    readonly lexeme: string;
    constructor(lexeme: string);
    get isInteger(): boolean;
    toNumber(): number;
    toBigInt(): bigint;
    [Symbol.toPrimitive](hint: string): number | string;
    toJSON(): number;
    toString(): string;
}

type MessageType = 'req' | 'res' | 'evt';

interface SdlErrorOptions {
    readonly details?: ErrorDetails;
    readonly cause?: unknown;
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';
