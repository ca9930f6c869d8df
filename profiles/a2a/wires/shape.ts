// Owns in what the wires differ: the names of states and roles, the form of a part, and a few members.
// SPEC.md section 20 (#a2a-wires).

import type { Part, TaskState } from '../../../src/door/index.ts';
import type { Fields } from '../fields/read.ts';
import type { Table } from '../fields/table.ts';
import type { SendInput } from '../operations/inputs.ts';
import type { WireName } from './wire.ts';

export interface Shape {
  readonly name: WireName;
  readonly version: SendInput['version'];
  readonly table: Table;
  readonly states: Readonly<Record<TaskState, string>>;
  readonly roles: Readonly<Record<'user' | 'agent', string>>;
  /** The member of a message that holds its parts. */
  readonly content: 'parts' | 'content';
  /** Tasks, messages, events and parts name themselves with `kind`, and nothing is wrapped. */
  readonly isKinded: boolean;
  /** A change of the status says whether it is the last frame. */
  readonly hasFinal: boolean;
  readonly writePart: (part: Part) => Fields;
  /** Throws INVALID_PARAMS. */
  readonly readPart: (fields: Fields, where: string) => Part;
}

/** The names of states as words with hyphens, with the one that is spelled in two ways. */
export function kebabStates(canceled: string): Readonly<Record<TaskState, string>> {
  return {
    submitted: 'submitted',
    working: 'working',
    'input-required': 'input-required',
    'auth-required': 'auth-required',
    completed: 'completed',
    failed: 'failed',
    canceled,
    rejected: 'rejected',
  };
}

/** The names of states as protobuf writes them, with the one that is spelled in two ways. */
export function protobufStates(canceled: string): Readonly<Record<TaskState, string>> {
  return {
    submitted: 'TASK_STATE_SUBMITTED',
    working: 'TASK_STATE_WORKING',
    'input-required': 'TASK_STATE_INPUT_REQUIRED',
    'auth-required': 'TASK_STATE_AUTH_REQUIRED',
    completed: 'TASK_STATE_COMPLETED',
    failed: 'TASK_STATE_FAILED',
    canceled,
    rejected: 'TASK_STATE_REJECTED',
  };
}

export const WORD_ROLES = { user: 'user', agent: 'agent' } as const;
export const PROTOBUF_ROLES = { user: 'ROLE_USER', agent: 'ROLE_AGENT' } as const;
