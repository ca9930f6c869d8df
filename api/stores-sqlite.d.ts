// a2a-sdl/stores/sqlite: 3 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface SqliteStoreOptions {
    readonly path: string;
    readonly now?: () => number;
    readonly pollIntervalMs?: number;
    readonly busyTimeoutMs?: number;
    readonly checkOnOpen?: boolean;
}

export declare function openSqliteSnapshot(options: Omit<SqliteStoreOptions, 'pollIntervalMs'>): Promise<StoreSnapshot>;

export declare function openSqliteStore(options: SqliteStoreOptions): Promise<Store>;

// Reached from these.

interface AppendOptions {
    readonly ifLength?: number | undefined;
}

interface AppendResult {
    readonly ok: boolean;
    readonly position: number;
}

interface CountOptions {
    readonly index?: EntryIndex | undefined;
    readonly since?: number | undefined;
    readonly atMost?: number | undefined;
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

interface InventoryOptions {
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
}

type InventoryPart = 'spaces' | 'logs' | 'tallies';

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

interface PutOptions extends EntryOptions, VersionCondition {
}

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

type StoreSnapshot = Pick<Store, 'get' | 'count' | 'list' | 'read' | 'length' | 'tally' | 'close'> & Required<Pick<Store, 'inventory'>>;

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
