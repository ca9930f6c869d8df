// The public surface of `a2a-sdl/profiles/a2a`: official A2A on the same agent.

export { a2a } from './face.ts';
export type { A2aOptions, KnownExtension, Profile } from './options.ts';
export { securityOf } from './card/callers.ts';
export type { CallerSecurityOptions } from './card/callers.ts';
export type { CardDetails, CardExtension, CardProvider, CardSkill } from './card/options.ts';
export type { CardScheme, CardSecurity } from './card/security.ts';
export type { CardVerdict, VerifyCardOptions } from './card/verify.ts';
export { verifyCard } from './card/verify.ts';
