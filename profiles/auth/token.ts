// Owns tokens of an issuer: which caller one is of, and whether it holds. SPEC.md section 16 (#callers-jwt).

import type { Ceiling } from '../../src/transport.ts';
import { SdlError, isJsonObject, readJson } from '../../src/transport.ts';
import type { GuardedFetch } from '../../transports/fetch/index.ts';
import type { TokenEntry } from './entries.ts';
import type { Claims, Jose, LoadJose } from './jose.ts';
import { loadJose } from './jose.ts';
import type { KeySetLimits, KeySource } from './key-set.ts';
import { KeySet } from './key-set.ts';
import { ceilingOf } from './scopes.ts';

interface TokenCheckOptions {
  readonly fetch: GuardedFetch;
  readonly now: () => number;
  readonly limits: KeySetLimits;
  readonly load: LoadJose | undefined;
  readonly onProblem: (caller: string, cause: unknown) => void;
}

export interface TokenProof {
  readonly entry: TokenEntry;
  readonly subject: string;
  readonly expiresAt: number;
  readonly ceiling?: Ceiling;
}

/** Asymmetric ones only. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** For the clock of an issuer that is a little ahead. A token is never taken after its own end. */
const CLOCK_TOLERANCE_S = 5;
const MOST_KEY_SETS = 1_000;
const MAX_MOMENT_MS = 8_640_000_000_000_000;
const SUBJECT = /^\P{Cc}{1,256}$/u;

export class TokenCheck {
  readonly #options: TokenCheckOptions;
  readonly #keySets = new Map<string, KeySet>();
  #jose: Promise<Jose> | undefined;

  constructor(options: TokenCheckOptions) {
    this.#options = options;
  }

  /** `undefined` for a token that does not hold; throws UNAVAILABLE where that cannot be judged now. */
  async prove(token: string, entries: readonly TokenEntry[]): Promise<TokenProof | undefined> {
    if (entries.length === 0 || !isUnambiguous(token)) return undefined;
    const jose = await this.#loaded(entries[0]!);
    const entry = entryFor(claimsOf(token, jose), entries);
    if (entry === undefined) return undefined;
    const claims = await this.#verify(token, entry, jose);
    const { sub, exp } = claims ?? {};
    if (claims === undefined || typeof sub !== 'string' || !SUBJECT.test(sub)) return undefined;
    const expiresAt = Math.min(Number(exp) * 1_000, MAX_MOMENT_MS);
    if (!(expiresAt > this.#options.now())) return undefined;
    const ceiling = ceilingOf(claims, expiresAt);
    return { entry, subject: sub, expiresAt, ...(ceiling !== undefined && { ceiling }) };
  }

  async #loaded({ name }: TokenEntry): Promise<Jose> {
    const loading = (this.#jose ??= loadJose(this.#options.load));
    try {
      return await loading;
    } catch (cause) {
      this.#jose = undefined;
      this.#options.onProblem(name, cause);
      throw new SdlError('UNAVAILABLE', 'tokens cannot be judged here');
    }
  }

  async #verify(token: string, entry: TokenEntry, jose: Jose): Promise<Claims | undefined> {
    const { issuer, audience, subject } = entry.proof;
    const keys = this.#keysOf(entry, jose);
    try {
      const { payload } = await jose.jwtVerify(token, (header) => keys.keyFor(header), {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        ...(subject !== undefined && { subject }),
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#options.now()),
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      return payload;
    } catch (thrown) {
      if (thrown instanceof SdlError) throw thrown;
      // Not kept: the errors of jose carry the claims.
      return undefined;
    }
  }

  #keysOf({ name, proof: { issuer, jwksUrl } }: TokenEntry, jose: Jose): KeySet {
    const source: KeySource = { issuer, ...(jwksUrl !== undefined && { jwksUrl }) };
    const id = JSON.stringify(source);
    const known = this.#keySets.get(id);
    if (known !== undefined) return known;
    const { fetch, now, limits, onProblem } = this.#options;
    const onAway = (cause: unknown): void => onProblem(name, cause);
    const keys = new KeySet({ ...source, jose, fetch, now, limits, onAway });
    if (this.#keySets.size >= MOST_KEY_SETS) this.#keySets.clear();
    this.#keySets.set(id, keys);
    return keys;
  }
}

/** Its header and its claims are read alike by everybody: nothing in them is said twice. */
function isUnambiguous(token: string): boolean {
  const [header, claims, signature, ...more] = token.split('.');
  if (signature === undefined || more.length > 0) return false;
  try {
    return [header!, claims!].every((text) => isJsonObject(readJson(bytesOf(text))));
  } catch {
    return false;
  }
}

function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new TypeError('no base64url');
  return bytes;
}

/** Claims that nothing has proven yet: they only say which keys to ask. */
function claimsOf(token: string, jose: Jose): Claims {
  try {
    return jose.decodeJwt(token);
  } catch {
    return {};
  }
}

/**
 * An entry for one subject goes before one for all, also where it is revoked: else a subject that was put out would come
 * in by the other.
 */
function entryFor(
  { iss, aud, sub }: Claims,
  entries: readonly TokenEntry[],
): TokenEntry | undefined {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const fitting = entries.filter(
    ({ proof }) => proof.issuer === iss && audiences.includes(proof.audience),
  );
  return (
    fitting.find(({ proof }) => proof.subject !== undefined && proof.subject === sub) ??
    fitting.find(({ proof }) => proof.subject === undefined)
  );
}
