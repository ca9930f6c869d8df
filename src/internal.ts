// What the command line and the keys use of the core and nobody outside should: not an entry of the package.

export { auditedNodes } from './audit/nodes.ts';
export type { ContentHandler } from './content.ts';
export type { Tool } from './handlers/tools/tool.ts';
export type { AdmissionOptions } from './pipeline/admission.ts';
export type { OpenRequest, Passage } from './pipeline/passage.ts';
export type { Outcome } from './pipeline/receive.ts';
export type { CheckReport, StagesReport, SkippedStages } from './pipeline/run-stages.ts';
export { reportStages } from './pipeline/run-stages.ts';
export { newNonce, prepareMessage } from './pipeline/prepare-message.ts';
export type { SealedEnvelope } from './pipeline/seal-envelope.ts';
export type { StageName } from './pipeline/stages.ts';
export { createJwsSigner } from './runtime/jws-signer.ts';
export { createPassage } from './runtime/look.ts';
export type { RuntimeOptions } from './runtime/options.ts';
export { createStoreProbe } from './runtime/ready.ts';
export type { Runtime } from './runtime/runtime.ts';
export { createRuntime } from './runtime/runtime.ts';
export { resetHorizon } from './security/replay/horizon.ts';
export { taskPayload } from './handlers/task/origin.ts';
export type { ArtifactInput } from './tasks/artifact.ts';
export type { AuthorTask, OnTask, TaskContext, TaskProgress, TaskTools } from './tasks/context.ts';
export { TaskError } from './tasks/error.ts';
export type { TaskEvent } from './tasks/event.ts';
export type { TaskProblem } from './tasks/log/check.ts';
export { checkTasks, createTaskCopyCheck } from './tasks/log/check.ts';
export { writeMessage } from './tasks/part-json.ts';
export type { TaskSummary } from './tasks/summary.ts';
