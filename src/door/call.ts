// Owns what the door knows of one call: who asks, through which face, and within which bounds.
// ARCHITECTURE.md ("The door").

import type { Principal } from './principal.ts';
import type { Ceiling } from './rights.ts';

/** Immutable. A face makes one for each call, after it has found out who asks. */
export interface CallContext {
  readonly principal: Principal;
  /** Which dialect was spoken, such as `sdl`. */
  readonly face: string;
  /** The agent that is spoken to: ourselves. */
  readonly agentId: string;
  /** Narrows what the principal may do here. @default its rights alone count */
  readonly ceiling?: Ceiling;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
