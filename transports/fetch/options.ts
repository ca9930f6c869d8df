// Owns what the user of a guarded fetch can set and gets; free of Node's types, so that it compiles everywhere.
// SPEC.md section 5.1 (#guarded-fetch, #schema-uri).

/** What every fetch of one kind keeps to. */
export interface FetchLimits {
  /** Largest body of an answer. @default 262144 */
  readonly maxBytes?: number;
  /** Deadline for the whole fetch: look-up, connection, headers, body. @default 5000 */
  readonly timeoutMs?: number;
  /** Accept http: too. @default false */
  readonly allowHttp?: boolean;
  /** CIDR ranges that count as public although they are not, such as those of one's own network. @default [] */
  readonly allowRanges?: readonly string[];
  /**
   * Ports that may be used; `web` for 80, 443 and all from 1024 on, where nothing but HTTP is likely to be met.
   * @default [443] (with allowHttp also 80)
   */
  readonly ports?: readonly number[] | 'web';
  /** Name look-up. @default dns.promises.lookup with all: true */
  readonly lookup?: (host: string) => Promise<readonly HostAddress[]>;
  /** PEM certificates to trust beside those that Node ships. */
  readonly ca?: string;
  /** What is shown to a server that asks for a certificate, as PEM. @default nothing */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
}

export interface SchemaFetchOptions extends FetchLimits {}

export interface GuardedFetchOptions extends FetchLimits {
  /** For tests: http:, every port, and this machine's own loopback addresses. @default false */
  readonly allowLoopback?: boolean;
}

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** One request. */
export interface GuardedRequest {
  /** @default 'GET' */
  readonly method?: string;
  /** Beside those that the fetch sets itself: Host, Content-Length, Accept-Encoding, Connection. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default none */
  readonly body?: Uint8Array;
  /**
   * A URL that the operator typed. At its host private and loopback addresses and every port are allowed, and http:
   * where it is itself one of http:. For the typed URL itself give it twice; for a URL found in the document behind it,
   * give the typed one here. @default none: only the public network
   */
  readonly typedUrl?: string;
  /** Of which statuses the body is read; the others have an empty one. @default all */
  readonly wantsBody?: (status: number) => boolean;
  /** Further headers of the answer to be told, in lower case. @default none */
  readonly tellsHeaders?: readonly string[];
  /** Instead of that of the fetch. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface GuardedAnswer {
  /** Never one of a redirect. */
  readonly status: number;
  /** Of the answer's headers these, where they were sent, and those that the request names. */
  readonly headers: Readonly<
    Partial<Record<'content-type' | 'cache-control' | 'etag' | 'retry-after', string>>
  > &
    Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** An answer of which only the head was read. Who has it reads it once, or closes it. */
export interface GuardedStream extends Pick<GuardedAnswer, 'status' | 'headers'> {
  /** All of it, within the limits of the fetch; the time that the request has goes on. */
  whole(): Promise<Uint8Array>;
  /** Piece by piece for as long as it lasts: how much that may be, its reader decides. @param idleMs between two pieces */
  pieces(idleMs: number): AsyncGenerator<Uint8Array>;
  /** Ends the connection; once more does nothing. */
  close(): void;
}

/** Like {@link GuardedFetch}, for answers that are read while they come. `timeoutMs` is for its head. */
export type GuardedOpen = (
  url: string,
  request?: Omit<GuardedRequest, 'wantsBody'>,
) => Promise<GuardedStream>;

/**
 * Throws a `TransportError`: `forbidden` for a URL that may not be used (nothing was sent), `refused` for a redirect,
 * `protocol` for an answer that is too large, compressed or no HTTP, `unreachable`, `lost`, `timeout` and `aborted` as
 * they say. No error carries anything of the answer but its status.
 */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>;
