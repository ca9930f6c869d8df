// Owns the public keys of one issuer: kept for a while, fetched again for a key that is new, used on through an outage
// for a bounded time. SPEC.md section 16 (#callers-jwt).

import { SdlError, isJsonObject, readJson } from '../../src/transport.ts';
import type { JsonValue } from '../../src/transport.ts';
import type { GuardedFetch } from '../../transports/fetch/index.ts';
import type { FindKey, Jose, TokenHeader, VerifyingKey } from './jose.ts';

export interface KeySetLimits {
  /** For how long keys that were fetched are not asked for again. @default 600000 */
  readonly freshMs?: number;
  /** The time between two fetches, at the least: for a key that is not known, and after one that failed. @default 10000 */
  readonly refetchMs?: number;
  /** For how long keys are used on while the issuer does not answer. @default 3600000 */
  readonly staleMs?: number;
}

export interface KeySource {
  readonly issuer: string;
  readonly jwksUrl?: string;
}

interface KeySetOptions extends KeySource {
  readonly jose: Jose;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  readonly limits: KeySetLimits;
  /** Told why the keys could not be had. */
  readonly onAway: (cause: unknown) => void;
}

/** Symmetric keys are left out: a token signed with text that everybody can read proves nothing. */
const KEY_TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP']);
const MOST_KEYS = 100;

export class KeySet {
  readonly #options: KeySetOptions;
  readonly #limits: Required<KeySetLimits>;
  #keys: { readonly find: FindKey; readonly at: number } | undefined;
  #triedAt = -Infinity;
  #fetching: Promise<boolean> | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
    const { freshMs = 600_000, refetchMs = 10_000, staleMs = 3_600_000 } = options.limits;
    this.#limits = { freshMs, refetchMs, staleMs };
  }

  /** Throws UNAVAILABLE while there are no keys to judge by, and whatever jose throws for a key that is not among them. */
  async keyFor(header: TokenHeader): Promise<VerifyingKey> {
    if (this.#age() >= this.#limits.freshMs) await this.#refresh();
    try {
      return await this.#find(header);
    } catch (thrown) {
      const isNew = thrown instanceof this.#options.jose.errors.JWKSNoMatchingKey;
      if (!isNew || !(await this.#refresh())) throw thrown;
      return this.#find(header);
    }
  }

  #age(): number {
    return this.#keys === undefined ? Infinity : this.#options.now() - this.#keys.at;
  }

  #find(header: TokenHeader): Promise<VerifyingKey> {
    if (this.#keys === undefined || this.#age() >= this.#limits.staleMs) {
      throw new SdlError('UNAVAILABLE', 'the keys of the issuer cannot be had');
    }
    return this.#keys.find(header);
  }

  /** True when there are new keys. All who wait share one fetch. */
  #refresh(): Promise<boolean> {
    if (this.#fetching !== undefined) return this.#fetching;
    const { now, onAway } = this.#options;
    if (now() - this.#triedAt < this.#limits.refetchMs) return Promise.resolve(false);
    this.#triedAt = now();
    this.#fetching = this.#load()
      .then(
        (find) => {
          this.#keys = { find, at: now() };
          return true;
        },
        (cause: unknown) => {
          onAway(cause);
          return false;
        },
      )
      .finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #load(): Promise<FindKey> {
    const { issuer, jwksUrl, jose } = this.#options;
    // What the operator typed may be private; what a document says only at that same host.
    const typedUrl = jwksUrl ?? issuer;
    const document = await this.#read(jwksUrl ?? (await this.#discover()), typedUrl);
    const { keys } = document;
    if (!Array.isArray(keys)) throw new Error('the document of the keys has no list of keys');
    const usable = (keys as JsonValue[]).filter(isVerifying).slice(0, MOST_KEYS);
    return jose.createLocalJWKSet({ keys: usable });
  }

  async #discover(): Promise<string> {
    const { issuer } = this.#options;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = await this.#read(url, issuer);
    if (document['issuer'] !== issuer) throw new Error('the issuer calls itself by another name');
    const { jwks_uri: found } = document;
    if (typeof found !== 'string') throw new Error('the issuer does not say where its keys are');
    return found;
  }

  async #read(url: string, typedUrl: string): Promise<Readonly<Record<string, JsonValue>>> {
    const headers = { Accept: 'application/json' };
    const { status, body } = await this.#options.fetch(url, { typedUrl, headers });
    if (status !== 200) throw new Error(`the issuer answered with status ${status}`);
    const document = readJson(body);
    if (!isJsonObject(document)) throw new Error('the issuer answered with no JSON object');
    return document;
  }
}

function isVerifying(key: JsonValue): boolean {
  if (!isJsonObject(key)) return false;
  const { kty, use } = key;
  return KEY_TYPES.has(kty) && (use === undefined || use === 'sig');
}
