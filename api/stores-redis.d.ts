// a2a-sdl/stores/redis: 3 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface RedisStore extends EntryStore {
    rateLimiter(options?: RedisRateLimiterOptions): RateLimiter;
}

export interface RedisStoreOptions {
    readonly url: string;
    readonly now?: () => number;
    readonly prefix?: string;
    readonly timeoutMs?: number;
    readonly clockMarginMs?: number;
    readonly allowEviction?: boolean;
    readonly onWarning?: (message: string) => void;
}

export declare function openRedisStore(options: RedisStoreOptions): Promise<RedisStore>;

// Reached from these.

type Awaitable<T> = T | Promise<T>;

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

interface NewEntry extends EntryOptions {
    readonly value: Uint8Array;
}

interface PutOptions extends EntryOptions, VersionCondition {
}

interface RateLimiter {
    take(key: string, limits: RateLimits): Awaitable<boolean>;
}

interface RateLimits {
    readonly ratePerSecond: number;
    readonly burst: number;
}

interface RedisRateLimiterOptions {
    readonly now?: () => number;
}

interface VersionCondition {
    readonly ifVersion?: number | undefined;
}

interface WriteResult {
    readonly ok: boolean;
    readonly version: number;
}
