// Owns the states of a task in every shape: their place in this list is their number. SPEC.md section 22 (#sealed-end).

import type { Family } from './neutral.ts';

const STATES = [
  'unknown',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
] as const;

export type TaskStateName = (typeof STATES)[number];

const RESTING: ReadonlySet<TaskStateName> = new Set([
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
]);

/** It has ended, or waits for who asked. */
export function isResting(state: TaskStateName): boolean {
  return RESTING.has(state);
}

/** `unknown` for what is no state. */
export function readState(given: unknown): TaskStateName {
  if (typeof given === 'number') return STATES[given] ?? 'unknown';
  if (typeof given !== 'string') return 'unknown';
  const name = given
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  if (name === 'cancelled') return 'canceled';
  return STATES.find((state) => state === name) ?? 'unknown';
}

/** By how a state is written; `undefined` where it does not tell. */
export function familyOfState(given: unknown): Family | undefined {
  if (typeof given === 'number') return 'sdk';
  if (typeof given !== 'string') return undefined;
  return given.startsWith('TASK_STATE_') ? 'wire' : 'kind';
}

export function writeState(state: TaskStateName, family: Family): string | number {
  if (family === 'sdk') return STATES.indexOf(state);
  if (family === 'kind') return state;
  const name = state === 'unknown' ? 'UNSPECIFIED' : state.toUpperCase().replaceAll('-', '_');
  return `TASK_STATE_${name}`;
}
