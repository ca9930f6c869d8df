// Owns the one answer to "may it do this now?": what the entry of a caller allows, with what came along with the call.
// SPEC.md sections 10 and 13 (#grant, #checks).

import { SdlError } from '../errors.ts';
import { isNameAllowed } from '../security/policy/grant.ts';
import type { Principal } from './principal.ts';
import type { Ceiling, Rights, Standing, Wish } from './rights.ts';

/** Who asks, and with what. */
export interface Asker {
  readonly principal: Principal;
  readonly ceiling?: Ceiling | undefined;
}

/** The content type that a tool is called by. */
const TOOL_CALL = 'toolcall.v1';

/** Of somebody who may do nothing at all it is always false. */
export function isAllowed(
  rights: Rights,
  { principal, ceiling }: Asker,
  wish: Wish,
  nowMs: number,
): boolean {
  if (hasExpired(principal, nowMs)) return false;
  const standing = rights.of(principal);
  return standing !== undefined && doesAllow(standing, ceiling, wish, nowMs);
}

/** Throws NOT_AUTHORIZED unless one of the wishes is allowed. */
export function standingFor(
  rights: Rights,
  { principal, ceiling }: Asker,
  wishes: readonly Wish[],
  nowMs: number,
): Standing {
  const standing = hasExpired(principal, nowMs) ? undefined : rights.of(principal);
  if (standing === undefined) {
    throw new SdlError('NOT_AUTHORIZED', 'the caller is not known here any more');
  }
  if (wishes.some((wish) => doesAllow(standing, ceiling, wish, nowMs))) return standing;
  throw new SdlError('NOT_AUTHORIZED', 'the caller may not do this');
}

/** What it showed proves nothing any more. */
function hasExpired({ expiresAt }: Principal, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt <= nowMs;
}

function doesAllow(
  standing: Standing,
  ceiling: Ceiling | undefined,
  wish: Wish,
  nowMs: number,
): boolean {
  const isAllowedByEntry = standing.allows(wish);
  if (ceiling === undefined) return isAllowedByEntry;
  const isAllowedByCeiling = nowMs <= ceiling.notAfterMs && isInScope(ceiling.allow, wish);
  return ceiling.isGrant === true
    ? isAllowedByEntry || isAllowedByCeiling
    : isAllowedByEntry && isAllowedByCeiling;
}

/** The lists are not added up: who may use one tool must not be able to use every tool. */
export function isInScope(
  { ct, tools }: { readonly ct: readonly string[]; readonly tools: readonly string[] },
  wish: Wish,
): boolean {
  if ('ct' in wish) return isNameAllowed(ct, wish.ct);
  return isNameAllowed(ct, TOOL_CALL) && isNameAllowed(tools, wish.tool);
}
