// a2a-sdl/profiles/a2a/sealed: 29 names. Made by "npm run api" from the emitted declarations; not to be edited.

export declare class Exchange {
    #private;
    readonly agentId: string;
    readonly strength: Strength;
    readonly places: Places;
    readonly facts: JsonObject;
    constructor({ facts, agentId, strength, places }: ExchangeParts);
    event<T extends Said>(make: (turn: Turn) => Promise<T>, sha256: Sha256): Promise<T>;
    end<T>(make: (turn: Turn) => Promise<T>): Promise<T>;
    toJSON(): JsonObject;
    static from(given: JsonObject): Exchange;
}

export interface OpenOptions extends SealedOptions {
    readonly request?: object | readonly object[] | undefined;
    readonly historyLength?: number | undefined;
    readonly policy?: OpenPolicy | undefined;
}

export type OpenPolicy = 'require' | 'prefer' | 'report';

export interface OpenStreamOptions extends OpenOptions {
    readonly isResumed?: boolean | undefined;
}

export interface Opened<M = unknown, A = unknown> {
    readonly kind: 'request' | 'answer';
    readonly protection: Protection;
    readonly from?: string;
    readonly message?: M;
    readonly messages: readonly M[];
    readonly artifacts: readonly A[];
    readonly state?: TaskStateName;
    readonly claimedState?: TaskStateName;
    readonly isFinal: boolean;
    readonly receipt?: SealedReceipt;
    readonly missing: readonly number[];
    readonly problems: readonly Problem[];
    readonly mode?: Strength;
    readonly exchange?: Exchange;
}

export interface OpenedEvent {
    readonly protection: Protection;
    readonly messages: readonly object[];
    readonly artifacts: readonly object[];
    readonly isFinal: boolean;
    readonly state?: TaskStateName;
    readonly claimedState?: TaskStateName;
    readonly receipt?: SealedReceipt;
    readonly problems: readonly Problem[];
}

export interface Problem {
    readonly code: SealedCode;
    readonly where: string;
}

export type Protection = 'sealed' | 'signed' | 'detached' | 'partial' | 'none';

export type RequestHandle = {
    readonly exchange?: Exchange | undefined;
} | Exchange | JsonObject;

export declare const SEALED_EXTENSION = "https://w3id.org/a2a-sdl/ext/envelope/v1";

export interface SealAnswerOptions extends SealedOptions {
    readonly request: RequestHandle;
    readonly mode?: Strength | undefined;
}

export interface SealArtifactOptions extends SealAnswerOptions {
    readonly append?: boolean | undefined;
    readonly lastChunk?: boolean | undefined;
}

export interface SealMessageOptions extends SealedOptions {
    readonly to?: KnownPeer | string | undefined;
    readonly mode?: Strength | undefined;
    readonly request?: RequestHandle | undefined;
    readonly isLast?: boolean | undefined;
    readonly lifetimeMs?: number | undefined;
}

export interface SealedCardOptions {
    readonly bundle: KeyBundle;
    readonly minimum?: SealedMode;
    readonly replayWindowSec?: number;
    readonly maxBytes?: number;
    readonly required?: boolean;
}

export type SealedCode = ErrorCode | SealedFault;

export declare class SealedError extends Error {
    readonly name = "SealedError";
    readonly code: SealedCode;
    readonly where: string;
    constructor(code: SealedCode, message: string, where?: string, cause?: unknown);
}

export type SealedFault = 'NOT_PROTECTED' | 'REQUEST_UNKNOWN' | 'CONTENT_CHANGED' | 'EVENT_REPEATED' | 'EVENT_ORDER' | 'EVENT_MISSING' | 'ARTIFACT_MIXED' | 'ARTIFACT_INCOMPLETE' | 'END_UNPROVEN' | 'END_REPEATED' | 'STATE_CHANGED' | 'RECEIPT_MISMATCH';

export type SealedMode = 'sig' | 'enc+sig';

export interface SealedOptions extends Omit<MessageKitOptions, 'identity'> {
    readonly identity: OwnIdentity;
    readonly peers?: KnownPeers | undefined;
}

export interface SealedPeer {
    readonly bundle: KeyBundle;
    readonly accept: readonly SealedMode[];
    readonly isRequired: boolean;
    readonly maxBytes?: number;
}

export interface SealedReceipt {
    readonly state: TaskStateName;
    readonly events: number;
    readonly digest: string;
    readonly coversAll: boolean;
    readonly envelope: JsonObject;
    readonly audit?: Receipt;
}

export type Strength = 'detached' | 'sig' | 'enc+sig';

export declare function openStream<T extends object>(events: AsyncIterable<T>, options: OpenStreamOptions): AsyncGenerator<OpenedEvent>;

export declare function openTask<T extends object>(taskOrMessage: T, options: OpenOptions): Promise<Opened<MessageOf<T>, ArtifactOf<T>>>;

export declare function sealArtifact<T extends object>(artifact: T, options: SealArtifactOptions): Promise<T>;

export declare function sealMessage<T extends object>(message: T, options: SealMessageOptions): Promise<T>;

export declare function sealStatus<T extends object>(status: T, options: SealAnswerOptions): Promise<T>;

export declare function sealedCardExtension(options: SealedCardOptions): CardExtension;

export declare function sealedPeerOf(verdict: CardVerdict, options?: {
    readonly crypto?: CryptoProvider;
    readonly nowMs?: number;
}): Promise<SealedPeer | undefined>;

// Reached from these.

interface AppendOptions {
    readonly ifLength?: number | undefined;
}

interface AppendResult {
    readonly ok: boolean;
    readonly position: number;
}

type ArtifactOf<T> = T extends {
    readonly messageId: unknown;
} ? never : T extends {
    readonly artifacts?: readonly (infer A)[] | undefined;
} ? A : unknown;

interface BundleKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    readonly notAfterMs: number;
}

declare const CARD_ALGORITHMS: readonly ['EdDSA', 'ES256'];

type CardAlgorithm = (typeof CARD_ALGORITHMS)[number];

interface CardExtension {
    readonly uri: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly params?: JsonObject;
}

type CardVerdict = {
    readonly kind: 'unsigned' | 'refused';
} | {
    readonly kind: 'verified';
    readonly card: JsonObject;
    readonly kid: string;
    readonly alg: CardAlgorithm;
    readonly form: CardView['form'];
};

interface CardView {
    readonly form: 'spec' | 'sdk';
    readonly card: JsonObject;
    readonly payload: Uint8Array;
}

type CompatSwitch = 'label-id' | 'lax-dates' | 'long-exp' | 'no-replay' | 'unsigned-requests' | 'unsigned-replies' | 'plain-replies' | 'unbound-enc' | 'v1-trustsync' | 'v1-session';

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

type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

interface ExchangeParts {
    readonly facts: JsonObject;
    readonly agentId: string;
    readonly strength: Strength;
    readonly places: Places;
}

interface InventoryOptions {
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
}

type InventoryPart = 'spaces' | 'logs' | 'tallies';

type JsonArray = readonly JsonValue[];

interface JsonObject {
    readonly [member: string]: JsonValue;
}

type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;

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

interface ListOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
    readonly order?: ListOrder | undefined;
}

type ListOrder = 'oldest' | 'newest' | 'highest' | 'lowest';

interface LogRecord {
    readonly position: number;
    readonly value: Uint8Array;
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

interface MessageKitOptions {
    readonly identity: OwnIdentity | (() => OwnIdentity);
    readonly name?: string | undefined;
    readonly store?: Store | undefined;
    readonly open?: boolean | undefined;
    readonly limits?: Partial<Limits> | undefined;
    readonly crypto?: 'auto' | ProviderName | CryptoProvider | undefined;
    readonly now?: (() => number) | undefined;
    readonly randomBytes?: RandomBytes | undefined;
}

type MessageOf<T> = T extends {
    readonly messageId: unknown;
} ? T : T extends {
    readonly history?: readonly (infer M)[] | undefined;
} ? M : unknown;

interface NeutralPart {
    readonly text?: string;
    readonly raw?: string;
    readonly url?: string;
    readonly data?: JsonValue;
    readonly filename?: string;
    readonly mediaType?: string;
    readonly metadata?: JsonObject;
}

interface NewEntry extends EntryOptions {
    readonly value: Uint8Array;
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

interface Page {
    readonly entries: readonly Entry[];
    readonly next: string | undefined;
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

interface Places {
    readonly contextId?: string;
    readonly taskId?: string;
}

type ProviderName = 'sodium' | 'native' | 'noble';

interface PutOptions extends EntryOptions, VersionCondition {
}

type RandomBytes = (length: number) => Uint8Array;

interface Receipt extends SignedDocument {
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly node: string;
    readonly seq: number;
    readonly head: ReceiptHead;
}

interface ReceiptHead extends JsonObject {
    readonly size: number;
    readonly root: string;
    readonly time: string;
}

declare const STATES: readonly ['unknown', 'submitted', 'working', 'completed', 'failed', 'canceled', 'input-required', 'rejected', 'auth-required'];

interface Said {
    readonly payloadDigest: Uint8Array;
    readonly artifact?: readonly [string, SaidArtifact];
}

interface SaidArtifact {
    readonly n: number;
    readonly index: number;
    readonly chain: Uint8Array;
    readonly parts: readonly NeutralPart[];
}

type SealedPolicy = 'none' | 'prefer' | 'require';

type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

type Sha256 = (bytes: Uint8Array) => Uint8Array;

interface SignedDocument extends JsonObject {
    readonly sig: string;
}

type SigningForm = 'jcs' | 'python' | 'cbor';

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

type TaskStateName = (typeof STATES)[number];

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

interface Turn {
    readonly n: number;
    readonly messages: number;
    readonly artifacts: ReadonlyMap<string, SaidArtifact>;
    readonly digest: string;
}

type Verdict = 'ok' | ErrorCode;

interface VersionCondition {
    readonly ifVersion?: number | undefined;
}

interface WatchOptions {
    readonly signal?: AbortSignal | undefined;
}

interface WriteResult {
    readonly ok: boolean;
    readonly version: number;
}
