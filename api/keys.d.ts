// a2a-sdl/keys: 23 names. Made by "npm run api" from the emitted declarations; not to be edited.

export declare class BookFile<Entry, Draft = Entry> {
    #private;
    readonly path: string;
    constructor(path: string, format: BookFormat<Entry, Draft>, steps?: FileSteps);
    read(): Promise<BookPage<Entry>>;
    isAt(stamp: string | undefined): Promise<boolean>;
    rewrite(change: (entries: readonly Entry[]) => readonly Draft[]): Promise<BookPage<Entry>>;
}

export interface BookFormat<Entry, Draft = Entry> {
    readonly name: string;
    read(bytes: Uint8Array): readonly Entry[];
    write(drafts: readonly Draft[]): Uint8Array;
}

export interface BookPage<Entry> {
    readonly entries: readonly Entry[];
    readonly stamp: string | undefined;
}

export interface CreateOptions extends UnlockOptions {
    readonly lifetimeMs?: number;
}

export interface ImportOptions {
    readonly alg?: KeyAlgorithm;
}

export interface ImportPeerKeyOptions extends Validity {
    readonly kid?: string;
}

export declare class KeyDirectory {
    #private;
    readonly path: string;
    constructor(path: string, options?: KeyDirectoryOptions);
    list(): Promise<string[]>;
    create(name: string, options?: CreateOptions): Promise<StoredIdentity>;
    load(name: string, options?: UnlockOptions): Promise<StoredIdentity>;
    rotate(name: string, options?: RotateKeysOptions): Promise<StoredIdentity>;
    reloadIfChanged(identity: StoredIdentity, options?: UnlockOptions): Promise<StoredIdentity>;
}

export interface KeyDirectoryOptions {
    readonly crypto?: CryptoProvider;
    readonly now?: () => number;
    readonly scryptCost?: ScryptCost;
    readonly steps?: FileSteps;
}

export type KeyFormat = 'raw' | 'pem' | 'jwk';

export declare class PeerBook {
    #private;
    private constructor();
    static open(path: string, options?: PeerBookOptions): Promise<PeerBook>;
    get path(): string;
    list(): readonly PeerEntry[];
    get(idOrName: string): PeerEntry | undefined;
    snapshot(): PeerDirectory;
    reloadIfChanged(): Promise<boolean>;
    add(draft: PeerDraft): Promise<PeerEntry>;
    update(idOrName: string, changes: PeerChanges): Promise<PeerEntry>;
    revoke(idOrName: string): Promise<PeerEntry>;
    remove(idOrName: string): Promise<void>;
}

export interface PeerBookOptions {
    readonly steps?: FileSteps;
}

export type PeerChanges = Omit<PeerDraft, 'agentId'>;

export type PeerDraft = Pick<PeerEntry, 'agentId'> & {
    readonly [M in Exclude<keyof PeerEntry, 'agentId'>]?: PeerEntry[M] | undefined;
};

export interface PeerEntry extends Peer {
    readonly name?: string;
    readonly tlsCa?: string;
}

export interface RotateKeysOptions extends CreateOptions {
    readonly overlapMs?: number;
}

export interface StoredIdentity extends LocalIdentity {
    readonly name: string;
    readonly stamp: string;
}

export interface UnlockOptions {
    readonly passphrase?: string;
}

export declare function exportPeerKey({ key }: PeerKey, use: KeyUse, format: KeyFormat): string;

export declare function exportPublicKey(key: PublicKey, format: KeyFormat): string;

export declare function exportSecretKey(key: SecretKey, format: KeyFormat): string;

export declare function importPeerKey(text: string, use: KeyUse, { kid, ...validity }?: ImportPeerKeyOptions): PeerKey;

export declare function importPublicKey(text: string, options?: ImportOptions): PublicKey;

export declare function importSecretKey(text: string, crypto: CryptoProvider, options?: ImportOptions): SecretKey;

// Reached from these.

interface BundleKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    readonly notAfterMs: number;
}

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

interface FileSteps {
    create(path: string, bytes: Uint8Array): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    syncFolder(path: string): Promise<void>;
}

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

interface LocalIdentity {
    readonly agentId: string;
    readonly root: SecretKey;
    readonly bundle: KeyBundle;
    readonly keys: readonly OperationalKey[];
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

interface OperationalKey {
    readonly kid: string;
    readonly use: KeyUse;
    readonly notAfterMs: number;
    readonly key: SecretKey;
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

type ProviderName = 'sodium' | 'native' | 'noble';

interface PublicKey {
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
}

interface ScryptCost {
    readonly n: number;
    readonly r: number;
    readonly p: number;
}

type SealedPolicy = 'none' | 'prefer' | 'require';

declare class SecretKey implements PublicKey {
    #private;
    readonly alg: KeyAlgorithm;
    readonly publicKey: Uint8Array;
    constructor(alg: KeyAlgorithm, secret: Uint8Array, crypto: CryptoProvider);
    static generate(alg: KeyAlgorithm, crypto: CryptoProvider): SecretKey;
    reveal(): Uint8Array;
}

type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';

interface SignedDocument extends JsonObject {
    readonly sig: string;
}

type SigningForm = 'jcs' | 'python' | 'cbor';

interface Validity {
    readonly notBefore?: number;
    readonly notAfter?: number;
}
