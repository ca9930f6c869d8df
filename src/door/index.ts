// The public surface of a2a-sdl/door: what a face needs to bring another dialect to the tasks of an agent.

export type { JsonObject, JsonValue } from '../codec/value.ts';
export type { ErrorCode, ErrorRow } from '../errors.ts';
export { ERRORS, SdlError, toSdlError } from '../errors.ts';
export type { Artifact, ArtifactContent, ArtifactPiece } from '../tasks/artifact.ts';
export { createArtifact, joinArtifact } from '../tasks/artifact.ts';
export type { AuthorTask, Keepable, OnTask, TaskContext, TaskResult } from '../tasks/context.ts';
export type { HandedPart, TaskChild } from '../tasks/delegation.ts';
export { TaskError } from '../tasks/error.ts';
export type { StatusEvent, TaskEvent, TaskStep } from '../tasks/event.ts';
export type { NewHook, TaskHook } from '../tasks/hook.ts';
export type { Message, MessageContent } from '../tasks/message.ts';
export { createMessage } from '../tasks/message.ts';
export type { Part } from '../tasks/part.ts';
export { writeMessage, writeParts } from '../tasks/part-json.ts';
export type {
  CanceledTask,
  Idempotency,
  StartedTask,
  TaskFilter,
  TaskPage,
  WholeTaskPage,
} from '../tasks/request.ts';
export type { TaskSummary } from '../tasks/summary.ts';
export type {
  Task,
  TaskAuthority,
  TaskFailure,
  TaskSource,
  TaskState,
  TaskStatus,
} from '../tasks/task.ts';
export { isResting, isTerminal, isWaiting } from '../tasks/task.ts';
export type { Accepts } from './accepts.ts';
export type { CallContext, Received } from './call.ts';
export { changedCall } from './covered.ts';
export type { HookAnswer, HookNotice, HookTeller } from './hook-teller.ts';
export type { OperationName } from './operation.ts';
export type { Principal, Shown } from './principal.ts';
export { FOREIGN_MARK } from './principal.ts';
export type {
  Authenticated,
  CallerScheme,
  CallerSchemes,
  Callers,
  Ceiling,
  Rights,
  ShareClass,
  Standing,
  Wish,
} from './rights.ts';
export type {
  FollowTask,
  GetOptions,
  ListTasks,
  ListWholeTasks,
  MessageOptions,
  OwnerOption,
  StartTask,
  TaskService,
} from './service.ts';
export { EVERY_OWNER } from './service.ts';
export { untilRest } from './until-rest.ts';
export type {
  AcceptedMessage,
  EvidenceHashes,
  Witness,
  WitnessAgent,
  WitnessStats,
} from './witness.ts';
