// Owns what a hook is: somebody outside who is told what happens to a task, in the words of the face that brought it.
// ARCHITECTURE.md ("Hooks").

import type { JsonObject } from '../codec/value.ts';

/** A hook as a face asks for it. */
export interface NewHook {
  /** Names it among those of its task and face; one of this name is replaced. @default one is made */
  readonly id?: string;
  /** Without an id it gets that of its task, where that is free. @default false */
  readonly isNamedAfterTask?: boolean;
  /** What its face needs to tell it, such as an address and a secret. Nobody else reads it, and it is never shown. */
  readonly facts: JsonObject;
  /** Where it leads, such as a host: those of one owner and lane wait for each other where there are too many. */
  readonly lane?: string;
}

/** A hook of a task. Immutable. */
export interface TaskHook extends Omit<NewHook, 'isNamedAfterTask'> {
  readonly id: string;
  /** Its place among the hooks of its task, from 1. Never used twice. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Hooks of one task, of all faces together. */
export const MAX_HOOKS = 32;
