// a2a-sdl/transports/fetch: 13 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface FetchLimits {
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

export interface GuardedAnswer {
    readonly status: number;
    readonly headers: Readonly<Partial<Record<'content-type' | 'cache-control' | 'etag' | 'retry-after', string>>> & Readonly<Record<string, string | undefined>>;
    readonly body: Uint8Array;
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>;

export interface GuardedFetchOptions extends FetchLimits {
    readonly allowLoopback?: boolean;
}

export type GuardedOpen = (url: string, request?: Omit<GuardedRequest, 'wantsBody'>) => Promise<GuardedStream>;

export interface GuardedRequest {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
    readonly typedUrl?: string;
    readonly wantsBody?: (status: number) => boolean;
    readonly tellsHeaders?: readonly string[];
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
}

export interface GuardedStream extends Pick<GuardedAnswer, 'status' | 'headers'> {
    whole(): Promise<Uint8Array>;
    pieces(idleMs: number): AsyncGenerator<Uint8Array>;
    close(): void;
}

export interface HostAddress {
    readonly address: string;
    readonly family: 4 | 6;
}

export interface SchemaFetchOptions extends FetchLimits {
}

export declare function createGuardedFetch(options?: GuardedFetchOptions): GuardedFetch;

export declare function createGuardedOpen(options?: GuardedFetchOptions): GuardedOpen;

export declare function createSchemaFetch(options?: SchemaFetchOptions): (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;

export declare function createUrlGuard(options?: GuardedFetchOptions): (url: string) => string;
