// Owns what the user of the schema fetcher can set; free of Node's types, so that it compiles everywhere. SPEC.md section 5.1 (#schema-uri).

export interface SchemaFetchOptions {
  /** Largest body. @default 262144 */
  readonly maxBytes?: number;
  /** Deadline for the whole fetch: look-up, connection, headers, body. @default 5000 */
  readonly timeoutMs?: number;
  /** Accept http: too. @default false */
  readonly allowHttp?: boolean;
  /** CIDR ranges that count as public although they are not, for schemas on one's own network. @default [] */
  readonly allowRanges?: readonly string[];
  /** Ports that may be used. @default [443] (with allowHttp also 80) */
  readonly ports?: readonly number[];
  /** Name look-up. @default dns.promises.lookup with all: true */
  readonly lookup?: (host: string) => Promise<readonly HostAddress[]>;
  /** PEM certificates to trust beside those that Node ships. */
  readonly ca?: string;
}

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}
