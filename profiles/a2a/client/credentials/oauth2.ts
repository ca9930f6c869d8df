// Owns tokens of OAuth 2.0 client credentials: fetched from the address that the operator typed, kept until shortly
// before they expire. SPEC.md section 20 (#a2a-client-secrets).

import { isJsonObject, readJson, TransportError } from '../../../../src/transport.ts';
import type { GuardedFetch } from '../../../../transports/fetch/index.ts';
import type { A2aCredential } from './credential.ts';

type Oauth2 = Extract<A2aCredential, { readonly scheme: 'oauth2' }>;

interface Token {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly freshUntil: number;
}

/** A token that is about to expire would do so on its way. */
const EARLY_MS = 30_000;
/** Where the issuer does not say. */
const USUAL_MS = 300_000;
const LONGEST_TOKEN = 16_384;

export class TokenSource {
  readonly #credential: Oauth2;
  readonly #fetch: GuardedFetch;
  readonly #now: () => number;
  #token: Token | undefined;
  #fetching: Promise<Token> | undefined;

  constructor(credential: Oauth2, fetch: GuardedFetch, now: () => number) {
    this.#credential = credential;
    this.#fetch = fetch;
    this.#now = now;
  }

  /** @param refused a token that was shown in vain: another one is fetched unless that has happened already. */
  async get(signal: AbortSignal, refused?: string): Promise<string> {
    const known = this.#token;
    if (known !== undefined && known.text !== refused && known.freshUntil > this.#now()) {
      return known.text;
    }
    // Those who ask at the same time share one.
    this.#fetching ??= this.#ask(signal).finally(() => (this.#fetching = undefined));
    this.#token = await this.#fetching;
    return this.#token.text;
  }

  async #ask(signal: AbortSignal): Promise<Token> {
    const { tokenUrl, clientId, clientSecret, scope } = this.#credential;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (scope !== undefined) form.set('scope', scope);
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    const { status, body } = await this.#fetch(tokenUrl, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new TextEncoder().encode(form.toString()),
      typedUrl: tokenUrl,
      signal,
    });
    const token = status === 200 ? tokenIn(body, this.#now()) : undefined;
    if (token !== undefined) return token;
    const words = status === 200 ? 'no bearer token' : `status ${status}`;
    throw new TransportError('refused', `the token address answered with ${words}`);
  }
}

function tokenIn(body: Uint8Array, nowMs: number): Token | undefined {
  let answer;
  try {
    answer = readJson(body);
  } catch {
    return undefined;
  }
  if (!isJsonObject(answer)) return undefined;
  const { access_token: text, token_type: type = 'bearer', expires_in: seconds } = answer;
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
  const isToken = typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);
  if (!isBearer || !isToken || text.length > LONGEST_TOKEN) return undefined;
  const lifeMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : USUAL_MS;
  return { text, freshUntil: nowMs + Math.max(0, lifeMs - EARLY_MS) };
}
