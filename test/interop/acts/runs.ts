// Owns the runs: how the agent is started for each, and which test belongs to which.

import type { ActsTest } from './document.ts';

export type RunName = 'all' | 'none' | 'auth' | 'contexts';

const ALWAYS = ['--profile', '1.0.1', '--card', 'strict', '--grpc', '127.0.0.1:0'];

export const RUNS: Readonly<Record<RunName, readonly string[]>> = {
  all: [...ALWAYS, '--capabilities', 'all'],
  none: [...ALWAYS, '--capabilities', 'none'],
  auth: [...ALWAYS, '--capabilities', 'all', '--auth', 'bearer'],
  contexts: [...ALWAYS, '--context-ids', 'refuse'],
};

/** What they say of themselves in words only. */
const BY_ID: Readonly<Record<string, RunName>> = {
  'CORE-CTX-001': 'contexts',
  'CORE-ERR-009': 'auth',
  'SEC-EXTCARD-001': 'auth',
  'SEC-EXTCARD-002': 'auth',
  'SEC-EXTCARD-004': 'auth',
};

export function runOf({ id, capabilities }: ActsTest): RunName {
  const named = BY_ID[id];
  if (named !== undefined) return named;
  if (capabilities['authentication'] === true) return 'auth';
  return Object.values(capabilities).includes(false) ? 'none' : 'all';
}
