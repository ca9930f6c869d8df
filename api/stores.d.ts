// a2a-sdl/stores: 50 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface AppendOptions {
    readonly ifLength?: number | undefined;
}

export interface AppendResult {
    readonly ok: boolean;
    readonly position: number;
}

export interface Backend extends EntryReads {
    list(space: string, listing: Listing): Awaitable<Page>;
    length(log: string): Awaitable<number>;
    pull(log: string, from: number, limit: number, maxBytes: number): Awaitable<Tail>;
    transact(operations: readonly Operation[]): Awaitable<TransactResult>;
    inventory(of: InventoryPart, after: string, limit: number): Awaitable<readonly string[]>;
    tally(name: string): Awaitable<Tally>;
}

export interface CountOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly atMost?: number | undefined;
}

export interface Counting {
    readonly index: EntryIndex;
    readonly since: number | undefined;
    readonly atMost: number;
}

export interface Entry {
    readonly key: string;
    readonly value: Uint8Array;
    readonly version: number;
    readonly expiresAt: number | undefined;
    readonly index: EntryIndex;
    readonly rank: number | undefined;
}

export interface EntryBackend extends EntryReads {
    write(operation: EntryWrite): Awaitable<WriteResult>;
}

export type EntryIndex = Readonly<Record<string, string>>;

export interface EntryOptions {
    readonly expiresAt?: number | undefined;
    readonly index?: EntryIndex | undefined;
    readonly rank?: number | undefined;
}

export interface EntryReads {
    get(space: string, key: string): Awaitable<Entry | undefined>;
    count(space: string, counting: Counting): Awaitable<number>;
    purge(before: number): Awaitable<PurgeBatch>;
    close(): Awaitable<void>;
}

export interface EntryStore {
    add(space: string, key: string, entry: NewEntry): Promise<boolean>;
    get(space: string, key: string): Promise<Entry | undefined>;
    put(space: string, key: string, value: Uint8Array, options?: PutOptions): Promise<WriteResult>;
    delete(space: string, key: string, options?: VersionCondition): Promise<WriteResult>;
    count(space: string, options?: CountOptions): Promise<number>;
    purge(before?: number): Promise<number>;
    close(): Promise<void>;
}

export type EntryWrite = Extract<Operation, {
    type: 'add' | 'put' | 'delete';
}>;

export interface InventoryOptions {
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
}

export type InventoryPart = 'spaces' | 'logs' | 'tallies';

export interface ListOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
    readonly order?: ListOrder | undefined;
}

export type ListOrder = 'oldest' | 'newest' | 'highest' | 'lowest';

export interface ListPlace {
    readonly rank: number;
    readonly sequence: number;
}

export interface Listing {
    readonly index: EntryIndex;
    readonly limit: number;
    readonly order: ListOrder;
    readonly start: ListPlace;
    readonly since: number | undefined;
}

export interface LogRecord {
    readonly position: number;
    readonly value: Uint8Array;
}

export interface MemoryRateLimiter extends RateLimiter {
    take(key: string, limits: RateLimits): boolean;
}

export interface MemoryRateLimiterOptions {
    readonly now?: () => number;
    readonly maxKeys?: number;
}

export interface MemoryStoreOptions {
    readonly now?: () => number;
}

export interface NewEntry extends EntryOptions {
    readonly value: Uint8Array;
}

export type Operation = ({
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

export interface Page {
    readonly entries: readonly Entry[];
    readonly next: string | undefined;
}

export interface PurgeBatch {
    readonly removed: number;
    readonly isLast: boolean;
}

export interface PutOptions extends EntryOptions, VersionCondition {
}

export interface RateLimiter {
    take(key: string, limits: RateLimits): Awaitable<boolean>;
}

export interface RateLimits {
    readonly ratePerSecond: number;
    readonly burst: number;
}

export declare const STORE_LIMITS: {
    readonly nameBytes: number;
    readonly keyBytes: number;
    readonly valueBytes: number;
    readonly indexFields: number;
    readonly indexValueBytes: number;
    readonly operations: number;
    readonly page: number;
    readonly pageBytes: number;
};

export interface Store extends EntryStore {
    list(space: string, options?: ListOptions): Promise<Page>;
    append(log: string, values: readonly Uint8Array[], options?: AppendOptions): Promise<AppendResult>;
    read(log: string, from: number, limit?: number): Promise<readonly LogRecord[]>;
    length(log: string): Promise<number>;
    watch(log: string, from: number, options?: WatchOptions): AsyncIterable<LogRecord>;
    tally(name: string): Promise<Tally>;
    transact(operations: readonly Operation[], options?: TransactOptions): Promise<TransactResult>;
    inventory?(of: InventoryPart, options?: InventoryOptions): Promise<readonly string[]>;
}

export declare class StoreError extends SdlError {
    readonly fault: StoreFault;
    constructor(fault: StoreFault, reason: string, cause?: unknown, isPassing?: boolean);
}

export type StoreFault = 'closed' | 'busy' | 'unavailable' | 'unsafe' | 'corrupt' | 'newer' | 'foreign' | 'failed';

export type StoreSnapshot = Pick<Store, 'get' | 'count' | 'list' | 'read' | 'length' | 'tally' | 'close'> & Required<Pick<Store, 'inventory'>>;

export interface Tail {
    readonly id: number | undefined;
    readonly records: readonly LogRecord[];
}

export interface Tally {
    readonly count: number;
    readonly sum: number;
}

export interface TallyOperation {
    readonly type: 'tally';
    readonly name: string;
    readonly count: number;
    readonly sum: number;
    readonly maxCount?: number | undefined;
    readonly maxSum?: number | undefined;
}

export type TransactResult = {
    readonly ok: true;
    readonly results: readonly number[];
} | {
    readonly ok: false;
    readonly failed: number;
    readonly found: number;
};

export interface VersionCondition {
    readonly ifVersion?: number | undefined;
}

export interface WatchOptions {
    readonly signal?: AbortSignal | undefined;
}

export declare class Watchers {
    #private;
    constructor(onIdle?: (isIdle: boolean) => void);
    get logs(): Iterable<string>;
    wake(log: string): void;
    wakeAll(): void;
    follow(log: string, from: number, pull: Pull, signal?: AbortSignal): AsyncIterable<LogRecord>;
}

export interface WriteResult {
    readonly ok: boolean;
    readonly version: number;
}

export declare function checkInteger(name: string, value: number, least?: number, most?: number): void;

export declare function checkRateLimits({ ratePerSecond, burst }: RateLimits): void;

export declare function createEntryStore(backend: EntryBackend): EntryStore;

export declare function createMemoryRateLimiter(options?: MemoryRateLimiterOptions): MemoryRateLimiter;

export declare function createMemoryStore(options?: MemoryStoreOptions): Store;

export declare function createStore(backend: Backend, watchers?: Watchers): Store;

export declare function snapshotOf(store: Store): StoreSnapshot;

export declare function writeCursor(order: ListOrder, { rank, sequence }: ListPlace): string;

// Reached from these.

type Awaitable<T> = T | Promise<T>;

type ErrorCode = 'ENCODING_UNSUPPORTED' | 'ENCODING_INVALID' | 'LIMIT_BYTES' | 'LIMIT_DEPTH' | 'LIMIT_ARRAY' | 'LIMIT_MEMBERS' | 'LIMIT_VALUES' | 'LIMIT_STRING' | 'LIMIT_NUMBER' | 'LIMIT_HOPS' | 'LIMIT_RATE' | 'ENVELOPE_INVALID' | 'NUMBER_INEXACT' | 'CT_UNSUPPORTED' | 'VERSION_UNSUPPORTED' | 'ADDRESS_WRONG' | 'UNAUTHENTICATED' | 'SENDER_REFUSED' | 'MODE_REFUSED' | 'SIGNATURE_INVALID' | 'DECRYPT_FAILED' | 'BINDING_INVALID' | 'NOT_AUTHORIZED' | 'TIME_INVALID' | 'REPLAYED' | 'REPLAY_FULL' | 'SESSION_INVALID' | 'SCHEMA_DESCRIPTOR' | 'SCHEMA_HASH' | 'SCHEMA_URI' | 'SCHEMA_UNSUPPORTED' | 'SCHEMA_WORK' | 'PAYLOAD_INVALID' | 'STATE_BASE' | 'STATE_PATCH' | 'TASK_UNKNOWN' | 'TASK_CONFLICT' | 'TASK_ENDED' | 'TASK_REFUSED' | 'DRAINING' | 'UNAVAILABLE' | 'DEADLINE' | 'INTERNAL';

type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface ErrorRow {
    readonly wire: WireCode;
    readonly http: number;
    readonly retryable: boolean;
    readonly words: string;
}

type Pull = (from: number, limit: number, maxBytes: number) => Tail | Promise<Tail>;

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

interface TransactOptions {
    readonly isGiven?: boolean;
}

type WireCode = 'UNSUPPORTED_ENCODING' | 'UNSUPPORTED_CT' | 'SCHEMA_INVALID' | 'SECURITY_UNSUPPORTED' | 'BAD_REQUEST' | 'INTERNAL';
