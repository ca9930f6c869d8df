// a2a-sdl/transports/fetch: 3 names. Made by "npm run api" from the emitted declarations; not to be edited.

export interface HostAddress {
    readonly address: string;
    readonly family: 4 | 6;
}

export interface SchemaFetchOptions {
    readonly maxBytes?: number;
    readonly timeoutMs?: number;
    readonly allowHttp?: boolean;
    readonly allowRanges?: readonly string[];
    readonly ports?: readonly number[];
    readonly lookup?: (host: string) => Promise<readonly HostAddress[]>;
    readonly ca?: string;
}

export declare function createSchemaFetch(options?: SchemaFetchOptions): (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;
