// The public surface of a2a-sdl. Importing it loads no driver and no server library.

export { writeJcs } from './codec/canonical-jcs.ts';
export { writePythonJson } from './codec/canonical-python.ts';
export { readCbor } from './codec/cbor-read.ts';
export { writeCbor } from './codec/cbor-write.ts';
export type { Form, FormDifference } from './codec/explain.ts';
export { explainForms } from './codec/explain.ts';
export { readJson } from './codec/json-read.ts';
export { writeJson } from './codec/json-write.ts';
export type { JsonArray, JsonObject, JsonValue } from './codec/value.ts';
export { LosslessNumber, isJsonArray, isJsonObject, numberFromBigInt } from './codec/value.ts';
export type {
  Content,
  EnvelopeBuilder,
  EnvelopeBuilderOptions,
  ReplyTo,
  RequestOptions,
} from './envelope/build.ts';
export { createEnvelopeBuilder, salvageReplyTo } from './envelope/build.ts';
export type { CapabilityOptions } from './envelope/capabilities.ts';
export { defaultCapabilities } from './envelope/capabilities.ts';
export type { Encoding } from './envelope/decode.ts';
export { decodeMessage } from './envelope/decode.ts';
export { encodeMessage, envelopeValue } from './envelope/encode.ts';
export { toErrorPayload } from './envelope/error-payload.ts';
export type { ShapeOptions } from './envelope/shape.ts';
export { checkShape } from './envelope/shape.ts';
export { formatTimestamp, parseTimestamp } from './envelope/timestamp.ts';
export { forwardTrace, replyTrace, startTrace } from './envelope/trace.ts';
export type {
  Envelope,
  Identity,
  MessageType,
  Recipient,
  Sec,
  SecurityMode,
  SigningForm,
  Trace,
} from './envelope/types.ts';
export type { RandomBytes } from './envelope/uuid.ts';
export type { ErrorCode, ErrorDetails, ErrorRow, SdlErrorOptions, WireCode } from './errors.ts';
export { ERRORS, SdlError, toSdlError } from './errors.ts';
export type { Limits } from './limits.ts';
export { DEFAULT_LIMITS, resolveLimits } from './limits.ts';
export type { ContentHash } from './schema/content-hash.ts';
export { contentHash, isContentHash } from './schema/content-hash.ts';
export type {
  EmbeddedDescriptor,
  Schema,
  SchemaDescriptor,
  UriDescriptor,
} from './schema/descriptor.ts';
export { checkDescriptor, embed, verifyEmbedded } from './schema/descriptor.ts';
export type { PayloadCheck } from './schema/registry.ts';
export { SchemaRegistry } from './schema/registry.ts';
export type { SchemaFetch, SchemaResolver } from './schema/resolve-uri.ts';
export { createSchemaResolver } from './schema/resolve-uri.ts';
export { applyPatch } from './state/apply-patch.ts';
export { makePatch } from './state/make-patch.ts';
export type { StateDocument, StatePayload } from './state/state-document.ts';
export { EMPTY_STATE_HASH, INITIAL_STATE, applyState, makeState } from './state/state-document.ts';
