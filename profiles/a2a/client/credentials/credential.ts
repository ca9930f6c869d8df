// Owns what proves who we are to an agent, and that it is shown at the origin that it was given for and nowhere else.
// SPEC.md section 20 (#a2a-client-secrets).

/** One secret. */
export type A2aCredential =
  | { readonly scheme: 'bearer'; readonly token: string }
  | {
      readonly scheme: 'api-key';
      readonly key: string;
      /** The header that carries it. @default the one that the card names, else `X-API-Key` */
      readonly header?: string;
    }
  | { readonly scheme: 'basic'; readonly user: string; readonly password: string }
  | {
      /** Client credentials (RFC 6749): a token is fetched, and kept until it expires. */
      readonly scheme: 'oauth2';
      /** That the operator knows; what a card says of tokens is not read. */
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
    }
  /** As PEM, for TLS. */
  | { readonly scheme: 'certificate'; readonly cert: string; readonly key: string };

/** A secret and where it may be shown. */
export type BoundCredential = A2aCredential & {
  /** Such as `https://agent.example`: scheme, host and port. */
  readonly origin: string;
};

const HEADER = /^[A-Za-z0-9-]{1,64}$/;
const PRINTABLE = /^[\x21-\x7e]+$/;
/** What frames a request, or proves something else. */
const TAKEN: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'a2a-extensions',
  'a2a-version',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'last-event-id',
  'transfer-encoding',
]);

/** Wrong use by the programmer is a TypeError; it never has the secret in it. */
export function assertCredentials(credentials: readonly BoundCredential[]): void {
  for (const [at, credential] of credentials.entries()) {
    const where = `credentials[${at}]`;
    const { origin } = credential;
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin)) {
      throw new TypeError(`"${where}.origin" expected an origin such as https://agent.example`);
    }
    const wrong = faultOf(credential);
    if (wrong !== undefined) throw new TypeError(`"${where}.${wrong}`);
  }
}

/** The member and what it should be. */
function faultOf(credential: A2aCredential): string | undefined {
  switch (credential.scheme) {
    case 'bearer':
      return PRINTABLE.test(credential.token) ? undefined : 'token" expected text without spaces';
    case 'api-key':
      if (!PRINTABLE.test(credential.key)) return 'key" expected text without spaces';
      return credential.header === undefined || isHeaderName(credential.header)
        ? undefined
        : 'header" expected the name of a header that is free';
    case 'basic':
      return credential.user.includes(':') ? 'user" expected no ":"' : undefined;
    case 'oauth2':
      return URL.canParse(credential.tokenUrl) ? undefined : 'tokenUrl" expected a URL';
    default:
      return credential.cert.includes('-----BEGIN ') && credential.key.includes('-----BEGIN ')
        ? undefined
        : 'cert" and "key" expected PEM';
  }
}

export function isHeaderName(name: string): boolean {
  return HEADER.test(name) && !TAKEN.has(name.toLowerCase());
}

/** What may be shown at this address. Scheme, host and port have to be the same. */
export function credentialsAt(
  url: string,
  credentials: readonly BoundCredential[],
): readonly BoundCredential[] {
  if (!URL.canParse(url)) return [];
  const { origin } = new URL(url);
  return credentials.filter((credential) => credential.origin === origin);
}
