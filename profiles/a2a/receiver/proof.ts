// Owns whether a notification comes from who was given the secrets for it, and who has signed it. Texts are compared in a
// time that does not depend on them. SPEC.md section 20 (#a2a-hook-receiver, #a2a-push-signed).

import { createHash, timingSafeEqual } from 'node:crypto';

import { SdlError } from '../../../src/transport.ts';
import { SIGNATURE_HEADER } from '../push/signature.ts';
import type { VerifiedDelivery } from '../push/verify-delivery.ts';
import { verifyDelivery } from '../push/verify-delivery.ts';
import type { ResolvedReceiver, ShownByHook } from './options.ts';
import type { HookRequest } from './request.ts';

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

/** It has to have a signature, and has none. */
export function lacksSignature(
  headers: HookRequest['headers'],
  { signed }: Pick<ResolvedReceiver, 'signed'>,
): boolean {
  const isRequired = signed !== undefined && signed.required !== false;
  return isRequired && signatureIn(headers) === undefined;
}

/** Names are in lower case where they come from node:http. */
function signatureIn(headers: HookRequest['headers']): string | undefined {
  return headers.get(SIGNATURE_HEADER.toLowerCase()) ?? undefined;
}

/** Who has signed it; `undefined` where nobody did, and nobody has to. */
export async function signerOf(
  headers: HookRequest['headers'],
  body: Uint8Array,
  { signed }: Pick<ResolvedReceiver, 'signed'>,
): Promise<VerifiedDelivery | 'refused' | undefined> {
  const signature = signatureIn(headers);
  if (signed === undefined || signature === undefined) return undefined;
  try {
    return await verifyDelivery({ headers: { [SIGNATURE_HEADER]: signature }, body }, signed);
  } catch (thrown) {
    if (thrown instanceof SdlError) return 'refused';
    throw thrown;
  }
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
