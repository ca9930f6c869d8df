// a2a-sdl/transports/http: 22 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface FastifyApp {
    all(path: string, route: FastifyRoute): unknown;
}

export interface FastifyRoute {
    onRequest(request: {
        readonly raw: MountRequest;
    }, reply: {
        readonly raw: MountResponse;
        hijack(): unknown;
    }): Promise<void>;
    handler(): never;
}

export interface FetchDocumentOptions {
    readonly limits?: Partial<Limits>;
    readonly tls?: TlsOptions;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
}

export interface FetchPeerOptions extends FetchDocumentOptions {
    readonly agentId?: string;
    readonly parts?: PeerParts;
    readonly crypto?: CryptoProvider;
    readonly nowMs?: number;
}

export interface HttpListener extends Listener {
    readonly boundUrl: string;
}

export interface HttpMount extends Transport {
    readonly handler: (request: MountRequest, response: MountResponse, next?: () => void) => void;
    readonly fastifyPlugin: (app: FastifyApp) => Promise<void>;
}

export interface HttpMountOptions extends HttpServiceOptions {
    readonly publicUrl: string;
}

export interface HttpOptions extends HttpServiceOptions {
    readonly host?: string;
    readonly port?: number;
    readonly tls?: TlsOptions;
    readonly headersTimeoutMs?: number;
    readonly requestTimeoutMs?: number;
    readonly keepAliveTimeoutMs?: number;
    readonly maxConnections?: number;
    readonly maxConnectionsPerAddress?: number;
    readonly maxSockets?: number;
}

export interface HttpServiceOptions extends Partial<AccessRules> {
    readonly publicUrl?: string;
    readonly allowedHosts?: readonly string[];
    readonly allowedOrigins?: readonly string[];
    readonly adminToken?: string;
    readonly stalledWriteTimeoutMs?: number;
    readonly heartbeatIntervalMs?: number;
}

export interface HttpTransport extends Transport, Dialer {
    listen(context: ListenContext): Promise<HttpListener>;
}

export interface MountRequest {
    readonly method?: string | undefined;
    readonly url?: string | undefined;
    readonly originalUrl?: string;
    readonly headers: object;
}

export interface MountResponse {
    writeHead(status: number): unknown;
    end(): unknown;
}

export declare class TlsError extends TransportError {
    readonly problem: TlsProblem;
    constructor(problem: TlsProblem, words: string);
}

export type TlsOption = 'cert' | 'key' | 'ca';

export declare class TlsOptionError extends TypeError {
    readonly name = "TlsOptionError";
    readonly option: TlsOption;
    readonly fault: TlsOptionFault;
    constructor(option: TlsOption, fault: TlsOptionFault, words: string);
}

export type TlsOptionFault = 'no-pem' | 'swapped' | 'no-certificate' | 'no-key' | 'encrypted' | 'mismatch';

export interface TlsOptions {
    readonly cert?: string;
    readonly key?: string;
    readonly ca?: string;
    readonly requireClientCert?: boolean;
}

export type TlsProblem = 'untrusted' | 'wrong-name' | 'out-of-date' | 'speaks-no-tls' | 'speaks-tls' | 'client-certificate';

export declare function fetchAgentDocument(address: string, options?: FetchDocumentOptions): Promise<Uint8Array>;

export declare function fetchPeer(address: string, options?: FetchPeerOptions): Promise<Peer>;

export declare function http(options?: HttpOptions): HttpTransport;

export declare function mountHttp(options: HttpMountOptions): HttpMount;

// Reached from these.

interface AccessRules {
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
}

type CompatSwitch = 'label-id' | 'lax-dates' | 'long-exp' | 'no-replay' | 'unsigned-requests' | 'unsigned-replies' | 'plain-replies' | 'unbound-enc' | 'v1-trustsync' | 'v1-session';

interface Connection {
    exchange(outbound: Outbound): AsyncIterable<Incoming>;
    notify(outbound: Outbound): Promise<void>;
    readonly isOpen: boolean;
    close(): Promise<void>;
}

interface CryptoProvider {
    readonly name: ProviderName;
    readonly sha256: (bytes: Uint8Array) => Uint8Array;
    readonly hmacSha256: (key: Uint8Array, bytes: Uint8Array) => Uint8Array;
    readonly hkdfSha256: (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number) => Uint8Array;
    readonly randomBytes: (length: number) => Uint8Array;
    readonly ed25519PublicKey: (secretKey: Uint8Array) => Uint8Array;
    readonly sign: (message: Uint8Array, secretKey: Uint8Array) => MaybePromise<Uint8Array>;
    readonly verify: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => MaybePromise<boolean>;
    readonly isEd25519PublicKey: (publicKey: Uint8Array) => boolean;
    readonly x25519PublicKey: (secretKey: Uint8Array) => Uint8Array;
    readonly agree: (secretKey: Uint8Array, publicKey: Uint8Array) => Uint8Array | undefined;
    readonly seal: (key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array) => Uint8Array;
    readonly open: (key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array) => Uint8Array | undefined;
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

type MaybePromise<T> = T | Promise<T>;

interface Outbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly id: string;
    readonly spanId: string;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

interface Peer {
    readonly agentId: string;
    readonly signingKeys: readonly PeerKey[];
    readonly encryptionKeys: readonly PeerKey[];
    readonly endpoints: readonly string[];
    readonly contentTypes?: readonly string[];
    readonly tools?: readonly string[];
    readonly notBefore?: number;
    readonly notAfter?: number;
    readonly revoked: boolean;
    readonly canon?: SigningForm;
    readonly minMode?: SecurityMode;
    readonly switches: ReadonlySet<CompatSwitch>;
    readonly signingKeyRule?: (key: PeerKey) => PeerKey | undefined;
    readonly rootKeyRule?: (key: PeerKey) => PeerKey | undefined;
    readonly mayGrant: boolean;
    readonly certificates?: readonly string[];
}

interface PeerFacts {
    readonly transport: string;
    readonly address: string;
    readonly certificate?: string;
}

interface PeerKey {
    readonly kid: string;
    readonly key: Uint8Array;
    readonly notBefore?: number;
    readonly notAfter?: number;
}

type PeerParts = Partial<Omit<Peer, 'agentId'>>;

type ProviderName = 'sodium' | 'native' | 'noble';

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

type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

type SigningForm = 'jcs' | 'python' | 'cbor';

interface Transport {
    readonly name: string;
    listen(context: ListenContext, earlier: readonly Listener[]): Promise<Listener>;
}

declare class TransportError extends Error {
    readonly name = "TransportError";
    readonly fault: TransportFault;
    readonly code: `TRANSPORT_${Uppercase<TransportFault>}`;
    readonly wireCode: WireCode;
    constructor(fault: TransportFault, message: string, cause?: unknown);
    get isRetryable(): boolean;
}

type TransportFault = 'unreachable' | 'lost' | 'refused' | 'timeout' | 'protocol' | 'aborted';

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';
