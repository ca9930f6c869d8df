// a2a-sdl/security: 149 names. Made by "npm run api" from the emitted declarations; not to be edited.

export declare const ANY_NAME = "*";

export interface AcceptedProposal {
    readonly op: 'propose';
    readonly status: 'accepted';
    readonly proposal_id: ContentHash;
    readonly registry_hash: ContentHash;
    readonly head: TrustHead;
    readonly approved_by: readonly string[];
}

export interface AgentDocument extends AgentDocumentContent {
    readonly agentId: string;
    readonly document: SignedDocument;
}

export interface AgentDocumentContent {
    readonly name: string;
    readonly bundle: KeyBundle;
    readonly endpoints: readonly string[];
    readonly contentTypes: readonly string[];
    readonly tools: readonly string[];
    readonly limits: AnnouncedLimits;
    readonly x: readonly string[];
    readonly expMs: number;
}

export type AnnouncedLimits = Pick<Limits, 'maxBytes' | 'maxDepth' | 'maxArrayLength' | 'maxHops'>;

export interface Attenuation {
    readonly id: string;
    readonly sub: string;
    readonly allow?: GrantScope;
    readonly maxHops?: number;
    readonly notAfterMs?: number;
}

export interface AuthorizeRequest {
    readonly ct: string;
    readonly payload: JsonValue;
}

export interface BindingDocument {
    readonly from_agent: string;
    readonly to_agent: string;
    readonly profile: JsonObject;
    readonly nonce: string;
    readonly expires: string;
}

export interface BundleKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    readonly notAfterMs: number;
}

export declare const COMPAT_SWITCHES: readonly CompatSwitch[];

export type CompatSwitch = 'label-id' | 'lax-dates' | 'long-exp' | 'no-replay' | 'unsigned-requests' | 'unsigned-replies' | 'plain-replies' | 'unbound-enc' | 'v1-trustsync' | 'v1-session';

export interface Contact {
    readonly bundle?: KeyBundle;
    readonly form?: SigningForm;
    readonly additions: ReadonlySet<string>;
    readonly knowsSeq?: number;
}

export interface Contacts {
    get(agentId: string): Promise<Contact | undefined>;
    learn(agentId: string, facts: ContactFacts, sender: {
        readonly isStranger: boolean;
    }): Promise<void>;
    forget(agentId: string): Promise<void>;
}

export interface ContactsOptions {
    readonly crypto: CryptoProvider;
    readonly maxCached?: number;
    readonly maxAgeMs?: number;
    readonly now?: () => number;
}

export interface CryptoProvider {
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

export interface DecryptedPayload {
    readonly plaintext: Uint8Array;
    readonly contentKey: Uint8Array;
}

export type DocumentPurpose = (typeof DOCUMENT_PURPOSES)[number];

export interface EncryptedPayload {
    readonly enc: EncryptionBlock;
    readonly contentKey: Uint8Array;
}

export type EncryptionBlock = NonNullable<Sec['enc']>;

export interface FirstUse {
    readonly kind: 'new';
    readonly complete: (reply: Uint8Array) => Promise<void>;
    readonly abandon: (cause?: unknown) => Promise<void>;
    readonly forget: (cause?: unknown) => Promise<void>;
    readonly fail: () => void;
}

export interface Freshness {
    readonly tsMs: number;
    readonly expMs: number | undefined;
}

export interface FreshnessCheck {
    readonly ts: string;
    readonly exp?: string | undefined;
    readonly nowMs: number;
    readonly skewMs?: number | undefined;
    readonly maxWindowMs?: number | undefined;
    readonly laxDates?: boolean | undefined;
    readonly longExp?: boolean | undefined;
}

export interface Grant extends GrantContent {
    readonly parent: Grant | undefined;
    readonly document: SignedDocument;
}

export interface GrantContent {
    readonly id: string;
    readonly iss: string;
    readonly sub: string;
    readonly aud: string;
    readonly allow: GrantScope;
    readonly maxHops: number;
    readonly notAfterMs: number;
}

export interface GrantLink {
    readonly id: string;
    readonly iss: string;
    readonly sub: string;
}

export interface GrantScope {
    readonly ct: readonly string[];
    readonly tools: readonly string[];
}

export interface GrantedScope extends GrantScope {
    readonly notAfterMs: number;
}

export interface IdentityOptions {
    readonly crypto?: CryptoProvider;
    readonly nowMs?: number;
    readonly lifetimeMs?: number;
}

export declare const JWK_CURVES: Readonly<Record<KeyAlgorithm, string>>;

export declare const KEY_ALGORITHMS: Readonly<Record<KeyUse, KeyAlgorithm>>;

export declare const KEY_BYTES = 32;

export type KeyAlgorithm = 'ed25519' | 'x25519';

export interface KeyBundle {
    readonly agentId: string;
    readonly rootKey: Uint8Array;
    readonly seq: number;
    readonly notBeforeMs: number;
    readonly notAfterMs: number;
    readonly keys: readonly BundleKey[];
    readonly document: SignedDocument;
}

export interface KeyBundleContent {
    readonly seq: number;
    readonly notBeforeMs: number;
    readonly notAfterMs: number;
    readonly keys: readonly NewBundleKey[];
}

export type KeyUse = 'sig' | 'enc';

export interface LocalIdentity {
    readonly agentId: string;
    readonly root: SecretKey;
    readonly bundle: KeyBundle;
    readonly keys: readonly OperationalKey[];
}

export declare const MAX_BUNDLE_KEYS = 16;

export type MaybePromise<T> = T | Promise<T>;

export interface ModeLatch {
    get(agentId: string): Promise<SecurityMode>;
    raise(sender: Pick<ResolvedSender, 'key' | 'isStranger'>, envelope: Envelope): Promise<void>;
    reset(agentId: string): Promise<void>;
}

export interface NewBundleKey {
    readonly use: KeyUse;
    readonly publicKey: Uint8Array;
    readonly notAfterMs: number;
    readonly kid?: string;
}

export interface NewSession {
    readonly agentId: string;
    readonly peerAgentId: string;
    readonly keyThumbprint: string;
    readonly nonce: string;
    readonly profile: JsonObject;
    readonly expiresMs?: number | undefined;
}

export interface OperationalKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly notAfterMs: number;
    readonly key: SecretKey;
}

export interface OwnIdentity {
    readonly agentId: string;
    readonly root?: OwnSecret;
    readonly bundle?: KeyBundle;
    readonly keys: readonly OwnKey[];
}

export interface OwnKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly notAfterMs: number;
    readonly key: OwnSecret;
}

export interface OwnSecret {
    readonly publicKey: Uint8Array;
    reveal(): Uint8Array;
}

export type OwnSigningKey = Pick<OwnKey, 'kid' | 'key'>;

export interface Peer {
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

export interface PeerDirectory {
    find(agentId: string): Peer | undefined;
    findByCertificate?(fingerprint: string): Peer | undefined;
    restrict?(stranger: Peer): Peer;
}

export interface PeerKey {
    readonly kid: string;
    readonly key: Uint8Array;
    readonly notBefore?: number;
    readonly notAfter?: number;
}

export type PeerParts = Partial<Omit<Peer, 'agentId'>>;

export interface Policy {
    readonly open: boolean;
    readonly skewMs: number;
    readonly maxWindowMs: number;
    readonly strangerContentTypes: readonly string[];
    readonly allows: SwitchCheck;
    checkAddress(envelope: Envelope): void;
    checkMode(envelope: Envelope, peer: Peer, latched: SecurityMode): void;
    replyRequirement(requestMode: SecurityMode, peer: Peer, nowMs: number): ReplyRequirement;
    checkReplyStrength(requestMode: SecurityMode, replyMode: SecurityMode, peer: Peer, latched: SecurityMode): void;
}

export interface PolicyOptions {
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

export type ProviderName = 'sodium' | 'native' | 'noble';

export interface PublicKey {
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
}

export interface RecipientKey {
    readonly kid: string;
    readonly publicKey: Uint8Array;
}

export interface RegistrySnapshot {
    readonly op: 'discover';
    readonly status: 'snapshot';
    readonly snapshot: RegistryContent;
    readonly registry_hash: ContentHash;
    readonly head: TrustHead;
}

export interface RejectedProposal {
    readonly op: 'propose';
    readonly status: 'rejected';
    readonly code: ErrorCode;
    readonly message: string;
    readonly registry_hash?: ContentHash;
    readonly head?: TrustHead;
}

export interface ReplayGuard {
    readonly judge: (use: NonceUse) => Promise<ReplayVerdict>;
}

export interface ReplayGuardOptions {
    readonly store: EntryStore;
    readonly now?: () => number;
    readonly sinceMs?: number;
    readonly quotaPerSender?: number;
    readonly maxReplyBytesPerSender?: number;
    readonly skewMs?: number;
    readonly joinMs?: number;
    readonly wait?: (ms: number) => Promise<void>;
    readonly onClockBehind?: (behindMs: number) => void;
}

export type ReplayVerdict = FirstUse | Retry;

export interface ReplyRequirement {
    readonly sign: true;
    readonly encrypt: boolean;
}

export interface ResolveSenderOptions {
    readonly peers: PeerDirectory;
    readonly nowMs: number;
    readonly open: boolean;
    readonly allows: SwitchCheck;
    readonly crypto: CryptoProvider;
    readonly skewMs?: number;
    readonly isReply?: boolean;
    readonly knownBundle?: (agentId: string) => Promise<KeyBundle | undefined>;
    readonly strangerContentTypes?: readonly string[];
}

export interface ResolvedSender {
    readonly peer: Peer;
    readonly key: PeerKey | undefined;
    readonly isStranger: boolean;
    readonly newBundle: KeyBundle | undefined;
}

export interface Retry {
    readonly kind: 'retry';
    readonly reply: Promise<Uint8Array>;
}

export interface RotateOptions extends IdentityOptions {
    readonly overlapMs?: number;
}

export declare const SEALED_POLICIES: readonly SealedPolicy[];

export declare const SECURITY_MODES: readonly SecurityMode[];

export interface SealedLatch {
    mustSeal(peer: PeerEntry): Promise<boolean>;
    raise(peer: PeerEntry): Promise<void>;
    reset(agentId: string): Promise<void>;
}

export type SealedPolicy = 'none' | 'prefer' | 'require';

export declare class SecretKey implements PublicKey {
    #private;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    constructor(alg: KeyAlgorithm, secret: Uint8Array, crypto: CryptoProvider);
    static generate(alg: KeyAlgorithm, crypto: CryptoProvider): SecretKey;
    reveal(): Uint8Array;
}

export type SecurityProfile = 'hardened' | 'compat';

export interface SessionBinding {
    readonly id: ContentHash;
    readonly expiresMs: number;
    readonly document: BindingDocument;
}

export interface SessionBook {
    readonly open: (session: NewSession) => Promise<SessionBinding>;
    readonly check: (bindingId: JsonValue | undefined, agentId: string, keyThumbprint: string) => Promise<void>;
}

export interface SessionBookOptions {
    readonly store: EntryStore;
    readonly now?: () => number;
    readonly maxTtlMs?: number;
    readonly maxPerAgent?: number;
}

export interface SignedDocument extends JsonObject {
    readonly sig: string;
}

export interface SignedEnvelope {
    readonly envelope: JsonObject;
    readonly input: Uint8Array;
}

export type SwitchCheck = (peer: Peer, name: CompatSwitch) => boolean;

export interface TrustLog {
    readonly registry: RegistryContent;
    propose(payload: JsonValue, switches?: ReadonlySet<CompatSwitch>): Promise<AcceptedProposal | RejectedProposal>;
    discover(): Promise<RegistrySnapshot>;
}

export interface TrustLogOptions {
    readonly store: Store;
    readonly crypto: CryptoProvider;
    readonly ownAgentId: string;
    readonly approvers: ReadonlyMap<string, Uint8Array>;
    readonly quorum?: number;
    readonly root?: OwnSecret | undefined;
    readonly now?: () => number;
}

export interface Validity {
    readonly notBefore?: number;
    readonly notAfter?: number;
}

export interface VerifiedEnvelope extends SignedEnvelope {
    readonly form: SigningForm | 'text';
}

export interface VerifiedGrant {
    readonly allow: GrantScope;
    readonly notAfterMs: number;
    readonly chain: readonly GrantLink[];
}

export interface VerifyAgentDocumentOptions {
    readonly crypto: CryptoProvider;
    readonly nowMs: number;
    readonly skewMs?: number;
    readonly agentId?: string;
    readonly lastSeq?: number;
}

export interface VerifyBindingOptions {
    readonly publicKey: Uint8Array;
    readonly crypto: Pick<CryptoProvider, 'verify'>;
    readonly v1Session?: boolean | undefined;
}

export interface VerifyBundleOptions {
    readonly crypto: CryptoProvider;
    readonly nowMs: number;
    readonly skewMs?: number;
    readonly agentId?: string;
    readonly lastSeq?: number;
    readonly path?: string;
}

export interface VerifyGrantOptions {
    readonly crypto: CryptoProvider;
    readonly holder: string;
    readonly audience: string;
    readonly nowMs: number;
    readonly hops: number;
    readonly keysOf: (agentId: string) => MaybePromise<readonly Uint8Array[]>;
    readonly mayGrant: (agentId: string) => boolean;
    readonly path?: string;
}

export interface VerifyOptions {
    readonly publicKey: Uint8Array;
    readonly crypto: CryptoProvider;
    readonly jsonText?: Uint8Array;
    readonly remembered?: SigningForm;
}

export declare function attenuateGrant(parent: JsonValue, narrower: Attenuation, secretKey: Uint8Array, crypto: CryptoProvider): Promise<SignedDocument>;

export declare function authorize({ ct, payload }: AuthorizeRequest, peer: Peer, granted?: GrantScope): void;

export declare function bindTag(envelope: Envelope, contentKey: Uint8Array, crypto: CryptoProvider): string;

export declare function bundleKeys(bundle: KeyBundle, use: KeyUse, nowMs: number): BundleKey[];

export declare function checkBind(envelope: Envelope, contentKey: Uint8Array, crypto: CryptoProvider): void;

export declare function checkCertificate(peer: Peer, presented: string | undefined, peers: PeerDirectory): void;

export declare function checkFreshness(check: FreshnessCheck): Freshness;

export declare function chooseProvider(name?: 'auto' | ProviderName, makers?: ProviderMakers): CryptoProvider;

export declare function createContacts(store: Pick<EntryStore, 'get' | 'put' | 'delete'>, options: ContactsOptions): Contacts;

export declare function createIdentity(options?: IdentityOptions): Promise<LocalIdentity>;

export declare function createModeLatch(store: Pick<EntryStore, 'get' | 'put' | 'delete'>): ModeLatch;

export declare function createPolicy(options: PolicyOptions): Policy;

export declare function createReplayGuard(options: ReplayGuardOptions): ReplayGuard;

export declare function createSealedLatch(store: Pick<EntryStore, 'get' | 'put' | 'delete'>): SealedLatch;

export declare function createSessionBook(options: SessionBookOptions): SessionBook;

export declare function createTrustLog(options: TrustLogOptions): Promise<TrustLog>;

export declare function decodeBase64url(text: string): Uint8Array | undefined;

export declare function decryptPayload(enc: EncryptionBlock, secretKeyOf: (kid: string) => Uint8Array | undefined, crypto: CryptoProvider): DecryptedPayload;

export declare function decryptionKeyOf(identity: OwnIdentity, kid: string): OwnKey | undefined;

export declare function didKeyFromPublicKey(publicKey: Uint8Array): string;

export declare function encodeBase64url(bytes: Uint8Array): string;

export declare function encryptPayload(plaintext: Uint8Array, recipients: readonly RecipientKey[], crypto: CryptoProvider): EncryptedPayload;

export declare function equalBytes(one: Uint8Array, other: Uint8Array): boolean;

export declare function formerSigningKeys(store: Pick<Store, 'list'>, agentId: string, crypto: CryptoProvider): Promise<Map<string, Uint8Array>>;

export declare function isNameAllowed(allowed: readonly string[], name: string): boolean;

export declare function isPublicKey(alg: KeyAlgorithm, bytes: Uint8Array): boolean;

export declare function isReservedId(id: string): boolean;

export declare function issueGrant(content: GrantContent, secretKey: Uint8Array, crypto: CryptoProvider): Promise<SignedDocument>;

export declare function malformed(path: string, what: string): SdlError;

export declare function newPeer(agentId: string, parts?: PeerParts): Peer;

export declare function ownVerificationKeys(identity: OwnIdentity, nowMs: number): readonly Uint8Array[];

export declare function peerFromBundle(bundle: KeyBundle, parts?: PeerParts, nowMs?: number): Peer;

export declare function proposalId(merge: boolean, registry: JsonObject): ContentHash;

export declare function publicKeyFromDidKey(did: string): Uint8Array | undefined;

export declare function rememberBundle(store: Pick<Store, 'add'>, bundle: KeyBundle): Promise<void>;

export declare function requireAgentId(value: JsonValue | undefined, path: string): string;

export declare function requireMembers(value: JsonValue | undefined, members: readonly string[], path: string): JsonObject;

export declare function requireMoment(value: JsonValue | undefined, path: string): number;

export declare function requireText(value: JsonValue | undefined, maxLength: number, path: string): string;

export declare function resolveSender(envelope: Envelope, options: ResolveSenderOptions): Promise<ResolvedSender>;

export declare function rotateIdentity(identity: LocalIdentity, options?: RotateOptions): Promise<LocalIdentity>;

export declare function sessionBindingId(document: BindingDocument): ContentHash;

export declare function signAgentDocument(content: AgentDocumentContent, rootSecret: Uint8Array, crypto: CryptoProvider): Promise<AgentDocument>;

export declare function signDocument(purpose: DocumentPurpose, document: JsonObject, secretKey: Uint8Array, crypto: Pick<CryptoProvider, 'sign'>): Promise<SignedDocument>;

export declare function signEnvelope(envelope: JsonObject, form: SigningForm, secretKey: Uint8Array, crypto: CryptoProvider): Promise<SignedEnvelope>;

export declare function signKeyBundle(content: KeyBundleContent, rootSecret: Uint8Array, crypto: CryptoProvider): Promise<KeyBundle>;

export declare function signProposal(merge: boolean, registry: JsonObject, secretKey: Uint8Array, crypto: CryptoProvider): Promise<string>;

export declare function signSessionBinding(document: BindingDocument, secretKey: Uint8Array, crypto: Pick<CryptoProvider, 'sign'>): Promise<string>;

export declare function signingInput(envelope: JsonObject, form: SigningForm): Uint8Array;

export declare function signingInputOfText(bytes: Uint8Array, signature: string): Uint8Array | undefined;

export declare function signingKeyOf(identity: OwnIdentity, nowMs: number): OwnSigningKey;

export declare function switchesOf(profile: SecurityProfile): ReadonlySet<CompatSwitch>;

export declare function thumbprint(alg: KeyAlgorithm, publicKey: Uint8Array): string;

export declare function verificationKeyOf(peer: Peer, kid: string | undefined, bundle: KeyBundle | undefined, nowMs: number): PeerKey;

export declare function verifyAgentDocument(value: JsonValue, options: VerifyAgentDocumentOptions): Promise<AgentDocument>;

export declare function verifyDocument(purpose: DocumentPurpose, document: JsonObject, publicKey: Uint8Array, crypto: Pick<CryptoProvider, 'verify'>): Promise<boolean>;

export declare function verifyEnvelope(envelope: JsonObject, options: VerifyOptions): Promise<VerifiedEnvelope>;

export declare function verifyGrant(value: JsonValue | undefined, options: VerifyGrantOptions): Promise<VerifiedGrant>;

export declare function verifyKeyBundle(value: JsonValue, options: VerifyBundleOptions): Promise<KeyBundle>;

export declare function verifySessionBinding(document: BindingDocument, bindingSig: string, options: VerifyBindingOptions): Promise<boolean>;

export declare function verifyStoredBundle(value: JsonValue, crypto: CryptoProvider): Promise<KeyBundle>;

export declare function withOwnKeys(peer: Peer, bundle: KeyBundle | undefined, nowMs: number): Peer;

// Reached from these.

interface AppendOptions {
    readonly ifLength?: number | undefined;
}

interface AppendResult {
    readonly ok: boolean;
    readonly position: number;
}

interface ContactFacts {
    readonly bundle?: KeyBundle | undefined;
    readonly form?: SigningForm | undefined;
    readonly additions?: Iterable<string> | undefined;
    readonly knowsSeq?: number | undefined;
}

type ContentHash = `sha256:${string}`;

interface CountOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly atMost?: number | undefined;
}

declare const DOCUMENT_PURPOSES: readonly ['bundle', 'agent', 'grant', 'registry', 'registry-record', 'session', 'audit-head', 'receipt'];

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

type MessageType = 'req' | 'res' | 'evt';

interface NewEntry extends EntryOptions {
    readonly value: Uint8Array;
}

interface NonceUse {
    readonly agentId: string;
    readonly keyThumbprint: string;
    readonly nonce: string;
    readonly tsMs: number;
    readonly expMs: number;
    readonly inputHash: Uint8Array;
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

type PeerEntry = Pick<Peer, 'agentId' | 'sealed'>;

type ProviderMakers = Readonly<Record<ProviderName, () => CryptoProvider>>;

interface PutOptions extends EntryOptions, VersionCondition {
}

interface Recipient {
    readonly kid: string;
    readonly eph: string;
    readonly wn: string;
    readonly ek: string;
}

interface RegistryContent extends JsonObject {
    readonly trusted_signing_keys: TextMap;
    readonly required_kid_by_agent: TextMap;
    readonly allowed_kids_by_agent: Readonly<Record<string, readonly string[]>>;
    readonly revoked_kids: readonly string[];
    readonly kid_not_after: TextMap;
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

type TextMap = Readonly<Record<string, string>>;

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

interface TrustHead {
    readonly seq: number;
    readonly hash: ContentHash;
}

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
