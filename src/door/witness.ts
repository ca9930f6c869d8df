// Owns what a witness of the door is: somebody who is told what was accepted and what was sent, keeps evidence of it, and
// changes nothing. ARCHITECTURE.md ("The door").

import type { TaskStep } from '../tasks/event.ts';
import type { Message } from '../tasks/message.ts';
import type { CallContext } from './call.ts';

/** A message to a task, from somebody who has proven who it is and may send it. Nothing has been done for it yet. */
export interface AcceptedMessage {
  readonly call: CallContext;
  /** `start`: it asks for a task. `message`: it goes to a task that is there. */
  readonly operation: 'start' | 'message';
  readonly message: Message;
  /** As it stood in the message. @default it named none */
  readonly taskId?: string;
  /** What the dialect says of the kind of the task. It is never guessed. @default nothing */
  readonly kind?: string;
}

/** What stands in the audit log of a record. */
export interface EvidenceHashes {
  /** `sha256:` and the hash of its content. */
  readonly content: string;
  /** The SHA-256 of the bytes that the message came in. @default nobody has them */
  readonly raw?: string;
}

export interface WitnessAgent {
  readonly agentId: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For what keeps it from its work. */
  readonly onError: (cause: unknown) => void;
}

export interface WitnessStats {
  /** Nothing keeps it from its work. */
  readonly isWell: boolean;
  /** Records that are kept. */
  readonly written: number;
  /** Records that are not, and never will be. */
  readonly lost: number;
  /** Tries to write that were in vain. */
  readonly failures: number;
}

export interface Witness {
  /** Before anything is told. Rejects where it could keep nothing. */
  open(agent: WitnessAgent): Promise<void>;
  /** What it throws refuses the message: only for who must not work unseen. */
  accepted(accepted: AcceptedMessage): Promise<EvidenceHashes | undefined>;
  /** What a peer is told of a task: an event, or without one the task as it stands. */
  sent(call: CallContext, step: TaskStep): void;
  stats(): WitnessStats;
  /** Nothing is told any more; resolves when everything is kept that can be. */
  close(): Promise<void>;
}

/** For a face that goes through a log by itself: says which steps it sends. */
export type TellSent = Witness['sent'];
