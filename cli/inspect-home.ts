// Owns the look into what the daemon of a home has learned and kept: opened beside it, closed when the look is over.

import { stat } from 'node:fs/promises';

import type { Store } from '../src/stores/index.ts';
import { createMemoryStore } from '../src/stores/index.ts';
import type { CommandContext } from './command.ts';
import type { Role } from './home.ts';

/** What was learned as the agent is in the daemon's store, and as the operator in that of the command line. */
export async function withHomeStore<T>(
  role: Role,
  { home, now }: CommandContext,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const path = role === 'agent' ? home.store : home.operatorStore;
  // A look makes nothing.
  if (!(await isThere(path))) return use(createMemoryStore({ now }));
  const { openSqliteStore } = await import('../stores/sqlite.ts');
  const store = await openSqliteStore({ path, now, checkOnOpen: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
