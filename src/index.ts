// The public surface of a2a-sdl. Importing it loads no driver and no server library.

export type { AuditLog } from './audit/log.ts';
export type { ExchangeOptions, Received } from './client/exchange.ts';
export type { ReceiptEvent } from './client/keep-receipt.ts';
export type { Exchange, RemoteAgent, TaskInput } from './client/remote-agent.ts';
export { ToolCallError } from './client/remote-agent.ts';
export { RemoteError } from './client/remote-error.ts';
export type { PeerSource } from './client/target.ts';
export type { TaskExchange, TaskUpdate } from './client/task-exchange.ts';
export { writeJcs } from './codec/canonical-jcs.ts';
export { writePythonJson } from './codec/canonical-python.ts';
export { readCbor } from './codec/cbor/read.ts';
export { writeCbor } from './codec/cbor/write.ts';
export type { Form, FormDifference } from './codec/explain.ts';
export { explainForms } from './codec/explain.ts';
export { FrameReader, writeFrame } from './codec/frame.ts';
export { readJson } from './codec/json/read.ts';
export { writeJson } from './codec/json/write.ts';
export type { JsonArray, JsonObject, JsonValue } from './codec/value.ts';
export { LosslessNumber, isJsonArray, isJsonObject, numberFromBigInt } from './codec/value.ts';
export type { Answer, ContentHandler, RequestContext, VerifiedRequest } from './content.ts';
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
export type { AnswerHead } from './envelope/peek.ts';
export { peekAnswer } from './envelope/peek.ts';
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
export { answer } from './handlers/answer.ts';
export type { ChunkOptions, ItemOptions, RefOptions } from './handlers/artifact/build.ts';
export { artifactRef, bytesItem, chunkItems, textItem } from './handlers/artifact/build.ts';
export type { ArtifactItem, ArtifactRef } from './handlers/artifact/read.ts';
export type { ReceivedArtifacts } from './handlers/artifact/handler.ts';
export type {
  ContentValue,
  Handled,
  JsonContentDefinition,
  StandardContentDefinition,
} from './handlers/custom/define-content.ts';
export { defineContent } from './handlers/custom/define-content.ts';
export type { PeerError } from './handlers/error.ts';
export type { ToolResult } from './handlers/tools/toolresult.ts';
export type { StandardSchema } from './handlers/custom/standard-schema.ts';
export type {
  JsonTool,
  StandardTool,
  Tool,
  ToolContext,
  ToolOutput,
} from './handlers/tools/tool.ts';
export { ToolError, defineTool } from './handlers/tools/tool.ts';
export { ToolRegistry } from './handlers/tools/registry.ts';
export { createTaskTools } from './handlers/task/operations.ts';
export type {
  ContentTypePolicy,
  Deprecation,
  VersionPolicyOptions,
  VersionWarning,
} from './handlers/negotiation/version-policy.ts';
export type { Limits } from './limits.ts';
export { DEFAULT_LIMITS, resolveLimits } from './limits.ts';
export type { AdmissionOptions } from './pipeline/admission.ts';
export type { Outcome } from './pipeline/receive.ts';
export type { OpenRequest, Passage } from './pipeline/passage.ts';
export type { CheckReport, Ladder, SkippedStages } from './pipeline/run-stages.ts';
export { climbStages } from './pipeline/run-stages.ts';
export type { SealPlan, SealedMessage } from './pipeline/seal-message.ts';
export { sealMessage } from './pipeline/seal-message.ts';
export type { StageName } from './pipeline/stages.ts';
export type { LookedAt } from './runtime/look.ts';
export { createPassage } from './runtime/look.ts';
export type { ReceiptSettings, RuntimeOptions, TaskSettings } from './runtime/options.ts';
export type { CloseOptions, ConnectOptions, Runtime } from './runtime/runtime.ts';
export { createRuntime } from './runtime/runtime.ts';
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
export type { SchemaFailure, TrustedSchema } from './schema/trusted-schema.ts';
export { compileTrusted } from './schema/trusted-schema.ts';
export { applyPatch } from './state/apply-patch.ts';
export { makePatch } from './state/make-patch.ts';
export type { StateDocument, StatePayload } from './state/document.ts';
export { EMPTY_STATE_HASH, INITIAL_STATE, applyState, makeState } from './state/document.ts';
export type { AskOptions, OnTask, TaskContext, TaskTools } from './tasks/context.ts';
export type { TaskCopyCheck, TaskProblem } from './tasks/log/check.ts';
export { checkTasks, createTaskCopyCheck } from './tasks/log/check.ts';
export type {
  ReplyOptions,
  StartTask,
  StartedTask,
  TaskEngine,
  TaskOwner,
} from './tasks/engine/engine.ts';
export { createTaskEngine } from './tasks/engine/engine.ts';
export type { TaskEngineOptions } from './tasks/engine/options.ts';
export { TaskError } from './tasks/error.ts';
export type { ArtifactInput } from './tasks/artifact.ts';
export type {
  ChildInput,
  ChildTask,
  ChildUpdate,
  Delegate,
  DelegateOptions,
  TaskChild,
} from './tasks/delegation.ts';
export type { TaskEvent } from './tasks/events.ts';
export type { ListTasks, TaskList } from './tasks/log/list.ts';
export type { Task, TaskProgress, TaskRequest, TaskState } from './tasks/task.ts';
export type {
  Connection,
  DialOptions,
  Dialer,
  Inbound,
  Incoming,
  ListenContext,
  Listener,
  Outbound,
  PeerFacts,
  Receive,
  Reply,
  Transport,
  TransportFault,
} from './transport.ts';
export { TransportError } from './transport.ts';
export { PACKAGE_VERSION } from './version.ts';
