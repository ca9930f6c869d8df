// a2a-sdl/profiles/a2a: 64 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface A2aAgent {
    readonly cardUrl: string;
    readonly card: KnownCard;
    readonly proof: CardProof;
    readonly chosen: ChosenInterface;
    send(asked: AskedMessage, options?: A2aCallOptions): Promise<A2aSent>;
    stream(asked: AskedMessage, options?: A2aCallOptions): AsyncGenerator<NumberedEvent>;
    get(id: string, options?: A2aCallOptions & {
        readonly historyLength?: number;
    }): Promise<A2aTask>;
    list(asked?: AskedList, options?: A2aCallOptions): Promise<A2aPage>;
    cancel(id: string, options?: A2aCallOptions): Promise<A2aTask>;
    subscribe(id: string, options?: A2aSubscribeOptions): AsyncGenerator<NumberedEvent>;
    follow(start: FollowedFrom, options: Following): ReturnType<typeof followTask>;
    createHook(taskId: string, hook: A2aHook, options?: A2aCallOptions): Promise<A2aHook>;
    getHook(taskId: string, id: string, options?: A2aCallOptions): Promise<A2aHook>;
    listHooks(taskId: string, options?: A2aCallOptions): Promise<readonly A2aHook[]>;
    deleteHook(taskId: string, id: string, options?: A2aCallOptions): Promise<void>;
    extendedCard(options?: A2aCallOptions): Promise<KnownCard>;
}

export interface A2aAnswer {
    readonly message: Message;
    readonly contextId?: string;
}

export interface A2aBridge {
    readonly onTask: OnTask;
    readonly cancelHanded: (part: HandedPart, signal: AbortSignal) => Promise<void>;
}

export interface A2aBridgeOptions extends A2aClientOptions {
    readonly upstreams: Readonly<Record<string, string | UpstreamSettings>>;
    readonly maxAwayMs?: number;
    readonly doubtMs?: number;
    readonly onNotice?: (words: string, task: {
        readonly id: string;
        readonly owner: string;
    }) => void;
}

export interface A2aCallOptions {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    readonly extensions?: readonly string[];
}

export interface A2aClientOptions {
    readonly credentials?: readonly BoundCredential[] | (() => readonly BoundCredential[]);
    readonly pin?: (origin: string, cardUrl: string) => CardPin | undefined;
    readonly prefer?: InterfaceWish;
    readonly typedUrls?: readonly string[];
    readonly ca?: string;
    readonly extensions?: readonly string[];
    readonly stream?: Partial<StreamCaps>;
    readonly timeoutMs?: number;
    readonly retries?: number;
    readonly limits?: Partial<Limits>;
    readonly lookup?: NonNullable<GuardedFetchOptions['lookup']>;
    readonly now?: () => number;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type A2aCredential = {
    readonly scheme: 'bearer';
    readonly token: string;
} | {
    readonly scheme: 'api-key';
    readonly key: string;
    readonly header?: string;
} | {
    readonly scheme: 'basic';
    readonly user: string;
    readonly password: string;
} | {
    readonly scheme: 'oauth2';
    readonly tokenUrl: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scope?: string;
}
 | {
    readonly scheme: 'certificate';
    readonly cert: string;
    readonly key: string;
};

export interface A2aDialectOptions extends A2aClientOptions {
    readonly agents?: Readonly<Record<string, string>> | ((name: string) => string | undefined);
    readonly onConnect?: (agent: A2aAgent) => void;
}

export type A2aEvent = {
    readonly type: 'task';
    readonly task: A2aTask;
} | ({
    readonly type: 'message';
} & A2aAnswer) | {
    readonly type: 'status';
    readonly taskId: string;
    readonly contextId?: string;
    readonly status: A2aStatus;
    readonly isLast: boolean;
} | {
    readonly type: 'artifact';
    readonly taskId: string;
    readonly contextId?: string;
    readonly artifact: ArtifactContent;
    readonly append: boolean;
    readonly last: boolean;
};

export interface A2aHook {
    readonly id?: string;
    readonly url: string;
    readonly token?: string;
    readonly authentication?: {
        readonly scheme: string;
        readonly credentials?: string;
    };
}

export interface A2aOptions extends Omit<CardDetails, 'inputModes'> {
    readonly profile?: Profile;
    readonly card?: 'strict' | 'superset';
    readonly streaming?: boolean;
    readonly pushNotifications?: boolean;
    readonly allowLoopbackHooks?: boolean;
    readonly signHooks?: boolean;
    readonly hookFetch?: HookFetch;
    readonly inputModes?: readonly string[];
    readonly contextIds?: 'accept' | 'refuse';
    readonly extensions?: readonly KnownExtension[];
    readonly sealed?: SealedPolicy;
    readonly grpc?: GrpcOptions;
    readonly security?: NonNullable<CardOptions['security']>;
    readonly extended?: NonNullable<CardOptions['extended']>;
    readonly client?: A2aDialectOptions;
}

export interface A2aPage {
    readonly tasks: readonly A2aTask[];
    readonly nextPageToken?: string;
    readonly totalSize?: number;
}

export declare class A2aRemoteError extends RemoteError {
    readonly kind: Kind;
    readonly words: string;
    readonly rpcCode: number | undefined;
    readonly status: number | undefined;
    readonly data: JsonValue | undefined;
    constructor(told: ToldRefusal);
}

export type A2aSent = {
    readonly task: A2aTask;
} | A2aAnswer;

export interface A2aStatus {
    readonly state: TaskState | 'unknown';
    readonly at?: number;
    readonly message?: Message;
}

export interface A2aStep {
    readonly task: A2aTask;
    readonly piece?: ArtifactPiece;
    readonly isWhole?: true;
    readonly eventId?: string;
}

export interface A2aSubscribeOptions extends A2aCallOptions {
    readonly lastEventId?: string;
}

export interface A2aTask {
    readonly id: string;
    readonly contextId?: string;
    readonly status: A2aStatus;
    readonly artifacts: readonly Artifact[];
    readonly history: readonly Message[];
    readonly metadata?: JsonObject;
}

export interface A2aTransport extends Transport, Dialect {
}

export interface AnsweredStep extends A2aAnswer {
    readonly type: 'answer';
}

export interface AskedList {
    readonly contextId?: string;
    readonly state?: TaskState;
    readonly since?: number;
    readonly pageSize?: number;
    readonly pageToken?: string;
    readonly historyLength?: number;
    readonly includeArtifacts?: boolean;
}

export interface AskedMessage {
    readonly message: MessageContent;
    readonly taskId?: string;
    readonly contextId?: string;
    readonly isWaiting?: boolean;
    readonly historyLength?: number;
    readonly acceptedOutputModes?: readonly string[];
    readonly metadata?: JsonObject;
    readonly hook?: A2aHook;
}

export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

export type BoundCredential = A2aCredential & {
    readonly origin: string;
};

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

export interface CardPin {
    readonly keys?: readonly CardKey[];
    readonly origins?: readonly string[];
}

export type CardProof = {
    readonly kind: 'signed';
    readonly by: 'pinned key' | 'key of its own origin';
    readonly key: CardKey;
    readonly alg: CardAlgorithm;
    readonly form: 'spec' | 'sdk';
}
 | {
    readonly kind: 'unsigned' | 'unjudged';
    readonly reason: string;
};

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

export interface ChosenInterface {
    readonly url: string;
    readonly binding: Binding;
    readonly version: SpokenVersion;
    readonly tenant?: string;
    readonly shape: Shape;
    readonly reason: string;
}

export interface GrpcOptions {
    readonly host?: string;
    readonly port: number;
    readonly tls?: TlsOptions;
    readonly publicUrl?: string;
    readonly requestTimeoutMs?: number;
    readonly stalledWriteTimeoutMs?: number;
    readonly maxConnections?: number;
    readonly maxConnectionsPerAddress?: number;
    readonly maxCallsPerConnection?: number;
}

export type HookBody = AsyncIterable<Uint8Array> | {
    getReader(): {
        read(): Promise<{
            readonly done: boolean;
            readonly value?: Uint8Array | undefined;
        }>;
        cancel(): Promise<unknown>;
    };
};

export interface HookDelivery {
    readonly event: A2aEvent;
    readonly taskId?: string;
    readonly version: SpokenVersion;
    readonly id?: string;
    readonly token?: string;
    readonly mayBeRepeat: boolean;
}

export type HookFetch = Pick<FetchLimits, 'timeoutMs' | 'lookup' | 'ca' | 'clientCertificate'>;

export interface HookReceiver {
    readonly handler: (request: NodeHookRequest, response: NodeHookResponse) => void;
    receive(request: HookRequest): Promise<HookResponse>;
}

export interface HookReceiverOptions {
    readonly onEvent: (delivery: HookDelivery) => unknown;
    readonly token?: string | readonly string[];
    readonly authorization?: string | readonly string[];
    readonly accepts?: (shown: ShownByHook) => boolean | Promise<boolean>;
    readonly maxBytes?: number;
    readonly timeoutMs?: number;
    readonly remembers?: number;
    readonly maxAtOnce?: number;
}

export interface HookRequest {
    readonly method: string;
    readonly headers: {
        get(name: string): string | null;
    };
    readonly body: HookBody | null;
}

export interface HookResponse {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
}

export interface InterfaceWish {
    readonly binding?: Binding;
    readonly version?: SpokenVersion;
}

export interface KnownCard {
    readonly name: string;
    readonly description: string;
    readonly version: string;
    readonly streaming: boolean;
    readonly pushNotifications: boolean;
    readonly extendedCard: boolean;
    readonly requiredExtensions: readonly string[];
    readonly extensions: readonly string[];
    readonly skills: readonly KnownSkill[];
    readonly interfaces: readonly OfferedInterface[];
    readonly schemes: readonly string[];
    readonly apiKeyHeader?: string;
    readonly document: JsonObject;
}

export interface KnownExtension {
    readonly uri: string;
    readonly required?: boolean;
}

export interface NodeHookRequest {
    readonly method?: string | undefined;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
    readonly readableDidRead: boolean;
    iterator(options: {
        readonly destroyOnReturn: boolean;
    }): AsyncIterable<Uint8Array>;
}

export interface NodeHookResponse {
    writeHead(status: number, headers: Record<string, string>): unknown;
    end(body?: string): unknown;
}

export interface NumberedEvent {
    readonly event: A2aEvent;
    readonly id?: string;
}

export type Profile = '1.0.0' | '1.0.1';

export interface ReceivedDelivery {
    readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
    readonly body: Uint8Array;
}

export interface ShownByHook {
    readonly token?: string;
    readonly authorization?: string;
}

export type SpokenVersion = '1.0' | '0.3' | 'draft';

export interface UpstreamSettings {
    readonly url: string;
    readonly idempotent?: boolean;
    readonly client?: A2aClientOptions;
}

export interface VerifiedDelivery {
    readonly agentId: string;
    readonly deliveryId: string;
    readonly version: string;
    readonly isLast: boolean;
    readonly atMs: number;
    readonly receipt: string;
}

export interface VerifyCardOptions {
    readonly keys: readonly CardKey[];
    readonly algorithms?: readonly CardAlgorithm[];
    readonly crypto?: Pick<CryptoProvider, 'verify'>;
}

export interface VerifyDeliveryOptions {
    readonly peers: KnownPeers;
    readonly url: string;
    readonly agentId?: string | undefined;
    readonly maxAgeMs?: number | undefined;
    readonly now?: (() => number) | undefined;
    readonly crypto?: CryptoProvider | undefined;
}

export declare function a2a(options?: A2aOptions): A2aTransport;

export declare function a2aBridge(options: A2aBridgeOptions): A2aBridge;

export declare function connectA2a(url: string, options?: A2aClientOptions & {
    readonly signal?: AbortSignal;
}): Promise<A2aAgent>;

export declare function createHookReceiver(options: HookReceiverOptions): HookReceiver;

export declare function securityOf(entries: readonly CallerEntry[], options?: CallerSecurityOptions): CardSecurity | undefined;

export declare function verifyCard(card: JsonValue, options: VerifyCardOptions): Promise<CardVerdict>;

export declare function verifyDelivery({ headers, body }: ReceivedDelivery, options: VerifyDeliveryOptions): Promise<VerifiedDelivery>;

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

interface AnswerOptions {
    readonly isTask?: boolean;
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

interface ArtifactFacts {
    readonly id?: string;
    readonly name?: string;
    readonly description?: string;
    readonly metadata?: JsonObject;
    readonly extensions?: readonly string[];
    readonly append?: boolean;
    readonly last?: boolean;
}

type ArtifactInput = ArtifactFacts & (OnePart | {
    readonly parts: readonly Part[];
});

interface ArtifactPiece {
    readonly artifact: ArtifactContent;
    readonly append: boolean;
    readonly last: boolean;
}

interface AskOptions {
    readonly kind?: 'input' | 'auth';
}

interface Authenticated {
    readonly principal: Principal;
    readonly ceiling?: Ceiling;
}

interface AuthorTask extends Task {
    readonly text: string;
    readonly data: JsonValue | undefined;
}

interface AwayOptions {
    readonly maxAwayMs?: number;
    readonly onAway?: (cause: unknown) => void;
    readonly onBack?: () => void;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Begun {
    readonly hasBegun: boolean;
    begin(): void;
    end(): Promise<void>;
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
    readonly extensions?: Live<readonly CardExtension[]>;
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

type CompatSwitch = 'label-id' | 'lax-dates' | 'long-exp' | 'no-replay' | 'unsigned-requests' | 'unsigned-replies' | 'plain-replies' | 'unbound-enc' | 'v1-trustsync' | 'v1-session';

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

interface DelegationChange {
    readonly type: 'delegation';
    readonly child: TaskChild;
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
    claim(agentId: string): MaybePromise<void>;
    stream(principalId: string): void;
    release(): void;
}

interface FetchLimits {
    readonly maxBytes?: number;
    readonly timeoutMs?: number;
    readonly allowHttp?: boolean;
    readonly allowRanges?: readonly string[];
    readonly ports?: readonly number[] | 'web';
    readonly lookup?: (host: string) => Promise<readonly HostAddress[]>;
    readonly ca?: string;
    readonly clientCertificate?: {
        readonly cert: string;
        readonly key: string;
    };
}

interface Field {
    readonly json: string;
    readonly name: string;
    readonly number: number;
    readonly type: FieldType;
    readonly isRepeated: boolean;
    readonly isRequired: boolean;
    readonly isOptional: boolean;
    readonly oneof?: string;
}

type FieldType = string;

type FieldValue = JsonValue | Uint8Array | Fields | readonly FieldValue[];

interface Fields {
    readonly [json: string]: FieldValue | undefined;
}

interface FirstUse {
    readonly kind: 'new';
    readonly complete: (reply: Uint8Array) => Promise<void>;
    readonly abandon: (cause?: unknown) => Promise<void>;
    readonly forget: (cause?: unknown) => Promise<void>;
    readonly fail: () => void;
}

interface FlowUrls {
    readonly tokenUrl: string;
    readonly refreshUrl?: string;
    readonly scopes: Readonly<Record<string, string>>;
}

interface FollowHow extends HowOptions, AwayOptions {
}

interface FollowOptions extends AwayOptions {
    readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
    readonly now: () => number;
    readonly signal: AbortSignal;
    readonly isOver: (task: A2aTask) => boolean;
    readonly isPassing?: (thrown: unknown) => boolean;
}

type FollowStart = FollowedSoFar & ({
    readonly events: AsyncIterable<NumberedEvent>;
} | {
    readonly taskId: string;
});

interface FollowTask extends OwnerOption {
    readonly isSilent?: boolean;
}

type FollowedFrom = FollowedSoFar & ({
    readonly send: AskedMessage;
} | {
    readonly taskId: string;
});

interface FollowedSoFar {
    readonly known?: A2aTask;
    readonly eventId?: string;
}

type Following = Omit<FollowOptions, 'now' | 'wait' | 'signal'> & A2aCallOptions;

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

interface GuardedFetchOptions extends FetchLimits {
    readonly allowLoopback?: boolean;
}

type HandedPart = Pick<TaskChild, 'agentId' | 'id' | 'status'>;

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

type HookWire = 'v1' | 'v03' | 'draft';

interface HostAddress {
    readonly address: string;
    readonly family: 4 | 6;
}

interface HowOptions {
    readonly signal: AbortSignal;
    readonly timeoutMs?: number;
}

interface HttpCall {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly headers: HttpHeaders;
    readonly peer: PeerFacts;
    readonly shown: Shown;
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

type Kind = 'TASK_NOT_FOUND' | 'TASK_NOT_CANCELABLE' | 'PUSH_NOTIFICATION_NOT_SUPPORTED' | 'UNSUPPORTED_OPERATION' | 'CONTENT_TYPE_NOT_SUPPORTED' | 'INVALID_AGENT_RESPONSE' | 'EXTENDED_AGENT_CARD_NOT_CONFIGURED' | 'EXTENSION_SUPPORT_REQUIRED' | 'VERSION_NOT_SUPPORTED' | 'PARSE_ERROR' | 'INVALID_REQUEST' | 'METHOD_NOT_FOUND' | 'INVALID_PARAMS' | 'INTERNAL_ERROR' | 'MEDIA_TYPE_NOT_SUPPORTED' | 'METHOD_NOT_ALLOWED' | 'TOO_LARGE' | 'WRONG_HOST' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED' | 'UNAVAILABLE' | 'DEADLINE_EXCEEDED' | 'ABORTED' | 'SDL_ENVELOPE_REJECTED';

type KnownPeer = Peer | KeyBundle | PeerBundle;

type KnownPeers = PeerSource | PeerDirectory | readonly KnownPeer[];

interface KnownSkill {
    readonly id: string;
    readonly name: string;
    readonly description: string;
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

interface Method {
    readonly request: string;
    readonly response: string;
    readonly isStream: boolean;
}

interface NewHook {
    readonly id?: string;
    readonly isNamedAfterTask?: boolean;
    readonly facts: JsonObject;
    readonly lane?: string;
}

interface OfferedInterface {
    readonly url: string;
    readonly binding: string;
    readonly version: string;
    readonly tenant?: string;
}

type OnTask = (task: AuthorTask, ctx: TaskContext) => Promise<TaskResult> | AsyncGenerator<TaskResult, TaskResult>;

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

type OperationName = 'start' | 'message' | 'get' | 'list' | 'follow' | 'cancel' | 'hook' | 'hooks' | 'unhook';

interface OwnerOption {
    readonly owner?: string;
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

interface PeerSource {
    snapshot(): PeerDirectory;
    get?(idOrName: string): Peer | undefined;
    list?(): readonly Peer[];
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

interface PushConfig {
    readonly wire: HookWire;
    readonly where: string;
    readonly id?: string;
    readonly url: string;
    readonly token?: string;
    readonly schemes?: readonly string[];
    readonly credentials?: string;
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

declare class RemoteError extends Error {
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

interface RemoteErrorProof {
    readonly isProven: boolean;
    readonly isSigned: boolean;
    readonly knowsSeq: number | undefined;
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

type SealedPolicy = 'none' | 'prefer' | 'require';

type Secret = {
    readonly sha256: string;
} | {
    readonly file: string;
};

type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

interface SendInput extends TenantInput {
    readonly version: '1.0' | '0.3' | 'draft';
    readonly message: MessageContent;
    readonly taskId?: string;
    readonly contextId?: string;
    readonly isWaiting: boolean;
    readonly historyLength?: number;
    readonly acceptedOutputModes: readonly string[];
    readonly metadata?: JsonObject;
    readonly push?: PushConfig;
}

interface Shape {
    readonly name: WireName;
    readonly version: SendInput['version'];
    readonly table: Table;
    readonly states: Readonly<Record<TaskState, string>>;
    readonly roles: Readonly<Record<'user' | 'agent', string>>;
    readonly content: 'parts' | 'content';
    readonly isKinded: boolean;
    readonly hasFinal: boolean;
    readonly writePart: (part: Part) => Fields;
    readonly readPart: (fields: Fields, where: string) => Part;
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

interface SignerKey {
    readonly kid: string;
    readonly publicKey: Uint8Array;
}

type SigningForm = 'jcs' | 'python' | 'cbor';

interface SpokenProgress {
    readonly words: Words;
    readonly fraction?: number;
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

interface StreamCaps {
    readonly idleMs: number;
    readonly maxEvents: number;
    readonly maxStreamBytes: number;
}

interface Table {
    readonly package: string;
    readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
    readonly messages: Readonly<Record<string, readonly Field[]>>;
    readonly service: Readonly<Record<string, Method>>;
}

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

interface TaskContext {
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

interface TaskPort {
    readonly isStreaming: boolean;
    readonly tellsTask?: boolean;
    get(id: string, signal: AbortSignal): Promise<A2aTask>;
    subscribe(id: string, lastEventId: string | undefined, signal: AbortSignal): AsyncIterable<NumberedEvent>;
}

interface TaskProgress {
    readonly message: string;
    readonly fraction?: number;
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

interface TaskTools {
    has(name: string): boolean;
    list(): readonly string[];
    call(name: string, args: JsonObject): Promise<JsonValue>;
}

type TellSent = Witness['sent'];

interface TenantInput {
    readonly tenant?: string;
}

interface TextPart extends PartFacts {
    readonly text: string;
}

interface TlsOptions {
    readonly cert?: string;
    readonly key?: string;
    readonly ca?: string;
    readonly requireClientCert?: boolean;
}

interface ToldRefusal {
    readonly kind: Kind;
    readonly words: string;
    readonly rpcCode?: number;
    readonly status?: number;
    readonly data?: JsonValue;
    readonly isRetryable?: boolean;
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

type WireName = 'v1' | 'v03-jsonrpc' | 'v03-rest' | 'draft';

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

declare function followTask(port: TaskPort, start: FollowStart, options: FollowOptions): AsyncGenerator<A2aStep | AnsweredStep, undefined>;
