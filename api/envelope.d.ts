// a2a-sdl/envelope: 32 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface AnswerHead {
    readonly type?: MessageType;
    readonly re?: string;
    readonly parentSpanId?: string;
    readonly decoded: DecodedMessage;
}

export interface CapabilityOptions {
    readonly tools?: readonly string[];
    readonly limits?: Partial<Limits>;
}

export interface Content {
    readonly ct: string;
    readonly payload: JsonValue;
}

export type Encoding = 'json' | 'cbor';

export interface Envelope {
    readonly v: 1;
    readonly id: string;
    readonly ts: string;
    readonly type: MessageType;
    readonly from: Identity;
    readonly to: Identity;
    readonly cap: JsonObject;
    readonly ct: string;
    readonly schema: SchemaDescriptor;
    readonly payload: JsonValue;
    readonly trace?: Trace;
    readonly sec?: Sec;
    readonly re?: string;
}

export interface EnvelopeBuilder {
    readonly newId: () => string;
    request(to: Identity, content: Content, options?: RequestOptions): Envelope;
    reply(request: ReplyTo, content: Content, type?: 'res' | 'evt'): Envelope;
    error(request: ReplyTo, error: unknown): Envelope;
}

export interface EnvelopeBuilderOptions {
    readonly identity: Identity;
    readonly cap?: JsonObject;
    readonly schemaFor: (ct: string) => SchemaDescriptor;
    readonly now?: () => number;
    readonly randomBytes?: RandomBytes;
}

export interface Identity {
    readonly agent_id: string;
    readonly name: string;
    readonly instance: string;
    readonly role: string;
}

export type MessageType = 'req' | 'res' | 'evt';

export type RandomBytes = (length: number) => Uint8Array;

export interface Recipient {
    readonly kid: string;
    readonly eph: string;
    readonly wn: string;
    readonly ek: string;
}

export interface ReplyTo {
    readonly id?: string;
    readonly from?: Identity;
    readonly trace?: Trace;
}

export interface RequestOptions {
    readonly type?: 'req' | 'evt';
    readonly trace?: Trace;
    readonly schema?: SchemaDescriptor;
}

export interface Sec {
    readonly mode: SecurityMode;
    readonly kid?: string;
    readonly sig?: {
        readonly alg: 'ed25519';
        readonly value: string;
        readonly canon?: SigningForm;
    };
    readonly enc?: {
        readonly alg: 'x25519-chacha20poly1305';
        readonly nonce: string;
        readonly ciphertext: string;
        readonly recipients: readonly Recipient[];
    };
    readonly replay?: {
        readonly nonce: string;
        readonly exp: string;
    };
    readonly session?: JsonObject;
    readonly x?: JsonObject;
}

export type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

export interface ShapeOptions {
    readonly contentTypes: ReadonlySet<string>;
    readonly limits?: Partial<Limits>;
    readonly allowSchemaUri?: boolean;
    readonly laxDates?: (agentId: string) => boolean;
}

export type SigningForm = 'jcs' | 'python' | 'cbor';

export interface Trace {
    readonly root_id: string;
    readonly span_id: string;
    readonly parent_span_id?: string;
    readonly hops: number;
    readonly audit?: JsonObject;
}

export declare function checkShape(value: JsonValue, options: ShapeOptions): Envelope;

export declare function createEnvelopeBuilder(options: EnvelopeBuilderOptions): EnvelopeBuilder;

export declare function decodeMessage(bytes: Uint8Array, encoding: Encoding, limits?: Partial<Limits>): JsonValue;

export declare function defaultCapabilities(options?: CapabilityOptions): JsonObject;

export declare function encodeMessage(envelope: Envelope, encoding: Encoding): Uint8Array;

export declare function envelopeValue(envelope: Envelope): JsonValue;

export declare function formatTimestamp(epochMs: number): string;

export declare function forwardTrace(cause: Trace, newId: () => string, maxHops?: number): Trace;

export declare function parseTimestamp(text: string): number | undefined;

export declare function peekAnswer(bytes: Uint8Array, encoding: Encoding, limits?: Partial<Limits>): AnswerHead | undefined;

export declare function replyTrace(request: Trace, newId: () => string): Trace;

export declare function salvageReplyTo(value: JsonValue, limits?: Partial<Limits>): ReplyTo | undefined;

export declare function startTrace(newId: () => string): Trace;

export declare function toErrorPayload(error: SdlError): JsonObject;

// Reached from these.

type ContentHash = `sha256:${string}`;

declare class DecodedMessage {
    #private;
    constructor(bytes: Uint8Array, encoding: Encoding, limits: Limits);
    static valueOf(decoded: DecodedMessage | undefined, bytes: Uint8Array, encoding: Encoding, limits: Limits): JsonValue | undefined;
}

interface EmbeddedDescriptor {
    readonly kind: 'embedded';
    readonly id: ContentHash;
    readonly embedded: Schema;
}

type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly retryable: boolean;
    readonly words: string;
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

type Schema = JsonObject | boolean;

type SchemaDescriptor = EmbeddedDescriptor | UriDescriptor;

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

interface UriDescriptor {
    readonly kind: 'uri';
    readonly id: ContentHash;
    readonly uri: string;
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';
