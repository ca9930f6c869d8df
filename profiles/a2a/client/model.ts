// Owns what another agent tells over official A2A, in words that belong to no wire. SPEC.md section 20
// (#a2a-client-reading).

import type {
  Artifact,
  ArtifactContent,
  JsonObject,
  Message,
  TaskState,
} from '../../../src/door/index.ts';

export interface A2aStatus {
  /** `unknown`: the agent has a word of its own for it, or none. */
  readonly state: TaskState | 'unknown';
  /** Milliseconds since the epoch; absent where the agent does not tell. */
  readonly at?: number;
  readonly message?: Message;
}

/** A task of another agent. */
export interface A2aTask {
  readonly id: string;
  readonly contextId?: string;
  readonly status: A2aStatus;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly Message[];
  readonly metadata?: JsonObject;
}

/** A message that is all of an answer. */
export interface A2aAnswer {
  readonly message: Message;
  /** A further message with it belongs to the same conversation. */
  readonly contextId?: string;
}

/** What came of a message: a task, or nothing but words. */
export type A2aSent = { readonly task: A2aTask } | A2aAnswer;

/** What a stream tells. */
export type A2aEvent =
  | { readonly type: 'task'; readonly task: A2aTask }
  | ({ readonly type: 'message' } & A2aAnswer)
  | {
      readonly type: 'status';
      readonly taskId: string;
      readonly contextId?: string;
      readonly status: A2aStatus;
      /** The agent says that nothing follows in this stream. */
      readonly isLast: boolean;
    }
  | {
      readonly type: 'artifact';
      readonly taskId: string;
      readonly contextId?: string;
      readonly artifact: ArtifactContent;
      readonly append: boolean;
      readonly last: boolean;
    };

export interface A2aPage {
  readonly tasks: readonly A2aTask[];
  /** Of the next page; none on the last one. */
  readonly nextPageToken?: string;
  /** On all pages; absent where the agent does not tell. */
  readonly totalSize?: number;
}

/** Where an agent tells of a task by requests of its own. */
export interface A2aHook {
  /** @default made by the agent, or here where its wire wants one */
  readonly id?: string;
  readonly url: string;
  /** Comes back with every request. */
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}
