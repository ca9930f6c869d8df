// The surface of `a2a-sdl/envelope`: reading, checking, building and writing envelopes.

export type {
  Content,
  EnvelopeBuilder,
  EnvelopeBuilderOptions,
  ReplyTo,
  RequestOptions,
} from './build.ts';
export { createEnvelopeBuilder, salvageReplyTo } from './build.ts';
export type { CapabilityOptions } from './capabilities.ts';
export { defaultCapabilities } from './capabilities.ts';
export type { Encoding } from './decode.ts';
export { decodeMessage } from './decode.ts';
export { encodeMessage, envelopeValue } from './encode.ts';
export { toErrorPayload } from './error-payload.ts';
export type { AnswerHead } from './peek.ts';
export { peekAnswer } from './peek.ts';
export type { ShapeOptions } from './shape.ts';
export { checkShape } from './shape.ts';
export { formatTimestamp, parseTimestamp } from './timestamp.ts';
export { forwardTrace, replyTrace, startTrace } from './trace.ts';
export type {
  Envelope,
  Identity,
  MessageType,
  Recipient,
  Sec,
  SecurityMode,
  SigningForm,
  Trace,
} from './types.ts';
export type { RandomBytes } from './uuid.ts';
