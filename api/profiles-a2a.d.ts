// a2a-sdl/profiles/a2a: 15 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface A2aOptions extends Omit<CardDetails, 'inputModes'> {
    readonly profile?: Profile;
    readonly card?: 'strict' | 'superset';
    readonly streaming?: boolean;
    readonly inputModes?: readonly string[];
    readonly contextIds?: 'accept' | 'refuse';
    readonly extensions?: readonly KnownExtension[];
    readonly security?: NonNullable<CardOptions['security']>;
    readonly extended?: NonNullable<CardOptions['extended']>;
}

export interface CallerSecurityOptions {
    readonly apiKeyHeader?: string;
    readonly isOptional?: boolean;
    readonly now?: () => number;
}

export interface CardDetails {
    readonly description?: string;
    readonly version?: string;
    readonly provider?: CardProvider;
    readonly documentationUrl?: string;
    readonly iconUrl?: string;
    readonly skills?: readonly CardSkill[];
    readonly inputModes?: readonly string[];
    readonly outputModes?: readonly string[];
}

export interface CardExtension {
    readonly uri: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly params?: JsonObject;
}

export interface CardProvider {
    readonly organization: string;
    readonly url: string;
}

export type CardScheme = {
    readonly description?: string;
} & ({
    readonly type: 'http';
    readonly scheme: string;
    readonly bearerFormat?: string;
} | {
    readonly type: 'apiKey';
    readonly location: 'header' | 'query' | 'cookie';
    readonly name: string;
} | {
    readonly type: 'oauth2';
    readonly flows: CardFlow;
    readonly metadataUrl?: string;
} | {
    readonly type: 'openIdConnect';
    readonly url: string;
} | {
    readonly type: 'mutualTLS';
});

export interface CardSecurity {
    readonly schemes: Readonly<Record<string, CardScheme>>;
    readonly requirements?: readonly CardRequirement[];
    readonly isOptional?: boolean;
}

export interface CardSkill {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly tags: readonly string[];
    readonly examples?: readonly string[];
    readonly inputModes?: readonly string[];
    readonly outputModes?: readonly string[];
    readonly requirements?: readonly CardRequirement[];
}

export type CardVerdict = {
    readonly kind: 'unsigned' | 'refused';
} | {
    readonly kind: 'verified';
    readonly card: JsonObject;
    readonly kid: string;
    readonly alg: CardAlgorithm;
    readonly form: CardView['form'];
};

export interface KnownExtension {
    readonly uri: string;
    readonly required?: boolean;
}

export type Profile = '1.0.0' | '1.0.1';

export interface VerifyCardOptions {
    readonly keys: readonly CardKey[];
    readonly algorithms?: readonly CardAlgorithm[];
    readonly crypto?: Pick<CryptoProvider, 'verify'>;
}

export declare function a2a(options?: A2aOptions): Transport;

export declare function securityOf(entries: readonly CallerEntry[], options?: CallerSecurityOptions): CardSecurity | undefined;

export declare function verifyCard(card: JsonValue, options: VerifyCardOptions): Promise<CardVerdict>;

// Reached from these.

interface AgentFacts {
    readonly agentId: string;
    readonly name: string;
    readonly contentTypes: readonly string[];
    readonly tools: readonly string[];
    readonly limits: Limits;
    readonly endpoints: readonly {
        readonly name: string;
        readonly url: string;
    }[];
}

interface Artifact extends ArtifactContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    readonly isComplete: boolean;
}

interface ArtifactChange {
    readonly type: 'artifact';
    readonly artifact: ArtifactContent;
    readonly append?: true;
    readonly last?: true;
}

interface ArtifactContent {
    readonly id: string;
    readonly name?: string;
    readonly description?: string;
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
}

interface Authenticated {
    readonly principal: Principal;
    readonly ceiling?: Ceiling;
}

interface Begun {
    readonly hasBegun: boolean;
    begin(): void;
    end(): Promise<void>;
}

interface BytesPart extends PartFacts {
    readonly bytes: Uint8Array;
}

declare const CARD_ALGORITHMS: readonly ['EdDSA', 'ES256'];

interface CallContext {
    readonly principal: Principal;
    readonly face: string;
    readonly agentId: string;
    readonly ceiling?: Ceiling;
    readonly received?: Received;
    readonly signal: AbortSignal;
    readonly now: () => number;
}

interface CallerEntry {
    readonly name: string;
    readonly proof: CallerProof;
    readonly contentTypes?: readonly string[];
    readonly tools?: readonly string[];
    readonly tenant?: string;
    readonly peer?: string;
    readonly expiresAt?: number;
    readonly revoked?: boolean;
}

type CallerProof = {
    readonly scheme: 'bearer' | 'api-key';
    readonly secret: Secret;
} | {
    readonly scheme: 'basic';
    readonly user: string;
    readonly password: {
        readonly hash: string;
    } | {
        readonly file: string;
    };
} | {
    readonly scheme: 'jwt';
    readonly issuer: string;
    readonly audience: string;
    readonly jwksUrl?: string;
    readonly subject?: string;
}
 | {
    readonly scheme: 'certificate';
    readonly certificate: Secret;
};

interface CanceledTask {
    readonly task: Task;
    readonly hasEnded: boolean;
}

type CardAlgorithm = (typeof CARD_ALGORITHMS)[number];

interface CardCapabilities {
    readonly streaming: boolean;
    readonly pushNotifications: boolean;
    readonly extendedAgentCard: boolean;
    readonly extensions?: readonly CardExtension[];
}

type CardFlow = {
    readonly clientCredentials: FlowUrls;
} | {
    readonly authorizationCode: FlowUrls & {
        readonly authorizationUrl: string;
        readonly pkceRequired?: boolean;
    };
};

type CardForm = 'strict' | 'superset';

interface CardInterface {
    readonly url: string;
    readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
    readonly protocolVersion: '1.0' | '0.3';
    readonly tenant?: string;
}

interface CardKey {
    readonly kid: string;
    readonly kty: string;
    readonly crv?: string;
    readonly x?: string;
    readonly y?: string;
    readonly alg?: string;
    readonly use?: string;
}

interface CardOptions extends CardDetails {
    readonly form: CardForm;
    readonly interfaces: Live<readonly CardInterface[]>;
    readonly capabilities: CardCapabilities;
    readonly security?: Live<CardSecurity | undefined>;
    readonly extended?: ExtendedDetails;
    readonly jwksUrl: string;
    readonly refuseVersion: (call: HttpCall, version: string) => Promise<void>;
    readonly maxAgeSeconds?: number;
    readonly now?: () => number;
}

type CardRequirement = Readonly<Record<string, readonly string[]>>;

interface CardView {
    readonly form: 'spec' | 'sdk';
    readonly card: JsonObject;
    readonly payload: Uint8Array;
}

interface Ceiling {
    readonly allow: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
    readonly notAfterMs: number;
    readonly isGrant?: true;
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

interface DataPart extends PartFacts {
    readonly data: JsonValue;
}

interface DelegationChange {
    readonly type: 'delegation';
    readonly child: TaskChild;
}

declare const EVERY_OWNER: unique symbol;

type Encoding = 'json' | 'cbor';

type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly retryable: boolean;
    readonly words: string;
}

type ExtendedAnswer = CardDetails | 'forbidden' | undefined;

type ExtendedDetails = (caller: Authenticated) => ExtendedAnswer | Promise<ExtendedAnswer>;

interface FaceRefusal {
    readonly face: string;
    readonly operation: string;
    readonly code: string;
    readonly error: SdlError;
    readonly from?: string;
    readonly taskId?: string;
}

interface FaceTicket {
    readonly signal: AbortSignal;
    release(): void;
}

interface FlowUrls {
    readonly tokenUrl: string;
    readonly refreshUrl?: string;
    readonly scopes: Readonly<Record<string, string>>;
}

interface GetOptions extends OwnerOption {
    readonly historyLength?: number;
    readonly includeArtifacts?: boolean;
}

interface HttpCall {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly headers: HttpHeaders;
    readonly peer: PeerFacts;
    readonly signal: AbortSignal;
    body(): Promise<Uint8Array>;
    answer(status: number, headers?: HttpHeaders, body?: string | Uint8Array): Promise<void>;
    stream(status: number, headers?: HttpHeaders): HttpStream;
    events(headers?: HttpHeaders): HttpEvents;
}

interface HttpEvent {
    readonly data: string | Uint8Array;
    readonly id?: string | number;
    readonly event?: string;
}

interface HttpEvents extends Begun {
    send(event: HttpEvent): Promise<void>;
}

type HttpHeaders = Readonly<Record<string, string | undefined>>;

interface HttpStream extends Begun {
    write(piece: string | Uint8Array): Promise<void>;
}

interface Idempotency {
    readonly id: string;
    readonly digest: string;
    readonly isDerived?: boolean;
    readonly rerun?: 'retryable' | ((ended: Task) => boolean);
    readonly extends?: true;
}

interface Inbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly peer: PeerFacts;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

interface JwsSignature {
    readonly protected: string;
    readonly signature: string;
}

interface JwsSigner extends SignerKey {
    readonly keys: readonly SignerKey[];
    sign(header: JsonObject, payload: Uint8Array): Promise<JwsSignature>;
}

interface KeptArtifact {
    readonly id: string;
    readonly parts: number;
    readonly length?: number;
    readonly isComplete: boolean;
}

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

interface ListTasks extends TaskFilter {
    readonly owner?: string | typeof EVERY_OWNER;
}

interface ListWholeTasks extends TaskFilter, OwnerOption {
    readonly isWhole: true;
}

interface ListenContext {
    readonly receive: Receive;
    readonly tasks: TaskService;
    readonly limits: Limits;
    readonly refuse: (error: SdlError) => Promise<Reply>;
    readonly isReady: () => Promise<boolean>;
    readonly agentDocument: () => Promise<Uint8Array>;
    readonly metrics: () => string;
    readonly authenticate: (shown: Shown) => Promise<Authenticated>;
    readonly admit: (face: string, facts: PeerFacts) => FaceTicket;
    readonly about: () => AgentFacts;
    readonly signer: () => JwsSigner | undefined;
    readonly refused: (refusal: FaceRefusal) => void;
    readonly onError: (cause: unknown) => void;
    readonly readTask: (payload: JsonValue) => Omit<StartTask, 'source' | 'idempotency'>;
}

interface Listener {
    readonly name: string;
    readonly isFace?: boolean;
    readonly faces?: readonly Listener[];
    readonly urls: readonly string[];
    close(graceMs: number): Promise<void>;
}

type Live<T> = T | (() => T);

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

interface Message extends MessageContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    toString(): string;
}

interface MessageChange {
    readonly type: 'message';
    readonly message: Message;
    readonly answers?: number;
    readonly deadline?: number;
}

interface MessageContent {
    readonly id: string;
    readonly role: 'user' | 'agent';
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
    readonly references?: readonly string[];
}

interface MessageOptions extends OwnerOption {
    readonly answers?: number;
}

type OperationName = 'start' | 'message' | 'get' | 'list' | 'follow' | 'cancel';

interface OwnerOption {
    readonly owner?: string;
}

type Part = TextPart | DataPart | BytesPart | UrlPart;

interface PartFacts {
    readonly mediaType?: string;
    readonly filename?: string;
    readonly metadata?: JsonObject;
}

interface PeerFacts {
    readonly transport: string;
    readonly address: string;
    readonly certificate?: string;
}

interface Placed {
    readonly generation: number;
    readonly at: number;
}

interface Principal {
    readonly id: string;
    readonly tenant: string;
    readonly scheme: string;
    readonly caller?: string;
    readonly expiresAt?: number;
}

type ProviderName = 'sodium' | 'native' | 'noble';

type Receive = (inbound: Inbound) => AsyncIterable<Reply>;

interface Received {
    readonly bytes: Uint8Array;
    readonly mediaType: string;
    readonly version?: string;
    readonly transport?: string;
    readonly sentAt?: string;
    readonly taskId?: string;
    readonly messageId?: string | null;
}

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

type Secret = {
    readonly sha256: string;
} | {
    readonly file: string;
};

interface Shown {
    readonly face: string;
    readonly address: string;
    readonly authorization?: string;
    readonly apiKey?: string;
    readonly certificate?: string;
    readonly isLocalOwner?: boolean;
}

interface SignerKey {
    readonly kid: string;
    readonly publicKey: Uint8Array;
}

interface StartTask extends Omit<TaskRequest, 'message' | 'source'> {
    readonly message: MessageContent;
    readonly source?: TaskSource;
}

interface StartedTask {
    readonly task: Task;
    readonly isNew: boolean;
}

interface StatusChange {
    readonly type: 'status';
    readonly status: Omit<TaskStatus, 'at' | 'asked'>;
    readonly attempt?: number;
    readonly deadline?: number;
    readonly keep?: readonly KeptArtifact[];
    readonly direct?: true;
}

type StatusEvent = Omit<StatusChange, 'status'> & Placed & {
    readonly status: TaskStatus;
};

interface Task {
    readonly tenant: string;
    readonly owner: string;
    readonly id: string;
    readonly contextId?: string;
    readonly kind?: string;
    readonly parent?: string;
    readonly deadline?: number;
    readonly direct?: true;
    readonly status: TaskStatus;
    readonly generation: number;
    readonly attempt: number;
    readonly history: readonly Message[];
    readonly artifacts: readonly Artifact[];
    readonly children: readonly TaskChild[];
    readonly metadata: JsonObject;
    readonly source: TaskSource;
    readonly authority: TaskAuthority;
    readonly createdAt: number;
}

interface TaskAuthority {
    readonly scheme: string;
    readonly caller?: string;
    readonly ceiling?: {
        readonly allow: {
            readonly ct: readonly string[];
            readonly tools: readonly string[];
        };
        readonly notAfterMs: number;
        readonly isGrant?: true;
    };
}

interface TaskChild {
    readonly agentId: string;
    readonly id: string;
    readonly status: string;
    readonly deadline?: number;
    readonly children?: readonly TaskChild[];
    readonly isCut?: true;
}

type TaskEvent = StatusEvent | (MessageChange & Placed) | (ArtifactChange & Placed) | (DelegationChange & Placed);

interface TaskFailure {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
}

interface TaskFilter {
    readonly state?: TaskState;
    readonly contextId?: string;
    readonly since?: number;
    readonly pageSize?: number;
    readonly cursor?: string;
}

interface TaskPage {
    readonly tasks: readonly TaskSummary[];
    readonly next?: string;
    readonly total: number;
}

interface TaskRequest {
    readonly message: Message;
    readonly contextId?: string;
    readonly kind?: string;
    readonly parent?: string;
    readonly deadline?: number;
    readonly priority?: number;
    readonly metadata?: JsonObject;
    readonly source: TaskSource;
    readonly idempotency?: Idempotency;
    readonly rejection?: TaskFailure;
}

interface TaskService {
    authorize(call: CallContext, operation: OperationName): Promise<void>;
    start(call: CallContext, start: StartTask): Promise<StartedTask>;
    message(call: CallContext, id: string, message: MessageContent, options?: MessageOptions): Promise<Task>;
    get(call: CallContext, id: string, options?: GetOptions): Promise<Task | undefined>;
    list(call: CallContext, options: ListWholeTasks): Promise<WholeTaskPage>;
    list(call: CallContext, options?: ListTasks): Promise<TaskPage>;
    follow(call: CallContext, id: string, after?: number, options?: OwnerOption): AsyncIterable<TaskStep>;
    cancel(call: CallContext, id: string, options?: OwnerOption): Promise<CanceledTask | undefined>;
}

interface TaskSource {
    readonly face: string;
    readonly value: JsonValue;
}

type TaskState = 'submitted' | 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';

interface TaskStatus {
    readonly state: TaskState;
    readonly at: number;
    readonly message?: Message;
    readonly fraction?: number;
    readonly asked?: number;
    readonly failure?: TaskFailure;
}

interface TaskStep {
    readonly task: Task;
    readonly event?: TaskEvent;
}

interface TaskSummary extends Pick<Task, 'tenant' | 'owner' | 'id' | 'contextId' | 'kind' | 'parent' | 'deadline' | 'status' | 'generation' | 'attempt' | 'createdAt'> {
    readonly text: string;
}

interface TextPart extends PartFacts {
    readonly text: string;
}

interface Transport {
    readonly name: string;
    listen(context: ListenContext, earlier: readonly Listener[]): Promise<Listener>;
}

interface UrlPart extends PartFacts {
    readonly url: string;
}

interface WholeTaskPage extends TaskPage {
    readonly whole: readonly Task[];
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';
