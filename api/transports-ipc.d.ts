// a2a-sdl/transports/ipc: 2 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface IpcOptions extends ChannelOptions {
    readonly path?: string;
    readonly mode?: number;
    readonly port?: number;
    readonly host?: string;
    readonly frameTimeoutMs?: number;
}

export declare function ipc(options?: IpcOptions): Transport & Dialer;

// Reached from these.

interface AcceptedMessage {
    readonly call: CallContext;
    readonly operation: 'start' | 'message';
    readonly message: Message;
    readonly taskId?: string;
    readonly kind?: string;
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

interface DataPart extends PartFacts {
    readonly data: JsonValue;
}

declare class DecodedMessage {
    #private;
    constructor(bytes: Uint8Array, encoding: Encoding, limits: Limits);
    static valueOf(decoded: DecodedMessage | undefined, bytes: Uint8Array, encoding: Encoding, limits: Limits): JsonValue | undefined;
}

interface DelegationChange {
    readonly type: 'delegation';
    readonly child: TaskChild;
}

interface DialOptions {
    readonly limits: Limits;
    readonly connectTimeoutMs?: number;
}

interface Dialer {
    readonly schemes: readonly string[];
    dial(url: string, options: DialOptions): Promise<Connection>;
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

interface FollowTask extends OwnerOption {
    readonly isSilent?: boolean;
}

interface GetOptions extends OwnerOption {
    readonly historyLength?: number;
    readonly includeArtifacts?: boolean;
}

type HookAnswer = 'told' | 'gone' | 'later' | {
    readonly later: number;
};

interface HookNotice {
    readonly hook: TaskHook;
    readonly step: TaskStep;
    readonly isLast: boolean;
    readonly deliveryId: string;
    readonly earlier: () => AsyncIterable<TaskStep>;
}

interface HookTeller {
    tell(notice: HookNotice, signal: AbortSignal): Promise<HookAnswer>;
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

interface Listener {
    readonly name: string;
    readonly isFace?: boolean;
    readonly faces?: readonly Listener[];
    readonly urls: readonly string[];
    expectFaces?(): () => void;
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

interface MessageOptions extends OwnerOption {
    readonly answers?: number;
    readonly hook?: NewHook;
    readonly carrier?: Principal;
}

interface MessageSource {
    readonly face: string;
    readonly value: JsonObject;
}

interface NewHook {
    readonly id?: string;
    readonly isNamedAfterTask?: boolean;
    readonly facts: JsonObject;
    readonly lane?: string;
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

type OperationName = 'start' | 'message' | 'get' | 'list' | 'follow' | 'cancel' | 'hook' | 'hooks' | 'unhook';

interface Outbound {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly id: string;
    readonly spanId: string;
    readonly wantsStream: boolean;
    readonly afterGeneration?: number;
    readonly signal: AbortSignal;
}

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

type ReplayVerdict = FirstUse | Retry;

interface Reply {
    readonly bytes: Uint8Array;
    readonly encoding: Encoding;
    readonly type: 'res' | 'evt';
    readonly status: number;
    readonly generation?: number;
}

interface Retry {
    readonly kind: 'retry';
    readonly reply: Promise<Uint8Array>;
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

interface SignerKey {
    readonly kid: string;
    readonly publicKey: Uint8Array;
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

interface TaskHook extends Omit<NewHook, 'isNamedAfterTask'> {
    readonly id: string;
    readonly number: number;
    readonly createdAt: number;
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

type TellSent = Witness['sent'];

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
