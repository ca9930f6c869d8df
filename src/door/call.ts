// Owns what the door knows of one call: who asks, through which face, and within which bounds.
// ARCHITECTURE.md ("The door").

import type { Principal } from './principal.ts';
import type { Ceiling } from './rights.ts';

/** What a face knows of the message that a call came in. Only a witness reads it. */
export interface Received {
  /** As they came: of an encrypted message the ciphertext. */
  readonly bytes: Uint8Array;
  /** There is a secret in them: nobody may keep them, and of evidence only their hash. @default false */
  readonly isSecret?: true;
  /** Such as `application/json`. */
  readonly mediaType: string;
  /** The version of the dialect, as it names it. @default not told */
  readonly version?: string;
  /** How it came, such as `http`. @default not told */
  readonly transport?: string;
  /** When it was sent, as the message says: a timestamp of RFC 3339. @default when it came */
  readonly sentAt?: string;
  /** What the dialect calls the task, where that is not its id here. @default its id */
  readonly taskId?: string;
  /** What the dialect calls the message, where its id was made here; null where it has no name. @default its id */
  readonly messageId?: string | null;
}

/** Immutable. A face makes one for each call, after it has found out who asks. */
export interface CallContext {
  readonly principal: Principal;
  /** Which dialect was spoken, such as `sdl`. */
  readonly face: string;
  /** The agent that is spoken to: ourselves. */
  readonly agentId: string;
  /** Narrows what the principal may do here. @default its rights alone count */
  readonly ceiling?: Ceiling;
  /** The message that it came in. @default the evidence of it says nothing of bytes */
  readonly received?: Received;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
