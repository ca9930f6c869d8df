// Owns what a bridged task keeps: how far its upstream was read, and what is being sent to it, stored together with what
// is told of it. SPEC.md section 20.2 (#bridge-kept).

import type { AuthorTask, JsonObject, Keepable, Message } from '../../../src/door/index.ts';
import { createMessage } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { A2aStatus, A2aTask } from '../client/model.ts';

/** A message that may have arrived. */
export interface Sending {
  /** Its id at the upstream. */
  readonly messageId: string;
  /** Its id in the history of the task. */
  readonly of: string;
}

interface KeptStatus {
  readonly state: A2aStatus['state'];
  readonly at?: number;
  readonly messageId?: string;
  readonly text?: string;
}

export interface Kept {
  readonly upstream: string;
  readonly contextId: string;
  /** Of the upstream; none before it named one. */
  readonly taskId?: string;
  /** A subscription can go on after it. */
  readonly eventId?: string;
  /** The last status that does not end the task. */
  readonly status?: KeptStatus;
  /** Which the owner was asked, and has not answered as far as this goes. */
  readonly isAsked?: boolean;
  /** That status is a question, and it was answered: told again, it is not a new one. */
  readonly isAnswered?: boolean;
  /** The first message, or a reply. */
  readonly sending?: Sending | undefined;
  /** What the owner said unasked. */
  readonly saying?: Sending | undefined;
}

const LONGEST_TEXT = 4_096;

export function readKept(restored: Keepable | undefined): Kept | undefined {
  if (restored === undefined || !isJsonObject(restored as JsonObject)) return undefined;
  return restored as unknown as Kept;
}

/** As JSON: what is undefined is not there. */
export function writeKept(kept: Kept): Keepable {
  return kept as unknown as Keepable;
}

export function keptStatus({ state, at, message }: A2aStatus): KeptStatus {
  return {
    state,
    ...(at !== undefined && { at }),
    ...(message !== undefined && {
      messageId: message.id,
      text: message.text.slice(0, LONGEST_TEXT),
    }),
  };
}

/** The status again, with the words of its message as far as they were kept. */
export function statusIn({ state, at, messageId, text = '' }: KeptStatus): A2aStatus {
  return {
    state,
    ...(at !== undefined && { at }),
    ...(messageId !== undefined && {
      message: createMessage({ id: messageId, role: 'agent', parts: [{ text }] }),
    }),
  };
}

/** The task of the upstream as far as it was told here. */
export function knownTask(kept: Kept, { artifacts }: Pick<AuthorTask, 'artifacts'>): A2aTask {
  const { taskId, contextId, status } = kept;
  return {
    id: taskId!,
    contextId,
    status: status === undefined ? { state: 'unknown' } : statusIn(status),
    artifacts,
    history: [],
  };
}

/** Told once more, it is the same: also where only the beginning of its words was kept. */
export function isKeptStatus(kept: KeptStatus, status: A2aStatus): boolean {
  const told = keptStatus(status);
  const hasMark = told.at !== undefined || told.messageId !== undefined;
  return (
    hasMark &&
    told.state === kept.state &&
    told.at === kept.at &&
    told.messageId === kept.messageId &&
    told.text === kept.text
  );
}

export function messageOf(
  { history }: Pick<AuthorTask, 'history'>,
  id: string,
): Message | undefined {
  return history.find((message) => message.id === id);
}
