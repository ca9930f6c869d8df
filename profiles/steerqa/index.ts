// The public surface of `a2a-sdl/profiles/steerqa`: the face of an agent, and what its handlers need.

export type { CarriedContext, SteerqaContent, SteerqaContentsOptions } from './contents.ts';
export { steerqaContents } from './contents.ts';
export { steerqa } from './face.ts';
export type { SteerqaEnvelope, SteerqaKind, SteerqaOffer, SteerqaResult } from './messages.ts';
export { steerqaOffer } from './offer.ts';
export type { SteerqaOptions } from './options.ts';
export type { Misfit } from './schemas.ts';
export { checkMessage } from './schemas.ts';
