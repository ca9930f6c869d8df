// The public surface of `a2a-sdl/profiles/auth`: callers of other dialects than the SDL wire.

export type { AttemptLimits } from './attempts.ts';
export type { CallerProblem, CallersOptions } from './callers.ts';
export { createCallers } from './callers.ts';
export { readCallers, writeCallers } from './document.ts';
export { assertCallers } from './entries.ts';
export type { CallerEntry, CallerProof, Secret } from './entry.ts';
export { assertTokenSupport } from './jose.ts';
export type { KeySetLimits } from './key-set.ts';
export { hashOfUser, hashPassword } from './password.ts';
export { schemesOf } from './schemes.ts';
export { assertSecret, certificateHash, hashSecret } from './secret.ts';
export type {
  Authenticated,
  CallerScheme,
  CallerSchemes,
  Callers,
  Ceiling,
  Principal,
  Rights,
  ShareClass,
  Shown,
  Standing,
  Wish,
} from '../../src/transport.ts';
