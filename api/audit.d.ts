// a2a-sdl/audit: 49 names. Made by "npm run api" from the emitted declarations; not to be edited.

export type AuditEntry = NewAuditEntry & {
    readonly ts: string;
};

export interface AuditLog {
    record(entry: NewAuditEntry): Promise<number>;
    head(): Promise<SignedHead>;
    receipt(content: ReceiptContent, signer?: AuditSigner): Promise<Receipt>;
    prove(id: string): Promise<ProofDocument | undefined>;
    findIds(prefix: string): Promise<readonly string[]>;
    proveGrowth(size: number): Promise<GrowthDocument>;
    verify(options?: AuditVerifyOptions): Promise<AuditReport>;
    close(): Promise<void>;
}

export interface AuditLogOptions {
    readonly store: Store;
    readonly node: string;
    readonly crypto: CryptoProvider;
    readonly signer: () => AuditSigner;
    readonly now?: () => number;
}

export interface AuditProblem {
    readonly seq: number;
    readonly what: string;
}

export interface AuditReport {
    readonly ok: boolean;
    readonly size: number;
    readonly problems: readonly AuditProblem[];
    readonly unanswered: number;
}

export interface AuditSigner {
    readonly kid: string;
    readonly secretKey: Uint8Array;
}

export interface AuditVerifyOptions extends AuditWitnesses {
    readonly publicKeys?: ReadonlyMap<string, Uint8Array>;
}

export interface AuditWitnesses {
    readonly heads?: readonly JsonValue[];
    readonly receipts?: readonly JsonValue[];
}

export interface Evidence {
    readonly kind: EvidenceKind;
    readonly document: JsonObject;
    readonly node: string;
    readonly timeMs: number;
    readonly bundle?: JsonValue;
}

export type EvidenceKind = 'proof' | 'receipt' | 'head';

export type EvidenceParts = {
    readonly proof: ProofDocument;
} | {
    readonly receipt: Receipt;
} | {
    readonly head: SignedHead;
};

export interface GrowthDocument extends JsonObject {
    readonly size: number;
    readonly head: SignedHead;
    readonly path: readonly string[];
}

export interface KeptReceipt {
    readonly id: string;
    readonly ct: string;
    readonly time: string;
    readonly kid: string;
    readonly receipt: Receipt;
    readonly evidence: JsonObject;
}

export interface ListReceipts {
    readonly peer?: string | undefined;
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
}

export interface LogNames {
    readonly entries: string;
    readonly heads: string;
    readonly level: (level: number) => string;
    readonly byId: (id: string) => string;
    readonly byTime: (time: string) => string;
}

export type NewAuditEntry = ReceivedEntry | ReplyEntry | OperationEntry;

export interface NodeKeys {
    readonly node: string;
    readonly publicKeys: ReadonlyMap<string, Uint8Array>;
}

export interface OperationEntry {
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

export interface ProofDocument extends JsonObject {
    readonly id: string;
    readonly head: SignedHead;
    readonly entries: readonly ProvenEntry[];
}

export interface ProvenEntry extends JsonObject {
    readonly seq: number;
    readonly entry: JsonObject;
    readonly path: readonly string[];
}

export interface Receipt extends SignedDocument {
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly node: string;
    readonly seq: number;
    readonly head: ReceiptHead;
}

export interface ReceiptBook {
    keep(answer: ReceivedAnswer): Promise<SdlError | undefined>;
    list(options?: ListReceipts): Promise<ReceiptPage>;
    find(id: string): Promise<readonly KeptReceipt[]>;
}

export interface ReceiptBookOptions {
    readonly store: Pick<Store, 'add' | 'count' | 'delete' | 'list' | 'purge'>;
    readonly crypto: CryptoProvider;
    readonly keepMs?: number;
    readonly max?: number;
    readonly now?: () => number;
}

export interface ReceiptContent {
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly seq: number;
}

export interface ReceiptHead extends JsonObject {
    readonly size: number;
    readonly root: string;
    readonly time: string;
}

export interface ReceiptPage {
    readonly receipts: readonly KeptReceipt[];
    readonly next: string | undefined;
}

export interface ReceivedAnswer {
    readonly id: string;
    readonly ct: string;
    readonly req: string;
    readonly reply: Envelope;
    readonly keys: readonly PeerKey[];
    readonly bundle: KeyBundle | undefined;
}

export interface ReceivedEntry {
    readonly kind: 'request' | 'event';
    readonly id: string;
    readonly from: string;
    readonly ct: string;
    readonly mode: SecurityMode;
    readonly req: string;
    readonly kid?: string;
    readonly transport: string;
}

export interface ReplyEntry {
    readonly kind: 'reply';
    readonly id: string;
    readonly re: string;
    readonly req: string;
    readonly res: string;
    readonly verdict: Verdict;
    readonly of: number;
}

export interface SignedHead extends SignedDocument {
    readonly node: string;
    readonly size: number;
    readonly root: string;
    readonly time: string;
    readonly kid: string;
}

export type Verdict = 'ok' | ErrorCode;

export type VerifiedEvidence = {
    readonly kid: string;
} & ({
    readonly kind: 'proof';
    readonly proof: VerifiedProof;
} | {
    readonly kind: 'receipt';
    readonly receipt: Receipt;
} | {
    readonly kind: 'head';
    readonly head: SignedHead;
});

export interface VerifiedProof {
    readonly id: string;
    readonly head: SignedHead;
    readonly entries: readonly {
        readonly seq: number;
        readonly entry: AuditEntry;
    }[];
}

export interface VerifyAuditLogOptions extends AuditWitnesses {
    readonly store: Store;
    readonly node: string;
    readonly crypto: CryptoProvider;
    readonly publicKeys: ReadonlyMap<string, Uint8Array>;
}

export declare function answerHash({ sec, payload }: Envelope, sha256: Sha256): string;

export declare function auditHash(bytes: Uint8Array, sha256: Sha256): string;

export declare function createAuditLog(options: AuditLogOptions): Promise<AuditLog>;

export declare function createReceiptBook(options: ReceiptBookOptions): ReceiptBook;

export declare function keysOfEvidence(evidence: Evidence, crypto: CryptoProvider): Promise<NodeKeys>;

export declare function logNames(node: string, sha256: Sha256): LogNames;

export declare function payloadHash(payload: JsonValue, sha256: Sha256): string;

export declare function readEvidence(value: JsonValue): Evidence | undefined;

export declare function verifyAuditLog(options: VerifyAuditLogOptions): Promise<AuditReport>;

export declare function verifyEvidence(evidence: Evidence, crypto: CryptoProvider, keys?: NodeKeys): Promise<VerifiedEvidence>;

export declare function verifyGrowth(value: JsonValue | undefined, earlier: SignedHead, keys: NodeKeys, crypto: CryptoProvider): Promise<SignedHead>;

export declare function verifyHead(value: JsonValue | undefined, { node, publicKeys }: NodeKeys, crypto: CryptoProvider, path?: string): Promise<SignedHead>;

export declare function verifyProof(value: JsonValue | undefined, keys: NodeKeys, crypto: CryptoProvider): Promise<VerifiedProof>;

export declare function verifyReceipt(value: JsonValue | undefined, keys: NodeKeys, crypto: CryptoProvider): Promise<Receipt>;

export declare function writeEvidence(parts: EvidenceParts, kid: string, bundle: KeyBundle | undefined): JsonObject;

// Reached from these.

interface AppendOptions {
    readonly ifLength?: number | undefined;
}

interface AppendResult {
    readonly ok: boolean;
    readonly position: number;
}

interface BundleKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    readonly notAfterMs: number;
}

type ContentHash = `sha256:${string}`;

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

interface EmbeddedDescriptor {
    readonly kind: 'embedded';
    readonly id: ContentHash;
    readonly embedded: Schema;
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

type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly retryable: boolean;
    readonly words: string;
}

interface Identity {
    readonly agent_id: string;
    readonly name: string;
    readonly instance: string;
    readonly role: string;
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

type MessageType = 'req' | 'res' | 'evt';

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

interface Page {
    readonly entries: readonly Entry[];
    readonly next: string | undefined;
}

interface PeerKey {
    readonly kid: string;
    readonly key: Uint8Array;
    readonly notBefore?: number;
    readonly notAfter?: number;
}

type ProviderName = 'sodium' | 'native' | 'noble';

interface PutOptions extends EntryOptions, VersionCondition {
}

interface Recipient {
    readonly kid: string;
    readonly eph: string;
    readonly wn: string;
    readonly ek: string;
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

type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

type Sha256 = CryptoProvider['sha256'];

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

interface UriDescriptor {
    readonly kind: 'uri';
    readonly id: ContentHash;
    readonly uri: string;
}

interface VersionCondition {
    readonly ifVersion?: number | undefined;
}

interface WatchOptions {
    readonly signal?: AbortSignal | undefined;
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';

interface WriteResult {
    readonly ok: boolean;
    readonly version: number;
}
