// Owns loading jose, which is optional: it verifies the signatures of JSON Web Tokens.

import type { CallerEntry } from './entry.ts';

/** What is used of jose. No declaration names the package, because a user of ours may not have it installed. */
export interface Jose {
  jwtVerify(
    token: string,
    key: (header: TokenHeader) => Promise<VerifyingKey>,
    options: {
      readonly algorithms: readonly string[];
      readonly issuer: string;
      readonly audience: string;
      readonly subject?: string;
      readonly requiredClaims: readonly string[];
      readonly currentDate: Date;
      readonly clockTolerance: number;
    },
  ): Promise<{ readonly payload: Claims }>;
  /** Reads, and verifies nothing. */
  decodeJwt(token: string): Claims;
  createLocalJWKSet(document: { readonly keys: readonly unknown[] }): FindKey;
  readonly errors: { readonly JWKSNoMatchingKey: new () => Error };
}

export type Claims = Readonly<Record<string, unknown>>;
export type FindKey = (header: TokenHeader) => Promise<VerifyingKey>;
/** Handed on as it is. */
export type TokenHeader = object & { readonly alg: string };
export type VerifyingKey = object & { readonly algorithm: object };

export type LoadJose = () => Promise<unknown>;

const MISSING =
  'tokens of an issuer need the package jose, which is not installed: run "npm install jose", or leave out the callers with "jwt"';

const loadPackage: LoadJose = () => import('jose');

/** @param load replaced in tests. */
export async function loadJose(load: LoadJose = loadPackage): Promise<Jose> {
  try {
    return (await load()) as Jose;
  } catch (cause) {
    throw new Error(MISSING, { cause });
  }
}

/** Throws, with what to install, where tokens of an issuer are expected and could never be judged. */
export async function assertTokenSupport(
  entries: readonly CallerEntry[],
  load?: LoadJose,
): Promise<void> {
  if (entries.some(({ proof }) => proof.scheme === 'jwt')) await loadJose(load);
}
