// Owns what can be asked over A2A and what comes back, in words that belong to no wire. SPEC.md section 20
// (#a2a-semantics).

import type {
  JsonObject,
  Message,
  MessageContent,
  Task,
  TaskState,
  TaskSummary,
} from '../../../src/door/index.ts';
import type { PushConfig } from '../push/config.ts';

export type OperationName =
  | 'send'
  | 'stream'
  | 'get'
  | 'list'
  | 'cancel'
  | 'subscribe'
  | 'createPush'
  | 'getPush'
  | 'listPush'
  | 'deletePush'
  | 'extendedCard';

interface TenantInput {
  /** That the caller names. @default its own */
  readonly tenant?: string;
}

export interface SendInput extends TenantInput {
  /** Of the protocol, that it is said in. */
  readonly version: '1.0' | '0.3' | 'draft';
  readonly message: MessageContent;
  /** The task that goes on. @default a new one */
  readonly taskId?: string;
  readonly contextId?: string;
  /** The answer waits until the task rests. */
  readonly isWaiting: boolean;
  readonly historyLength?: number;
  readonly acceptedOutputModes: readonly string[];
  readonly metadata?: JsonObject;
  /** A web hook that came along. */
  readonly push?: PushConfig;
}

export interface TaskInput extends TenantInput {
  readonly id: string;
  readonly historyLength?: number;
}

export interface ListInput extends TenantInput {
  readonly contextId?: string;
  readonly state?: TaskState;
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly includeArtifacts: boolean;
}

/** A task, or a message that is all of the answer. */
export type Sent = { readonly task: Task } | { readonly message: Message };

export interface ListedTasks {
  readonly tasks: readonly (Task | TaskSummary)[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}
