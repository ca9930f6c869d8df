// a2a-sdl/transports/fetch: 9 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface FetchLimits {
    readonly maxBytes?: number;
    readonly timeoutMs?: number;
    readonly allowHttp?: boolean;
    readonly allowRanges?: readonly string[];
    readonly ports?: readonly number[];
    readonly lookup?: (host: string) => Promise<readonly HostAddress[]>;
    readonly ca?: string;
}

export interface GuardedAnswer {
    readonly status: number;
    readonly headers: Readonly<Partial<Record<'content-type' | 'cache-control' | 'etag' | 'retry-after', string>>>;
    readonly body: Uint8Array;
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>;

export interface GuardedFetchOptions extends FetchLimits {
    readonly allowLoopback?: boolean;
}

export interface GuardedRequest {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
    readonly typedUrl?: string;
    readonly wantsBody?: (status: number) => boolean;
    readonly signal?: AbortSignal;
}

export interface HostAddress {
    readonly address: string;
    readonly family: 4 | 6;
}

export interface SchemaFetchOptions extends FetchLimits {
}

export declare function createGuardedFetch(options?: GuardedFetchOptions): GuardedFetch;

export declare function createSchemaFetch(options?: SchemaFetchOptions): (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;
