// Owns which store an address names. There is no falling back: a store that cannot be opened stops the command.

import type { Store } from '../src/stores/index.ts';
import { createMemoryStore } from '../src/stores/index.ts';
import { usageError } from './exit.ts';

/** `sqlite:PATH` or `memory:`. */
export async function openStore(url: string, now: () => number): Promise<Store> {
  if (url === 'memory:') return createMemoryStore({ now });
  if (!url.startsWith('sqlite:')) throw usageError('a store is sqlite:PATH or memory:');
  const { openSqliteStore } = await import('../stores/sqlite.ts');
  return openSqliteStore({ path: url.slice('sqlite:'.length), now });
}
