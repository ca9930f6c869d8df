// Owns the look into what an identity of a home has learned and kept: opened beside the daemon, closed when it is over.

import { stat } from 'node:fs/promises';

import type { Store } from '../../src/stores/index.ts';
import { createMemoryStore } from '../../src/stores/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { usageError } from '../kit/exit.ts';
import { askDaemon } from './hold.ts';
import type { Home, Role } from './home.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { storePlace, using, withStore } from '../store/place.ts';

/** What was learned as the agent is in the daemon's store, and as the operator in that of the command line. */
export async function withHomeStore<T>(
  role: Role,
  context: CommandContext,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { home, now, options, terminal } = context;
  if (role === 'agent' && options.declares('store')) {
    if (options.text('store') !== undefined) return withStore(await storePlace(context), use);
    const elsewhere = await storeElsewhere(home);
    if (elsewhere !== undefined) terminal.note(`${elsewhere.fact}: ${elsewhere.next}`);
  }
  const path = role === 'agent' ? home.store : home.operatorStore;
  // A look makes nothing.
  if (!(await isThere(path))) return use(createMemoryStore({ now }));
  const { openSqliteStore } = await import('../../stores/sqlite/index.ts');
  return using(await openSqliteStore({ path, now, checkOnOpen: false }), use);
}

/** That the daemon which runs on this home keeps what it knows elsewhere, and what to do then. */
export async function storeElsewhere(
  home: Home,
): Promise<{ readonly fact: string; readonly next: string } | undefined> {
  const store = (await askDaemon(home))?.store;
  if (store === undefined || store === `sqlite:${home.store}`) return undefined;
  return {
    fact: `the daemon of this home keeps what it knows at ${store}`,
    next:
      store === 'memory:'
        ? 'nobody else can look into that, and it is lost when it stops'
        : 'name it with --store URL, or --store @FILE',
  };
}

/** What the command line has learned as the operator is in the home, wherever the daemon keeps its own. */
export function assertOwnStore(role: Role | undefined, options: OptionValues): void {
  if (role !== 'operator' || options.text('store') === undefined) return;
  throw usageError('--store is where the daemon keeps what it knows', 'leave it or --as out');
}

export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
