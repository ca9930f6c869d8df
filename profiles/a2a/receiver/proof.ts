// Owns whether a notification comes from who was given the secrets for it. Texts are compared in a time that does not
// depend on them. SPEC.md section 20 (#a2a-hook-receiver).

import { createHash, timingSafeEqual } from 'node:crypto';

import type { ResolvedReceiver, ShownByHook } from './options.ts';

type Judge = Pick<ResolvedReceiver, 'tokens' | 'authorizations' | 'accepts'>;

/** All that is asked for must be shown. */
export async function isProven(shown: ShownByHook, judge: Judge): Promise<boolean> {
  const { tokens, authorizations, accepts } = judge;
  const isToken = tokens.length === 0 || isOneOf(shown.token, tokens);
  const isAuthorized =
    authorizations.length === 0 ||
    isOneOf(
      plain(shown.authorization),
      authorizations.map((text) => plain(text)!),
    );
  return isToken && isAuthorized && (await accepts(shown));
}

/** The schemes of `Authorization`, for a challenge. */
export function schemesOf({ authorizations }: Judge): readonly string[] {
  return [...new Set(authorizations.map((text) => text.trim().split(/\s/, 1)[0]!))];
}

function isOneOf(text: string | undefined, known: readonly string[]): boolean {
  if (text === undefined) return false;
  const digest = digestOf(text);
  // All of them are looked at: where it stands in the list is nobody's business.
  return known.filter((one) => timingSafeEqual(digestOf(one), digest)).length > 0;
}

/** Names of schemes are in any case. */
function plain(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = '', ...rest] = authorization.trim().split(/\s+/);
  return [scheme.toLowerCase(), ...rest].join(' ');
}

function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
