// The public surface of `a2a-sdl/profiles/steerqa`: the face of an agent, and what its handlers need.

export type {
  CarriedAnswer,
  CarriedContext,
  SteerqaContent,
  SteerqaContentsOptions,
} from './contents.ts';
export { STEERQA_SCHEMAS, steerqaContents } from './contents.ts';
export { steerqa } from './face.ts';
export type { SteerqaEnvelope, SteerqaKind, SteerqaOffer, SteerqaResult } from './messages.ts';
export { steerqaOffer } from './offer.ts';
export type { SteerqaOptions } from './options.ts';
export type { Misfit } from './schemas.ts';
export { checkMessage } from './schemas.ts';
export type { AnswerBody } from './root/answer.ts';
export type {
  NewOffer,
  RequestParts,
  SentOffer,
  SteerqaRoot,
  SteerqaRootOptions,
} from './root/connect.ts';
export { connectSteerqa } from './root/connect.ts';
export type {
  Evaluation,
  EvaluationOptions,
  EventContent,
  SteerqaEvent,
  SteerqaEventType,
} from './root/evaluation.ts';
export { createEvaluation, createEventCheck } from './root/evaluation.ts';
export type { EventRule } from './root/event-order.ts';
export type { FailureFacts } from './root/failure.ts';
export { SteerqaFailure } from './root/failure.ts';
