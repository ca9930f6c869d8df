// a2a-sdl: 57 names. Made by "npm run api" from the emitted declarations; not to be edited.

export type ArtifactInput = ArtifactFacts & (OnePart | {
    readonly parts: readonly Part[];
});

export interface ArtifactItem {
    readonly name?: string;
    readonly mediaType?: string;
    readonly bytes?: Uint8Array;
    readonly text: string | undefined;
    readonly json: JsonValue | undefined;
    readonly append: boolean;
    readonly chunk?: ArtifactChunk;
    readonly uri?: string;
    readonly source: JsonObject;
}

export interface AskOptions {
    readonly kind?: 'input' | 'auth';
}

export interface Client {
    connect(target: string, options?: ConnectOptions): RemoteAgent;
    close(): Promise<void>;
}

export interface ClientOptions {
    readonly identity?: OwnIdentity | (() => OwnIdentity);
    readonly peers?: KnownPeers;
    readonly transports?: readonly (Dialer | Dialect)[];
    readonly store?: Store;
    readonly name?: string;
    readonly role?: string;
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly receipts?: ReceiptSettings | false;
    readonly on?: ClientEvents;
    readonly limits?: Partial<Limits>;
    readonly crypto?: 'auto' | ProviderName | CryptoProvider;
    readonly now?: () => number;
    readonly randomBytes?: RandomBytes;
}

export interface CloseOptions {
    readonly graceMs?: number;
}

export interface ConnectOptions {
    readonly agentId?: string;
}

export interface ContentHandler {
    readonly ct: string;
    readonly schema?: Schema;
    readonly replies?: readonly string[];
    readonly handle: Handle;
    readonly isRead?: (payload: JsonValue) => boolean;
    readonly resume?: (payload: JsonValue, context: RequestContext) => AsyncIterable<Answer>;
}

export declare const DEFAULT_LIMITS: Limits;

export declare const ERRORS: Readonly<Record<ErrorCode, ErrorRow>>;

export type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

export interface Exchange extends AsyncIterable<Received> {
    result(): Promise<Received>;
}

export interface ExchangeOptions {
    readonly mode?: SecurityMode;
    readonly encoding?: Encoding;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    readonly retries?: number;
    readonly stream?: boolean;
    readonly keepsEvents?: boolean;
    readonly session?: JsonObject;
    readonly trace?: Trace;
    readonly authz?: JsonObject;
}

export interface JsonObject {
    readonly [member: string]: JsonValue;
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

export interface Listener {
    readonly name: string;
    readonly isFace?: boolean;
    readonly faces?: readonly Listener[];
    readonly urls: readonly string[];
    expectFaces?(): () => void;
    close(graceMs: number): Promise<void>;
}

export interface LocalIdentity {
    readonly agentId: string;
    readonly root: SecretKey;
    readonly bundle: KeyBundle;
    readonly keys: readonly OperationalKey[];
}

export declare class LosslessNumber {
    readonly lexeme: string;
    constructor(lexeme: string);
    get isInteger(): boolean;
    toNumber(): number;
    toBigInt(): bigint;
    [Symbol.toPrimitive](hint: string): number | string;
    toJSON(): number;
    toString(): string;
}

export type OnTask = (task: AuthorTask, ctx: TaskContext) => Promise<TaskResult> | AsyncGenerator<TaskResult, TaskResult>;

export interface Outcome {
    readonly transport: string;
    readonly operation?: string;
    readonly refusal?: string;
    readonly id?: string;
    readonly ct?: string;
    readonly from?: string;
    readonly isProven: boolean;
    readonly stage?: StageName;
    readonly error?: SdlError;
    readonly task?: TaskFacts;
    readonly isRetry: boolean;
    readonly durationMs: number;
}

export declare const PACKAGE_VERSION = "0.2.0";

export interface PeerSource {
    snapshot(): PeerDirectory;
    get?(idOrName: string): Peer | undefined;
    list?(): readonly Peer[];
}

export interface ReceiptEvent {
    readonly id: string;
    readonly peer: string;
    readonly refusal?: SdlError;
}

export interface Received {
    readonly type: 'res' | 'evt';
    readonly ct: string;
    readonly payload: JsonValue;
    readonly envelope: Envelope;
    readonly request: Envelope;
    readonly isProven: boolean;
}

export interface RemoteAgent {
    readonly agentId: string;
    readonly dialect: string;
    request(content: Content, options?: ExchangeOptions): Exchange;
    task(task: TaskInput | string, options?: TaskOptions): TaskExchange;
    readonly tasks: RemoteTasks;
    call(tool: string, args?: JsonObject, options?: ExchangeOptions): Promise<JsonValue>;
    notify(content: Content, options?: ExchangeOptions): Promise<void>;
    negotiate(options?: ExchangeOptions): Promise<JsonObject>;
}

export declare class RemoteError extends Error {
    readonly name = "RemoteError";
    readonly code: string;
    readonly wireCode: string;
    readonly details: Readonly<Record<string, JsonValue>>;
    readonly retryable: boolean;
    readonly isProven: boolean;
    readonly isSigned: boolean;
    readonly knowsSeq: number | undefined;
    constructor(payload: JsonValue, proof: RemoteErrorProof);
}

export interface RemoteTask {
    readonly status: string;
    readonly hasEnded: boolean;
    readonly id?: string;
    readonly generation?: number;
    readonly goal?: string;
    readonly progress?: {
        readonly message: string;
        readonly fraction?: number;
    };
    readonly question?: RemoteQuestion;
    readonly artifacts: readonly RemoteArtifact[];
    readonly answer?: Message;
    readonly history?: readonly Message[];
    readonly failure?: {
        readonly code: string;
        readonly message: string;
        readonly retryable?: boolean;
    };
    readonly document: JsonObject;
}

export interface RemoteTasks {
    get(id: string, options?: GetTaskOptions): Promise<RemoteTask>;
    list(options?: ListTasksOptions): Promise<RemoteTaskPage>;
    watch(id: string, options?: WatchTaskOptions): AsyncIterable<TaskUpdate>;
    cancel(id: string, options?: RemoteTaskOptions): Promise<RemoteTask>;
    reply(id: string, reply: JsonValue | SaidWords, options?: ReplyOptions): Promise<RemoteTask>;
    send(id: string, words: Words, options?: ReplyOptions): Promise<RemoteTask>;
}

export interface RequestContext {
    readonly request: VerifiedRequest;
    readonly peer: Peer;
    readonly mode: SecurityMode;
    readonly keyThumbprint?: string;
    readonly call: CallContext;
    readonly agentId: string;
    readonly wantsStream: boolean;
    readonly takesParts: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
    readonly now: () => number;
}

export interface Runtime {
    readonly agentId: string;
    readonly contentTypes: readonly string[];
    readonly tools: ToolRegistry;
    readonly tasks: TaskService;
    handle(content: ContentHandler): void;
    receive(inbound: Inbound): AsyncIterable<Reply>;
    listen(...transports: readonly Transport[]): Promise<readonly Listener[]>;
    listenContext(): Promise<ListenContext>;
    connect(target: string, options?: ConnectOptions): RemoteAgent;
    audit(): Promise<AuditLog | undefined>;
    close(options?: CloseOptions): Promise<void>;
}

export interface RuntimeOptions {
    readonly identity: OwnIdentity | (() => OwnIdentity);
    readonly name?: string;
    readonly role?: string;
    readonly instance?: string;
    readonly peers?: KnownPeers;
    readonly store?: Store;
    readonly policy?: Omit<PolicyOptions, 'agentIds'>;
    readonly limits?: Partial<Limits>;
    readonly crypto?: 'auto' | ProviderName | CryptoProvider;
    readonly transports?: readonly Dialer[];
    readonly onTask?: OnTask;
    readonly cancelHanded?: (part: HandedPart, signal: AbortSignal) => Promise<void>;
    readonly accepts?: Accepts;
    readonly tasks?: TaskSettings;
    readonly tools?: readonly Tool[];
    readonly contents?: readonly ContentHandler[];
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly versions?: VersionPolicyOptions;
    readonly admission?: AdmissionOptions;
    readonly callers?: Callers;
    readonly audit?: boolean;
    readonly evidence?: Witness;
    readonly receipts?: ReceiptSettings | false;
    readonly on?: EventOptions;
    readonly trust?: TrustOptions;
    readonly shared?: SharedOptions;
    readonly timeouts?: TimeoutOptions;
    readonly now?: () => number;
    readonly randomBytes?: RandomBytes;
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

export interface StandardSchema<Input = unknown, Output = Input> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
        readonly jsonSchema?: {
            readonly input: (options: {
                readonly target: 'draft-2020-12';
            }) => object;
        } | undefined;
    };
}

export interface Task {
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

export interface TaskContext {
    readonly signal: AbortSignal;
    readonly deadline: number;
    readonly attempt: number;
    readonly restored: Keepable | undefined;
    readonly tools: TaskTools;
    readonly progress: (report: string | TaskProgress | SpokenProgress) => Promise<TaskEvent | undefined>;
    readonly artifact: (input: ArtifactInput) => Promise<TaskEvent | undefined>;
    readonly ask: (question?: Words, options?: AskOptions) => Promise<Message>;
    readonly next: () => Promise<Message>;
    readonly answer: (words: Words, options?: AnswerOptions) => Promise<TaskEvent | undefined>;
    readonly delegate: Delegate;
    readonly handedTo: (part: HandedPart) => Promise<TaskEvent | undefined>;
    readonly hops: number;
    readonly grants: readonly JsonObject[];
    readonly checkpoint: (value: Keepable) => Promise<void>;
}

export declare class TaskError extends Error {
    readonly name = "TaskError";
    readonly code: string;
    readonly retryable: boolean;
    readonly rejects: boolean;
    readonly cancels: boolean;
    constructor(message: string, options?: TaskErrorOptions);
}

export interface TaskExchange extends AsyncIterable<TaskUpdate> {
    result(): Promise<TaskUpdate>;
}

export type TaskInput = TaskFacts & ({
    readonly goal: string;
    readonly message?: TaskMessage;
} | {
    readonly goal?: string;
    readonly message: TaskMessage;
});

export interface TaskOptions extends ExchangeOptions, AwayOptions {
    readonly maxAwayMs?: number;
}

export type TaskState = 'submitted' | 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';

export interface TaskUpdate extends RemoteTask {
    readonly isWhole: boolean;
    readonly isAnswer: boolean;
    readonly received?: Received;
}

export interface Tool extends ToolOptions {
    readonly args: Schema | StandardSchema;
    readonly run: (args: never, context: ToolContext) => ToolOutput;
}

export declare class ToolCallError extends Error {
    readonly name = "ToolCallError";
    readonly code: string;
    readonly wireCode: string;
    readonly details: Readonly<Record<string, JsonValue>>;
    readonly retryable: boolean;
    readonly result: JsonValue;
    constructor(tool: string, result: JsonValue);
}

export interface ToolContext extends AnyCall, MessageFacts {
    readonly callId: string;
    readonly mayCall: (tool: string) => boolean;
    readonly log: (line: string) => void;
}

export declare class ToolError extends Error {
    readonly name = "ToolError";
    readonly code: string;
    readonly retryable: boolean;
    constructor(message: string, options?: ToolErrorOptions);
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

export type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';

export declare function answer(ct: string, payload: JsonValue, generation?: number): Answer;

export declare function createClient(options?: ClientOptions): Client;

export declare function createIdentity(options?: IdentityOptions): Promise<LocalIdentity>;

export declare function createRuntime(options: RuntimeOptions): Runtime;

export declare function defineContent<S extends StandardSchema>(definition: StandardContentDefinition<S>): ContentHandler;
export declare function defineContent(definition: JsonContentDefinition): ContentHandler;

export declare function defineTool<S extends StandardSchema>(tool: StandardTool<S>): Tool;
export declare function defineTool(tool: JsonTool): Tool;

export declare function isJsonArray(value: JsonValue | undefined): value is JsonArray;

export declare function isJsonObject(value: JsonValue | undefined): value is JsonObject;

// Reached from these.

interface AcceptedMessage {
    readonly call: CallContext;
    readonly operation: 'start' | 'message';
    readonly message: Message;
    readonly taskId?: string;
    readonly kind?: string;
}

type Accepts = (message: Message, call: CallContext) => MaybePromise<Words | undefined | void>;

interface AdmissionOptions {
    readonly maxInFlight?: number;
    readonly maxInFlightPerPeer?: number;
    readonly maxStreams?: number;
    readonly maxStreamsPerPeer?: number;
    readonly ratePerSecond?: number;
    readonly burst?: number;
}

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

interface Answer {
    readonly ct: string;
    readonly payload: JsonValue;
    readonly generation?: number;
    readonly isEvent?: boolean;
    readonly task?: TaskFacts;
}

interface AnswerOptions {
    readonly isTask?: boolean;
}

type AnyCall = Pick<RequestContext, 'call' | 'agentId' | 'signal' | 'now' | 'wantsStream' | 'takesParts'>;

interface AppendOptions {
    readonly ifLength?: number | undefined;
}

interface AppendResult {
    readonly ok: boolean;
    readonly position: number;
}

interface Artifact extends ArtifactContent {
    readonly text: string;
    readonly data: JsonValue | undefined;
    readonly isComplete: boolean;
}

declare class ArtifactAssembler {
    #private;
    constructor({ now, ...limits }?: ArtifactAssemblerOptions);
    get waitingBytes(): number;
    openItems(sender: string): number;
    add(sender: string, item: ArtifactItem): ArtifactItem | undefined;
}

interface ArtifactAssemblerOptions {
    readonly maxItemBytes?: number;
    readonly maxChunks?: number;
    readonly maxOpenPerSender?: number;
    readonly maxWaitingBytes?: number;
    readonly maxWaitMs?: number;
    readonly now?: () => number;
}

interface ArtifactChange {
    readonly type: 'artifact';
    readonly artifact: ArtifactContent;
    readonly append?: true;
    readonly last?: true;
}

interface ArtifactChunk {
    readonly index: number;
    readonly digest?: ContentHash;
}

interface ArtifactContent {
    readonly id: string;
    readonly name?: string;
    readonly description?: string;
    readonly parts: readonly Part[];
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
}

interface ArtifactFacts {
    readonly id?: string;
    readonly name?: string;
    readonly description?: string;
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
    readonly append?: boolean;
    readonly last?: boolean;
}

interface ArtifactOptions {
    readonly onArtifacts: (artifacts: ReceivedArtifacts, context: RequestContext) => MaybePromise<void>;
    readonly assembler?: ArtifactAssembler;
}

interface ArtifactPiece {
    readonly artifact: ArtifactContent;
    readonly append: boolean;
    readonly last: boolean;
}

interface ArtifactRef {
    readonly name?: string;
    readonly mediaType?: string;
    readonly uri?: string;
    readonly digest?: ContentHash;
    readonly source: JsonObject;
}

interface AuditLog {
    record(entry: NewAuditEntry): Promise<number>;
    head(): Promise<SignedHead>;
    receipt(content: ReceiptContent, signer?: AuditSigner): Promise<Receipt>;
    prove(id: string): Promise<ProofDocument | undefined>;
    findIds(prefix: string): Promise<readonly string[]>;
    proveGrowth(size: number): Promise<GrowthDocument>;
    verify(options?: AuditVerifyOptions): Promise<AuditReport>;
    close(): Promise<void>;
}

interface AuditProblem {
    readonly seq: number;
    readonly what: string;
}

interface AuditReport {
    readonly ok: boolean;
    readonly size: number;
    readonly problems: readonly AuditProblem[];
    readonly unanswered: number;
}

interface AuditSigner {
    readonly kid: string;
    readonly secretKey: Uint8Array;
}

interface AuditVerifyOptions extends AuditWitnesses {
    readonly publicKeys?: ReadonlyMap<string, Uint8Array>;
}

interface AuditWitnesses {
    readonly heads?: readonly JsonValue[];
    readonly receipts?: readonly JsonValue[];
}

interface Authenticated {
    readonly principal: Principal;
    readonly ceiling?: Ceiling;
}

interface AuthorTask extends Task {
    readonly text: string;
    readonly data: JsonValue | undefined;
}

type Awaitable<T> = T | Promise<T>;

interface AwayOptions {
    readonly maxAwayMs?: number;
    readonly onAway?: (cause: unknown) => void;
    readonly onBack?: () => void;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface BundleKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    readonly notAfterMs: number;
}

interface BytesPart extends PartFacts {
    readonly bytes: Uint8Array;
}

interface CallContext {
    readonly principal: Principal;
    readonly face: string;
    readonly agentId: string;
    readonly ceiling?: Ceiling;
    readonly received?: Received;
    readonly signal: AbortSignal;
    readonly now: () => number;
}

type CallerScheme = {
    readonly scheme: 'bearer' | 'api-key' | 'basic' | 'certificate';
} | {
    readonly scheme: 'jwt';
    readonly issuer: string;
    readonly hasDiscovery: boolean;
};

interface CallerSchemes {
    readonly schemes: readonly CallerScheme[];
    readonly isOptional: boolean;
}

interface Callers extends Rights {
    authenticate(shown: Shown): Promise<Authenticated>;
    schemes?(face: string): CallerSchemes;
}

interface CanceledTask {
    readonly task: Task;
    readonly hasEnded: boolean;
}

interface CarriedAnswer {
    readonly ct: string;
    readonly payload: JsonValue;
    readonly type: 'evt' | 'res';
    readonly n: number;
    readonly hasReceipt?: boolean;
}

interface CarriedRequest {
    readonly bytes: Uint8Array;
    readonly peer: PeerFacts;
    readonly ticket: FaceTicket;
    readonly contentTypes: ReadonlySet<string>;
    readonly right: string;
}

interface Ceiling {
    readonly allow: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
    readonly notAfterMs: number;
    readonly isGrant?: true;
}

interface ChildArtifact extends Artifact {
    readonly append: boolean;
}

interface ChildInput {
    readonly goal: string;
    readonly inputs?: JsonObject;
    readonly constraints?: JsonObject;
    readonly deliverables?: readonly JsonObject[];
    readonly acceptance?: readonly string[];
    readonly context?: JsonObject;
}

interface ChildTask extends AsyncIterable<ChildUpdate> {
    readonly agentId: string;
    readonly id: string;
    result(): Promise<ChildUpdate>;
    reply(reply: Words): Promise<void>;
    cancel(): Promise<void>;
}

interface ChildUpdate {
    readonly status: string;
    readonly progress?: TaskProgress;
    readonly artifacts: readonly ChildArtifact[];
    readonly isWhole: boolean;
    readonly failure?: TaskFailure;
    readonly question?: Message;
    readonly answer?: Message;
    readonly hasEnded: boolean;
}

type Claim = 'certain' | 'possible' | 'none';

interface ClientEvents {
    readonly receipt?: (event: ReceiptEvent) => void;
}

type CompatSwitch = 'label-id' | 'lax-dates' | 'long-exp' | 'no-replay' | 'unsigned-requests' | 'unsigned-replies' | 'plain-replies' | 'unbound-enc' | 'v1-trustsync' | 'v1-session';

interface Connection {
    exchange(outbound: Outbound): AsyncIterable<Incoming>;
    notify(outbound: Outbound): Promise<void>;
    readonly isOpen: boolean;
    close(): Promise<void>;
}

interface Content {
    readonly ct: string;
    readonly payload: JsonValue;
}

type ContentHash = `sha256:${string}`;

interface ContentOptions {
    readonly ct: string;
    readonly reply?: string;
}

interface ContentTypePolicy {
    readonly min?: number;
    readonly max?: number;
    readonly deprecated?: Deprecation;
}

type ContentValue = JsonValue | Answer;

interface CountOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly atMost?: number | undefined;
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

declare class DecodedMessage {
    #private;
    constructor(bytes: Uint8Array, encoding: Encoding, limits: Limits);
    static valueOf(decoded: DecodedMessage | undefined, bytes: Uint8Array, encoding: Encoding, limits: Limits): JsonValue | undefined;
}

type Delegate = (target: string, task: string | ChildInput, options?: DelegateOptions) => ChildTask;

interface DelegateOptions {
    readonly id?: string;
    readonly deadline?: number;
    readonly relay?: boolean;
    readonly grant?: JsonObject;
    readonly handOn?: readonly string[];
    readonly allow?: {
        readonly ct: readonly string[];
        readonly tools: readonly string[];
    };
}

interface Delegation {
    readonly delegate: Delegate;
    readonly grants: readonly JsonObject[];
    readonly hops: number;
}

interface DelegationChange {
    readonly type: 'delegation';
    readonly child: TaskChild;
}

interface Deprecation {
    readonly version: number;
    readonly after: string;
    readonly sunset: string;
}

interface DialOptions {
    readonly limits: Limits;
    readonly connectTimeoutMs?: number;
}

interface Dialect {
    readonly dialect: string;
    claims(target: string): Claim;
    connect(target: string, context: DialectContext): Promise<ForeignAgent>;
}

interface DialectContext {
    readonly limits: Limits;
    readonly now: () => number;
    readonly signal: AbortSignal;
}

interface Dialer {
    readonly schemes: readonly string[];
    dial(url: string, options: DialOptions): Promise<Connection>;
}

declare const EVERY_OWNER: unique symbol;

interface EmbeddedDescriptor {
    readonly kind: 'embedded';
    readonly id: ContentHash;
    readonly embedded: Schema;
}

type Encoding = 'json' | 'cbor';

interface EndedTask {
    readonly tenant: string;
    readonly owner: string;
    readonly id: string;
    readonly key: string;
}

interface Entry {
    readonly key: string;
    readonly value: Uint8Array;
    readonly version: number;
    readonly expiresAt: number | undefined;
    readonly index: EntryIndex;
    readonly rank: number | undefined;
}

type EntryIndex = Readonly<Record<string, string>>;

interface EntryOptions {
    readonly expiresAt?: number | undefined;
    readonly index?: EntryIndex | undefined;
    readonly rank?: number | undefined;
}

interface EntryStore {
    add(space: string, key: string, entry: NewEntry): Promise<boolean>;
    get(space: string, key: string): Promise<Entry | undefined>;
    put(space: string, key: string, value: Uint8Array, options?: PutOptions): Promise<WriteResult>;
    delete(space: string, key: string, options?: VersionCondition): Promise<WriteResult>;
    count(space: string, options?: CountOptions): Promise<number>;
    purge(before?: number): Promise<number>;
    close(): Promise<void>;
}

interface Envelope {
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

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly retryable: boolean;
    readonly words: string;
}

interface EventOptions {
    readonly artifacts?: ArtifactOptions['onArtifacts'];
    readonly toolResult?: OnToolResult;
    readonly peerError?: OnPeerError;
    readonly state?: NonNullable<StateOptions['onChange']>;
    readonly outcome?: (outcome: Outcome) => void;
    readonly receipt?: (event: ReceiptEvent) => void;
    readonly task?: (task: TaskSummary) => void;
    readonly error?: (cause: unknown, task?: TaskSummary) => void;
}

interface EvidenceHashes {
    readonly content: string;
    readonly raw?: string;
}

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
    claim(agentId: string): MaybePromise<void>;
    stream(principalId: string): void;
    release(): void;
}

interface FirstUse {
    readonly kind: 'new';
    readonly complete: (reply: Uint8Array) => Promise<void>;
    readonly abandon: (cause?: unknown) => Promise<void>;
    readonly forget: (cause?: unknown) => Promise<void>;
    readonly fail: () => void;
}

interface FollowHow extends HowOptions, AwayOptions {
}

interface FollowTask extends OwnerOption {
    readonly isSilent?: boolean;
}

interface ForeignAgent {
    task(request: ForeignRequest, how: FollowHow): AsyncIterable<ForeignStep>;
    watch(id: string, how: FollowHow): AsyncIterable<ForeignStep>;
    say(id: string, message: MessageContent, how: HowOptions): Promise<ForeignTask>;
    get(id: string, how: HowOptions & {
        readonly historyLength?: number;
    }): Promise<ForeignTask>;
    list(asked: ForeignList, how: HowOptions): Promise<ForeignPage>;
    cancel(id: string, how: HowOptions): Promise<ForeignTask>;
    skills(how: HowOptions): Promise<readonly ForeignSkill[]>;
    call(skill: string, args: JsonObject, how: FollowHow): Promise<JsonValue>;
}

interface ForeignList {
    readonly state?: TaskState;
    readonly contextId?: string;
    readonly since?: number;
    readonly cursor?: string;
    readonly limit?: number;
}

interface ForeignPage {
    readonly tasks: readonly ForeignTask[];
    readonly next?: string;
    readonly total?: number;
}

interface ForeignRequest {
    readonly message: MessageContent;
    readonly contextId?: string;
    readonly isDetached: boolean;
}

interface ForeignSkill {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
}

interface ForeignStep {
    readonly task: ForeignTask;
    readonly piece?: ArtifactPiece;
    readonly isWhole?: true;
}

interface ForeignTask {
    readonly id?: string;
    readonly contextId?: string;
    readonly status: {
        readonly state: TaskState | 'unknown';
        readonly at?: number;
        readonly message?: Message;
        readonly failure?: Omit<TaskFailure, 'retryable'> & {
            readonly retryable?: boolean;
        };
    };
    readonly artifacts: readonly Artifact[];
    readonly history: readonly Message[];
    readonly metadata?: JsonObject;
}

interface GetOptions extends OwnerOption {
    readonly historyLength?: number;
    readonly includeArtifacts?: boolean;
}

interface GetTaskOptions extends RemoteTaskOptions {
    readonly request?: boolean;
    readonly historyLength?: number;
}

interface GrowthDocument extends JsonObject {
    readonly size: number;
    readonly head: SignedHead;
    readonly path: readonly string[];
}

type HandedPart = Pick<TaskChild, 'agentId' | 'id' | 'status'>;

type Handle = (payload: JsonValue, context: RequestContext) => MaybePromise<Answer | undefined> | AsyncIterable<Answer>;

type Handled = MaybePromise<ContentValue | undefined | void> | AsyncIterable<ContentValue>;

type HookAnswer = 'told' | 'gone' | 'later' | {
    readonly later: number;
};

interface HookCarrier {
    readonly tenant: string;
    readonly owner: string;
    readonly authority: TaskAuthority;
}

interface HookNotice {
    readonly hook: TaskHook;
    readonly step: TaskStep;
    readonly isLast: boolean;
    readonly deliveryId: string;
    readonly earlier: () => AsyncIterable<TaskStep>;
}

interface HookPlace {
    readonly tenant: string;
    readonly owner: string;
    readonly id: string;
    readonly key: string;
    readonly hook: StoredHook;
}

interface HookTeller {
    tell(notice: HookNotice, signal: AbortSignal): Promise<HookAnswer>;
}

interface HowOptions {
    readonly signal: AbortSignal;
    readonly timeoutMs?: number;
}

interface Idempotency {
    readonly id: string;
    readonly digest: string;
    readonly isDerived?: boolean;
    readonly rerun?: 'retryable' | ((ended: Task) => boolean);
    readonly extends?: true;
}

interface Identity {
    readonly agent_id: string;
    readonly name: string;
    readonly instance: string;
    readonly role: string;
}

interface IdentityOptions {
    readonly crypto?: CryptoProvider;
    readonly nowMs?: number;
    readonly lifetimeMs?: number;
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

interface InventoryOptions {
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
}

type InventoryPart = 'spaces' | 'logs' | 'tallies';

type JsonArray = readonly JsonValue[];

interface JsonContentDefinition extends ContentOptions {
    readonly schema: Schema;
    readonly handle: (payload: JsonValue, context: RequestContext) => Handled;
}

interface JsonTool extends ToolOptions {
    readonly args: Schema;
    readonly run: (args: JsonObject, context: ToolContext) => ToolOutput;
}

interface JwsSignature {
    readonly protected: string;
    readonly signature: string;
}

interface JwsSigner extends SignerKey {
    readonly keys: readonly SignerKey[];
    sign(header: JsonObject, payload: Uint8Array): Promise<JwsSignature>;
}

type Keepable = JsonValue | Message | readonly Keepable[] | {
    readonly [name: string]: Keepable;
};

interface KeptArtifact {
    readonly id: string;
    readonly parts: number;
    readonly length?: number;
    readonly isComplete: boolean;
}

type KeyAlgorithm = 'ed25519' | 'x25519';

interface KeyBundle {
    readonly agentId: string;
    readonly rootKey: Uint8Array;
    readonly seq: number;
    readonly notBeforeMs: number;
    readonly notAfterMs: number;
    readonly keys: readonly BundleKey[];
    readonly document: SignedDocument;
}

type KeyUse = 'sig' | 'enc';

type KnownPeer = Peer | KeyBundle | PeerBundle;

type KnownPeers = PeerSource | PeerDirectory | readonly KnownPeer[];

interface ListOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
    readonly order?: ListOrder | undefined;
}

type ListOrder = 'oldest' | 'newest' | 'highest' | 'lowest';

interface ListTasks extends TaskFilter {
    readonly owner?: string | typeof EVERY_OWNER;
}

interface ListTasksOptions extends RemoteTaskOptions {
    readonly state?: string;
    readonly contextId?: string;
    readonly since?: number;
    readonly cursor?: string;
    readonly limit?: number;
}

interface ListWholeTasks extends TaskFilter, OwnerOption {
    readonly isWhole: true;
}

interface ListenContext {
    readonly receive: Receive;
    readonly tasks: TaskService;
    readonly tellHooks: ((face: string, teller: HookTeller) => void) | undefined;
    readonly limits: Limits;
    readonly refuse: (error: SdlError) => Promise<Reply>;
    readonly isReady: () => Promise<boolean>;
    readonly agentDocument: () => Promise<Uint8Array>;
    readonly metrics: () => string;
    readonly authenticate: (shown: Shown) => Promise<Authenticated>;
    readonly schemes: (face: string) => CallerSchemes;
    readonly admit: (face: string, facts: PeerFacts) => FaceTicket;
    readonly about: () => AgentFacts;
    readonly signer: () => JwsSigner | undefined;
    readonly refused: (refusal: FaceRefusal) => void;
    readonly onError: (cause: unknown) => void;
    readonly readTask: (payload: JsonValue) => Omit<StartTask, 'source' | 'idempotency'>;
    readonly open: (request: CarriedRequest) => Promise<OpenedRequest>;
    readonly seal: (facts: JsonObject, answer: CarriedAnswer) => Promise<JsonObject>;
    readonly mustSeal: (agentId: string) => Promise<boolean>;
    readonly hasSealed: (agentId: string) => Promise<void>;
    readonly digest: (payload: JsonValue) => Uint8Array;
    readonly bundle: () => KeyBundle | undefined;
}

interface LogRecord {
    readonly position: number;
    readonly value: Uint8Array;
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
    readonly source?: MessageSource;
}

type MessageFacts = Partial<Pick<RequestContext, 'request' | 'peer' | 'mode' | 'keyThumbprint' | 'afterGeneration'>>;

interface MessageOptions extends OwnerOption {
    readonly answers?: number;
    readonly hook?: NewHook;
    readonly carrier?: Principal;
}

interface MessageSource {
    readonly face: string;
    readonly value: JsonObject;
}

type MessageType = 'req' | 'res' | 'evt';

type NewAuditEntry = ReceivedEntry | ReplyEntry | OperationEntry;

interface NewEntry extends EntryOptions {
    readonly value: Uint8Array;
}

interface NewHook {
    readonly id?: string;
    readonly isNamedAfterTask?: boolean;
    readonly facts: JsonObject;
    readonly lane?: string;
}

type OnPeerError = (error: PeerError, context: RequestContext) => MaybePromise<void>;

type OnToolResult = (result: ToolResult, context: RequestContext) => MaybePromise<void>;

interface OnePart {
    readonly text?: string;
    readonly json?: JsonValue;
    readonly bytes?: Uint8Array;
    readonly url?: string;
    readonly mediaType?: string;
    readonly filename?: string;
}

interface OpenedRequest {
    readonly id: string;
    readonly ct: string;
    readonly payload: JsonValue;
    readonly agentId: string;
    readonly mode: SecurityMode;
    readonly key: string;
    readonly use: ReplayVerdict;
    readonly facts: JsonObject;
    call(facts: Pick<CallContext, 'face' | 'received' | 'signal' | 'now'>): CallContext;
}

type Operation = ({
    readonly type: 'add';
    readonly space: string;
    readonly key: string;
} & NewEntry) | ({
    readonly type: 'put';
    readonly space: string;
    readonly key: string;
} & NewEntry & VersionCondition) | ({
    readonly type: 'delete';
    readonly space: string;
    readonly key: string;
} & VersionCondition)
 | {
    readonly type: 'check';
    readonly space: string;
    readonly key: string;
    readonly ifVersion: number;
}
 | ({
    readonly type: 'append';
    readonly log: string;
    readonly values: readonly Uint8Array[];
} & AppendOptions)
 | {
    readonly type: 'drop';
    readonly log: string;
} | TallyOperation;

interface OperationEntry {
    readonly kind: 'operation';
    readonly id: string;
    readonly from: string;
    readonly face: string;
    readonly operation: string;
    readonly task?: string;
    readonly verdict: string;
    readonly evidence?: string;
    readonly raw?: string;
}

type OperationName = 'start' | 'message' | 'get' | 'list' | 'follow' | 'cancel' | 'hook' | 'hooks' | 'unhook';

interface OperationalKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly notAfterMs: number;
    readonly key: SecretKey;
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

interface OwnIdentity {
    readonly agentId: string;
    readonly root?: OwnSecret;
    readonly bundle?: KeyBundle;
    readonly keys: readonly OwnKey[];
}

interface OwnKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly notAfterMs: number;
    readonly key: OwnSecret;
}

interface OwnSecret {
    readonly publicKey: Uint8Array;
    reveal(): Uint8Array;
}

interface OwnerOption {
    readonly owner?: string;
}

interface Page {
    readonly entries: readonly Entry[];
    readonly next: string | undefined;
}

type Part = TextPart | DataPart | BytesPart | UrlPart;

interface PartFacts {
    readonly mediaType?: string;
    readonly filename?: string;
    readonly metadata?: JsonObject;
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
    readonly sealed?: SealedPolicy;
    readonly switches: ReadonlySet<CompatSwitch>;
    readonly signingKeyRule?: (key: PeerKey) => PeerKey | undefined;
    readonly rootKeyRule?: (key: PeerKey) => PeerKey | undefined;
    readonly mayGrant: boolean;
    readonly certificates?: readonly string[];
}

interface PeerBundle {
    readonly bundle: KeyBundle;
    readonly endpoints?: readonly string[];
    readonly name?: string;
}

interface PeerDirectory {
    find(agentId: string): Peer | undefined;
    findByCertificate?(fingerprint: string): Peer | undefined;
    restrict?(stranger: Peer): Peer;
}

interface PeerError {
    readonly code: WireCode;
    readonly message: string;
    readonly details: JsonObject;
    readonly retryable: boolean;
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

interface Placed {
    readonly generation: number;
    readonly at: number;
}

interface PolicyOptions {
    readonly agentIds: readonly string[];
    readonly aliases?: readonly string[];
    readonly profile?: SecurityProfile;
    readonly switches?: readonly CompatSwitch[];
    readonly minMode?: SecurityMode;
    readonly minModeByContentType?: Readonly<Record<string, SecurityMode>>;
    readonly open?: boolean;
    readonly strangerContentTypes?: readonly string[];
    readonly skewMs?: number;
    readonly maxWindowMs?: number;
}

interface Principal {
    readonly id: string;
    readonly tenant: string;
    readonly scheme: string;
    readonly caller?: string;
    readonly expiresAt?: number;
}

interface ProofDocument extends JsonObject {
    readonly id: string;
    readonly head: SignedHead;
    readonly entries: readonly ProvenEntry[];
}

interface ProvenEntry extends JsonObject {
    readonly seq: number;
    readonly entry: JsonObject;
    readonly path: readonly string[];
}

type ProviderName = 'sodium' | 'native' | 'noble';

interface PublicKey {
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
}

interface PutOptions extends EntryOptions, VersionCondition {
}

type RandomBytes = (length: number) => Uint8Array;

interface RateLimiter {
    take(key: string, limits: RateLimits): Awaitable<boolean>;
}

interface RateLimits {
    readonly ratePerSecond: number;
    readonly burst: number;
}

interface Receipt extends SignedDocument {
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly node: string;
    readonly seq: number;
    readonly head: ReceiptHead;
}

interface ReceiptBookOptions {
    readonly store: Pick<Store, 'add' | 'count' | 'delete' | 'list' | 'purge'>;
    readonly crypto: CryptoProvider;
    readonly keepMs?: number;
    readonly max?: number;
    readonly now?: () => number;
}

interface ReceiptContent {
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly seq: number;
}

interface ReceiptHead extends JsonObject {
    readonly size: number;
    readonly root: string;
    readonly time: string;
}

type ReceiptSettings = Pick<ReceiptBookOptions, 'keepMs' | 'max'>;

type Receive = (inbound: Inbound) => AsyncIterable<Reply>;

interface Received {
    readonly bytes: Uint8Array;
    readonly isSecret?: true;
    readonly mediaType: string;
    readonly version?: string;
    readonly transport?: string;
    readonly sentAt?: string;
    readonly taskId?: string;
    readonly messageId?: string | null;
}

interface ReceivedArtifacts {
    readonly items: readonly ArtifactItem[];
    readonly refs: readonly ArtifactRef[];
}

interface ReceivedEntry {
    readonly kind: 'request' | 'event';
    readonly id: string;
    readonly from: string;
    readonly ct: string;
    readonly mode: SecurityMode;
    readonly req: string;
    readonly kid?: string;
    readonly transport: string;
}

interface Recipient {
    readonly kid: string;
    readonly eph: string;
    readonly wn: string;
    readonly ek: string;
}

interface RegisteredTool {
    readonly name: string;
    readonly isRead: boolean;
    readonly description: ToolDescription;
    readonly parseArgs: (args: JsonObject) => MaybePromise<unknown>;
    readonly run: (args: unknown, context: ToolContext) => ToolOutput;
    readonly checkResult: (result: JsonValue) => MaybePromise<void>;
}

interface RemoteArtifact extends Artifact {
    readonly append: boolean;
    readonly items: readonly ArtifactItem[];
}

interface RemoteErrorProof {
    readonly isProven: boolean;
    readonly isSigned: boolean;
    readonly knowsSeq: number | undefined;
}

interface RemoteQuestion {
    readonly message: Message;
    readonly content: JsonValue;
    readonly generation?: number;
}

interface RemoteTaskOptions extends ExchangeOptions {
    readonly owner?: string;
}

interface RemoteTaskPage {
    readonly tasks: readonly RemoteTaskSummary[];
    readonly next?: string;
    readonly total?: number;
}

interface RemoteTaskSummary {
    readonly id: string;
    readonly owner: string;
    readonly status: string;
    readonly generation: number;
    readonly goal: string;
    readonly kind?: string;
    readonly parent?: string;
    readonly contextId?: string;
    readonly progress?: NonNullable<RemoteTask['progress']>;
    readonly failure?: NonNullable<RemoteTask['failure']>;
    readonly createdAt?: number;
    readonly updatedAt?: number;
    readonly document: JsonObject;
}

type ReplayVerdict = FirstUse | Retry;

interface Reply {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly type: 'res' | 'evt';
    readonly status: number;
    readonly generation?: number;
}

interface ReplyEntry {
    readonly kind: 'reply';
    readonly id: string;
    readonly re: string;
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly of: number;
}

interface ReplyOptions extends RemoteTaskOptions {
    readonly generation?: number;
}

interface Retry {
    readonly kind: 'retry';
    readonly reply: Promise<Uint8Array>;
}

interface Rights {
    of(principal: Principal): Standing | undefined;
}

interface RunControls {
    readonly signal: AbortSignal;
    readonly deadline: number;
    readonly attempt: number;
    readonly restored: Keepable | undefined;
    readonly artifacts: readonly Pick<Artifact, 'id' | 'name' | 'isComplete'>[];
    newId(): string;
    report(change: TaskChange): Promise<TaskEvent | undefined>;
    ask(question: Message | undefined, kind: 'input' | 'auth'): Promise<Message>;
    next(): Promise<Message>;
    answer(message: Message, isTask: boolean): Promise<TaskEvent | undefined>;
    keep(value: Keepable): Promise<void>;
}

type SaidWords = Omit<MessageContent, 'id' | 'role'>;

type Schema = JsonObject | boolean;

type SchemaDescriptor = EmbeddedDescriptor | UriDescriptor;

interface SdlErrorOptions {
    readonly details?: ErrorDetails;
    readonly cause?: unknown;
}

type SealedPolicy = 'none' | 'prefer' | 'require';

interface Sec {
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

declare class SecretKey implements PublicKey {
    #private;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    constructor(alg: KeyAlgorithm, secret: Uint8Array, crypto: CryptoProvider);
    static generate(alg: KeyAlgorithm, crypto: CryptoProvider): SecretKey;
    reveal(): Uint8Array;
}

type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

type SecurityProfile = 'hardened' | 'compat';

type SetTimer = (callback: () => void, delayMs: number) => () => void;

type ShareClass = 'operator' | 'known' | 'stranger';

interface ShareOptions {
    readonly maxTasks?: number;
    readonly maxTasksPerOwner?: number;
    readonly maxHeldBytes?: number;
    readonly maxHeldBytesPerOwner?: number;
}

interface SharedOptions {
    readonly replayStore?: EntryStore;
    readonly rateLimiter?: RateLimiter;
}

interface Shown {
    readonly face: string;
    readonly address: string;
    readonly authorization?: string;
    readonly apiKey?: string;
    readonly certificate?: string;
    readonly isLocalOwner?: boolean;
}

interface SignedDocument extends JsonObject {
    readonly sig: string;
}

interface SignedHead extends SignedDocument {
    readonly node: string;
    readonly size: number;
    readonly root: string;
    readonly time: string;
    readonly kid: string;
}

interface SignerKey {
    readonly kid: string;
    readonly publicKey: Uint8Array;
}

type SigningForm = 'jcs' | 'python' | 'cbor';

interface SpokenProgress {
    readonly words: Words;
    readonly fraction?: number;
}

type StageName = 'admit' | 'decode' | 'shape' | 'version' | 'address' | 'policy' | 'verify' | 'freshness' | 'replay' | 'contact' | 'session' | 'decrypt' | 'bind' | 'schema' | 'sender_schema' | 'authorize' | 'audit' | 'route';

interface StandardContentDefinition<S extends StandardSchema> extends ContentOptions {
    readonly schema: S;
    readonly jsonSchema?: Schema;
    readonly handle: (payload: StandardOutput<S>, context: RequestContext) => Handled;
}

interface StandardIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}

type StandardOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

type StandardResult<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly StandardIssue[];
};

interface StandardTool<S extends StandardSchema> extends ToolOptions {
    readonly args: S;
    readonly run: (args: StandardOutput<S>, context: ToolContext) => ToolOutput;
}

interface Standing {
    readonly share: ShareClass;
    readonly isAdmin: boolean;
    allows(wish: Wish): boolean;
}

interface StartTask extends Omit<TaskRequest, 'message' | 'source'> {
    readonly message: MessageContent;
    readonly source?: TaskSource;
    readonly hook?: NewHook;
    readonly carrier?: Principal;
}

interface StartedTask {
    readonly task: Task;
    readonly isNew: boolean;
}

interface StateBook {
    readonly get: (agentId: string, name: string) => Promise<StateDocument>;
    readonly apply: (agentId: string, name: string, payload: StatePayload) => Promise<StateDocument>;
}

interface StateChange {
    readonly name: string;
    readonly document: StateDocument;
}

interface StateDocument {
    readonly value: JsonValue;
    readonly hash: ContentHash;
}

interface StateOptions {
    readonly book: StateBook;
    readonly onChange?: (change: StateChange, context: RequestContext) => MaybePromise<void>;
}

interface StatePayload {
    readonly base: string;
    readonly patch: JsonValue;
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

interface Store extends EntryStore {
    list(space: string, options?: ListOptions): Promise<Page>;
    append(log: string, values: readonly Uint8Array[], options?: AppendOptions): Promise<AppendResult>;
    read(log: string, from: number, limit?: number): Promise<readonly LogRecord[]>;
    length(log: string): Promise<number>;
    watch(log: string, from: number, options?: WatchOptions): AsyncIterable<LogRecord>;
    tally(name: string): Promise<Tally>;
    transact(operations: readonly Operation[], options?: TransactOptions): Promise<TransactResult>;
    inventory?(of: InventoryPart, options?: InventoryOptions): Promise<readonly string[]>;
}

interface StoredHook extends TaskHook {
    readonly face: string;
    readonly made: string;
    readonly authority: TaskAuthority;
    readonly carrier?: HookCarrier;
}

interface Tally {
    readonly count: number;
    readonly sum: number;
}

interface TallyOperation {
    readonly type: 'tally';
    readonly name: string;
    readonly count: number;
    readonly sum: number;
    readonly maxCount?: number | undefined;
    readonly maxSum?: number | undefined;
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

type TaskChange = StatusChange | MessageChange | ArtifactChange | DelegationChange;

interface TaskChild {
    readonly agentId: string;
    readonly id: string;
    readonly status: string;
    readonly deadline?: number;
    readonly children?: readonly TaskChild[];
    readonly isCut?: true;
}

interface TaskEngineOptions extends ShareOptions, TaskQueueOptions {
    readonly onTask: OnTask;
    readonly store?: Store;
    readonly node?: string;
    readonly isNodeExclusive?: boolean;
    readonly toolsFor?: (task: Task) => ToolBox;
    readonly delegationFor?: (task: Task, run: RunControls) => Delegation;
    readonly isAllowed?: (standing: TaskStanding) => boolean;
    readonly tellEnd?: {
        readonly operations: (ended: EndedTask) => readonly Operation[];
        readonly stored: () => void;
    };
    readonly tellHooks?: {
        readonly adding: (place: HookPlace, from: number) => readonly Operation[];
        readonly dropping: (place: HookPlace) => readonly Operation[];
        readonly notice: (key: string, hooks: readonly string[]) => void;
        readonly isTelling: (key: string, hooks: readonly string[]) => Promise<boolean>;
    };
    readonly retentionMs?: number;
    readonly maxRunMs?: number;
    readonly maxWaitMs?: number;
    readonly maxAttempts?: number;
    readonly retryDelayMs?: number;
    readonly recovery?: 'restart' | 'fail';
    readonly leaseMs?: number;
    readonly recoverEveryMs?: number;
    readonly purgeEveryMs?: number;
    readonly maxOutputBytes?: number;
    readonly maxEvents?: number;
    readonly maxPendingReports?: number;
    readonly maxCheckpointBytes?: number;
    readonly stopGraceMs?: number;
    readonly onClose?: 'release' | 'cancel';
    readonly onError?: (cause: unknown, task?: TaskSummary) => void;
    readonly onState?: (task: TaskSummary) => void;
    readonly now?: () => number;
    readonly newId?: () => string;
    readonly setTimer?: SetTimer;
}

interface TaskErrorOptions {
    readonly code?: string;
    readonly retryable?: boolean;
    readonly rejects?: boolean;
    readonly cancels?: boolean;
    readonly cause?: unknown;
}

type TaskEvent = StatusEvent | (MessageChange & Placed) | (ArtifactChange & Placed) | (DelegationChange & Placed);

interface TaskFacts {
    readonly id: string;
    readonly state: string;
    readonly failure?: {
        readonly code: string;
        readonly message: string;
    };
}

interface TaskFacts {
    readonly inputs?: JsonObject;
    readonly constraints?: JsonObject;
    readonly deliverables?: readonly JsonObject[];
    readonly acceptance?: readonly string[];
    readonly context?: JsonObject;
    readonly id?: string;
}

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

interface TaskHook extends Omit<NewHook, 'isNamedAfterTask'> {
    readonly id: string;
    readonly number: number;
    readonly createdAt: number;
}

type TaskMessage = Omit<MessageContent, 'id' | 'role'> & {
    readonly id?: string;
};

interface TaskPage {
    readonly tasks: readonly TaskSummary[];
    readonly next?: string;
    readonly total: number;
}

interface TaskProgress {
    readonly message: string;
    readonly fraction?: number;
}

interface TaskQueueOptions {
    readonly maxConcurrent?: number;
    readonly maxConcurrentPerOwner?: number;
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

type TaskResult = JsonValue | Message | TaskEvent | undefined | void;

interface TaskService {
    authorize(call: CallContext, operation: OperationName): Promise<void>;
    start(call: CallContext, start: StartTask): Promise<StartedTask>;
    message(call: CallContext, id: string, message: MessageContent, options?: MessageOptions): Promise<Task>;
    carried(call: CallContext, id: string): Promise<CallContext | undefined>;
    get(call: CallContext, id: string, options?: GetOptions): Promise<Task | undefined>;
    list(call: CallContext, options: ListWholeTasks): Promise<WholeTaskPage>;
    list(call: CallContext, options?: ListTasks): Promise<TaskPage>;
    follow(call: CallContext, id: string, after?: number, options?: FollowTask): AsyncIterable<TaskStep>;
    readonly sent: TellSent;
    cancel(call: CallContext, id: string, options?: OwnerOption): Promise<CanceledTask | undefined>;
    setHook(call: CallContext, id: string, hook: NewHook): Promise<TaskHook>;
    hooks(call: CallContext, id: string): Promise<readonly TaskHook[]>;
    dropHook(call: CallContext, id: string, hookId: string): Promise<void>;
}

type TaskSettings = Pick<TaskEngineOptions, 'maxTasks' | 'maxTasksPerOwner' | 'maxHeldBytes' | 'maxConcurrent' | 'maxConcurrentPerOwner' | 'retentionMs' | 'maxRunMs' | 'maxWaitMs' | 'maxAttempts' | 'retryDelayMs' | 'maxOutputBytes' | 'leaseMs' | 'node' | 'isNodeExclusive' | 'recoverEveryMs' | 'recovery' | 'onClose'>;

interface TaskSource {
    readonly face: string;
    readonly value: JsonValue;
}

interface TaskStanding {
    readonly tenant: string;
    readonly owner: string;
    readonly authority: TaskAuthority;
}

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

interface TaskTools {
    has(name: string): boolean;
    list(): readonly string[];
    call(name: string, args: JsonObject): Promise<JsonValue>;
}

type TellSent = Witness['sent'];

interface TextPart extends PartFacts {
    readonly text: string;
}

interface TimeoutOptions {
    readonly handlerMs?: number;
    readonly joinMs?: number;
}

interface ToolBox {
    has(name: string): boolean;
    list(): readonly string[];
    call(name: string, args: JsonObject, signal: AbortSignal): Promise<JsonValue>;
}

type ToolDescription = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly args: Schema;
    readonly result: Schema;
    readonly hash: ContentHash;
};

interface ToolErrorOptions {
    readonly code?: string;
    readonly retryable?: boolean;
    readonly cause?: unknown;
}

interface ToolOptions {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly isRead?: boolean;
    readonly result?: Schema | StandardSchema;
    readonly jsonSchema?: {
        readonly args?: Schema;
        readonly result?: Schema;
    };
}

type ToolOutput = MaybePromise<JsonValue | Answer | undefined | void> | AsyncIterable<JsonValue | Answer>;

declare class ToolRegistry {
    #private;
    constructor({ builtins }?: ToolRegistryOptions);
    add(tool: Tool): this;
    find(name: string): RegisteredTool | undefined;
    names(): string[];
    list(): ToolDescription[];
}

interface ToolRegistryOptions {
    readonly builtins?: boolean;
}

interface ToolResult {
    readonly call_id: string;
    readonly ok: boolean;
    readonly result: JsonValue;
    readonly logs: readonly string[];
    readonly metrics: JsonObject;
}

interface Trace {
    readonly root_id: string;
    readonly span_id: string;
    readonly parent_span_id?: string;
    readonly hops: number;
    readonly audit?: JsonObject;
}

interface TransactOptions {
    readonly isGiven?: boolean;
}

type TransactResult = {
    readonly ok: true;
    readonly results: readonly number[];
} | {
    readonly ok: false;
    readonly failed: number;
    readonly found: number;
};

type TransportFault = 'unreachable' | 'lost' | 'refused' | 'forbidden' | 'timeout' | 'protocol' | 'aborted';

interface TrustOptions {
    readonly approvers?: ReadonlyMap<string, Uint8Array>;
    readonly quorum?: number;
    readonly taskAdmins?: readonly string[];
}

interface UriDescriptor {
    readonly kind: 'uri';
    readonly id: ContentHash;
    readonly uri: string;
}

interface UrlPart extends PartFacts {
    readonly url: string;
}

type Verdict = 'ok' | ErrorCode;

type VerifiedRequest = Envelope & {
    readonly [verified]: true;
};

interface VersionCondition {
    readonly ifVersion?: number | undefined;
}

interface VersionPolicyOptions {
    readonly peerName?: string;
    readonly minPeerVersion?: string;
    readonly maxPeerVersion?: string;
    readonly contentTypes?: Readonly<Record<string, ContentTypePolicy>>;
    readonly now?: () => number;
}

interface WatchOptions {
    readonly signal?: AbortSignal | undefined;
}

interface WatchTaskOptions extends RemoteTaskOptions, AwayOptions {
    readonly after?: number;
    readonly timeoutMs?: number;
}

interface WholeTaskPage extends TaskPage {
    readonly whole: readonly Task[];
}

type Wish = {
    readonly ct: string;
} | {
    readonly tool: string;
};

interface Witness {
    open(agent: WitnessAgent): Promise<void>;
    accepted(accepted: AcceptedMessage): Promise<EvidenceHashes | undefined>;
    sent(call: CallContext, step: TaskStep): void;
    stats(): WitnessStats;
    close(): Promise<void>;
}

interface WitnessAgent {
    readonly agentId: string;
    readonly now: () => number;
    readonly onError: (cause: unknown) => void;
}

interface WitnessStats {
    readonly isWell: boolean;
    readonly written: number;
    readonly lost: number;
    readonly failures: number;
}

type Words = string | Part | readonly Part[] | Pick<MessageContent, 'parts' | 'metadata' | 'extensions' | 'references'>;

interface WriteResult {
    readonly ok: boolean;
    readonly version: number;
}

declare const verified: unique symbol;
