// Owns how security modes compare: each is what it does, sign and encrypt. SPEC.md section 6 (#sec-shape).

import type { Envelope, SecurityMode } from '../../envelope/types.ts';

export const SECURITY_MODES: readonly SecurityMode[] = ['none', 'sig', 'enc', 'enc+sig'];

export function modeOf(envelope: Envelope): SecurityMode {
  return envelope.sec?.mode ?? 'none';
}

export function isSigned(mode: SecurityMode): boolean {
  return mode === 'sig' || mode === 'enc+sig';
}

export function isEncrypted(mode: SecurityMode): boolean {
  return mode === 'enc' || mode === 'enc+sig';
}

export function modeFor(sign: boolean, encrypt: boolean): SecurityMode {
  if (encrypt) return sign ? 'enc+sig' : 'enc';
  return sign ? 'sig' : 'none';
}

/** Does it do all that the other does? Neither `sig` nor `enc` does what the other one does. */
export function isAtLeast(mode: SecurityMode, other: SecurityMode): boolean {
  return (isSigned(mode) || !isSigned(other)) && (isEncrypted(mode) || !isEncrypted(other));
}

/** The weakest mode that is at least each of these. */
export function joinModes(...modes: readonly SecurityMode[]): SecurityMode {
  return modeFor(modes.some(isSigned), modes.some(isEncrypted));
}
