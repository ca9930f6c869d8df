// Owns what can be asked of another agent, in words that belong to no wire. SPEC.md section 20 (#a2a-client-wires).

import type { JsonObject, MessageContent, TaskState } from '../../../../src/door/index.ts';
import type { OperationName } from '../../operations/inputs.ts';
import type { A2aHook } from '../model.ts';

export interface AskedMessage {
  readonly message: MessageContent;
  /** The task that goes on. @default a new one */
  readonly taskId?: string;
  /** The conversation that it belongs to. @default that of the task, or a new one */
  readonly contextId?: string;
  /** The answer waits until the task has ended or waits for its owner. @default true */
  readonly isWaiting?: boolean;
  /** With so many of the last messages. @default as the agent likes */
  readonly historyLength?: number;
  /** Media types that may come back. @default any */
  readonly acceptedOutputModes?: readonly string[];
  readonly metadata?: JsonObject;
  readonly hook?: A2aHook;
}

interface AskedTask {
  readonly id: string;
  readonly historyLength?: number;
}

export interface AskedList {
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly includeArtifacts?: boolean;
}

interface AskedHook {
  readonly taskId: string;
  /** Of the web hook. */
  readonly id: string;
}

/** What each operation is asked with. */
export interface Asked extends Record<OperationName, unknown> {
  readonly send: AskedMessage;
  readonly stream: AskedMessage;
  readonly get: AskedTask;
  readonly list: AskedList;
  readonly cancel: AskedTask;
  readonly subscribe: AskedTask;
  readonly createPush: {
    readonly taskId: string;
    readonly hook: A2aHook;
    /** In 0.3 over REST servers differ in what is around a web hook. @default the whole request of its definition */
    readonly isBare?: boolean;
  };
  readonly getPush: AskedHook;
  readonly listPush: { readonly taskId: string };
  readonly deletePush: AskedHook;
  readonly extendedCard: undefined;
}
