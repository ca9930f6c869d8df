// a2a-sdl/transports/memory: 2 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface MemoryHub {
    transport(name: string): Transport & Dialer;
}

export declare function createMemoryHub(options?: ChannelOptions): MemoryHub;

// Reached from these.

interface ChannelOptions {
    readonly maxConnections?: number;
    readonly maxConnectionsPerAddress?: number;
    readonly maxInFlight?: number;
    readonly idleTimeoutMs?: number;
    readonly stalledWriteTimeoutMs?: number;
    readonly stallTimeoutMs?: number;
}

interface Connection {
    exchange(outbound: Outbound): AsyncIterable<Incoming>;
    notify(outbound: Outbound): Promise<void>;
    readonly isOpen: boolean;
    close(): Promise<void>;
}

declare class DecodedMessage {
    #private;
    constructor(bytes: Uint8Array, encoding: Encoding, limits: Limits);
    static valueOf(decoded: DecodedMessage | undefined, bytes: Uint8Array, encoding: Encoding, limits: Limits): JsonValue | undefined;
}

interface DialOptions {
    readonly limits: Limits;
    readonly connectTimeoutMs?: number;
}

interface Dialer {
    readonly schemes: readonly string[];
    dial(url: string, options: DialOptions): Promise<Connection>;
}

type Encoding = 'json' | 'cbor';

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

interface Inbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly peer: PeerFacts;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

interface Incoming {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly generation?: number;
    readonly decoded?: DecodedMessage;
}

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

interface Limits {
    readonly maxBytes: number;
    readonly maxDepth: number;
    readonly maxArrayLength: number;
    readonly maxMembers: number;
    readonly maxValues: number;
    readonly maxStringBytes: number;
    readonly maxNumberLength: number;
    readonly maxHops: number;
}

interface ListenContext {
    readonly receive: Receive;
    readonly limits: Limits;
    readonly refuse: (error: SdlError) => Promise<Reply>;
    readonly isReady: () => Promise<boolean>;
    readonly agentDocument: () => Promise<Uint8Array>;
    readonly metrics: () => string;
}

interface Listener {
    readonly urls: readonly string[];
    close(graceMs: number): Promise<void>;
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

interface Outbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly id: string;
    readonly spanId: string;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

interface PeerFacts {
    readonly transport: string;
    readonly address: string;
    readonly certificate?: string;
}

type Receive = (inbound: Inbound) => AsyncIterable<Reply>;

interface Reply {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly type: 'res' | 'evt';
    readonly status: number;
    readonly generation?: number;
}

declare class SdlError extends Error {
    readonly name = "SdlError";
    readonly code: ErrorCode;
    readonly reason: string;
    readonly details: ErrorDetails;
    constructor(code: ErrorCode, reason: string, options?: SdlErrorOptions);
    get row(): ErrorRow;
    get wireCode(): WireCode;
}

interface SdlErrorOptions {
    readonly details?: ErrorDetails;
    readonly cause?: unknown;
}

interface Transport {
    readonly name: string;
    listen(context: ListenContext, earlier: readonly Listener[]): Promise<Listener>;
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';
