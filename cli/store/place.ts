// Owns which store of a daemon a command is about, and how it gets at it.

import type { Store, StoreSnapshot } from '../../src/stores/index.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure, usageError } from '../kit/exit.ts';
import { warnOfOpenSecret } from '../kit/secret-input.ts';
import { openStore, postgresPlace, understood } from './open.ts';
import { hasPassword, isShared, pathOf, readStoreAddress, shownAddress } from './address.ts';

export const STORE_OPTION: CommandOption = {
  type: 'string',
  value: 'URL',
  description:
    'sqlite:PATH (default: data/store.db in the home) or postgres://…; @FILE reads it from a file',
};

/** The kinds of store that last, each with its look from beside. */
export interface StorePlace {
  /** Without secrets. */
  readonly shown: string;
  readonly open: () => Promise<Store>;
  /** All of it at one moment. */
  readonly snapshot: () => Promise<StoreSnapshot>;
  readonly version: () => Promise<{ readonly found: number; readonly known: number }>;
  /** What is wrong with its tables, in words. */
  readonly problems: () => Promise<readonly string[]>;
}

export async function storePlace(context: CommandContext): Promise<StorePlace> {
  const { options, home, now } = context;
  warnOfOpenSecret(context, 'store', hasPassword);
  const address = await readStoreAddress(options.text('store'), home);
  const shown = shownAddress(address);
  const open = (): Promise<Store> => openStore(address, now);
  if (isShared(address)) {
    const place = postgresPlace(address);
    const health = await import('../../stores/postgres/health.ts');
    const { openPostgresSnapshot } = await import('../../stores/postgres/index.ts');
    return {
      shown,
      open,
      snapshot: () => understood(() => openPostgresSnapshot({ ...place, now })),
      version: () => understood(() => health.postgresVersion(place)),
      problems: () => understood(() => health.checkPostgresStore(place)),
    };
  }
  const path = pathOf(address);
  if (path === undefined) throw usageError('a store in memory is new and empty in every process');
  const health = await import('../../stores/sqlite/health.ts');
  const { openSqliteSnapshot } = await import('../../stores/sqlite/index.ts');
  return {
    shown,
    open,
    snapshot: () => openSqliteSnapshot({ path, now }),
    version: () => health.sqliteVersion(path),
    problems: () => health.checkSqliteFile(path),
  };
}

/** Opens a store that is there and of this version; a look makes nothing and upgrades nothing. */
export async function withStore<T>(
  place: StorePlace,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  await assertUsable(place);
  return using(await place.open(), use);
}

/** As {@link withStore}, with all of it as it was at one moment, even if others write meanwhile. */
export async function withSnapshot<T>(
  place: StorePlace,
  use: (store: StoreSnapshot) => Promise<T>,
): Promise<T> {
  await assertUsable(place);
  return using(await place.snapshot(), use);
}

/** An upgrade is never a by-product: it ends every node of the earlier version that still runs. */
async function assertUsable(place: StorePlace): Promise<void> {
  const { found, known } = await place.version();
  if (found >= known) return;
  if (found > 0) {
    throw failure(
      `${place.shown} is of an earlier version (${found}, this program writes ${known}); nothing was changed`,
      {
        code: 'STORE_OUTDATED',
        next: 'stop every node of that version, then "a2a-sdl store migrate"; the daemon does it too when it starts',
      },
    );
  }
  throw failure(`there is no store at ${place.shown}`, {
    code: 'NO_STORE',
    next: 'the daemon makes it: a2a-sdl serve; if it keeps its own elsewhere, name that with --store URL',
  });
}

export async function using<S extends Pick<Store, 'close'>, T>(
  store: S,
  use: (store: S) => Promise<T>,
): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
