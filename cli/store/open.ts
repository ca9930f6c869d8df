// Owns which store an address opens. There is no falling back: a store that cannot be opened stops the command.

import type { Store } from '../../src/stores/index.ts';
import { StoreError, createMemoryStore } from '../../src/stores/index.ts';
import type { RedisStore } from '../../stores/redis/index.ts';
import { STORE_KINDS, isShared, pathOf, shownAddress, takeSetting } from './address.ts';
import { failure, usageError } from '../kit/exit.ts';

/** Faults with which a server does not answer. */
const AWAY: ReadonlySet<string> = new Set(['failed', 'busy']);

/** `sqlite:PATH`, `postgres://…` (with `schema=NAME` among its settings: another schema than a2a_sdl) or `memory:`. */
export async function openStore(address: string, now: () => number): Promise<Store> {
  if (address === 'memory:') return createMemoryStore({ now });
  if (isShared(address)) {
    const { openPostgresStore } = await import('../../stores/postgres/index.ts');
    return reached(address, () => openPostgresStore({ ...postgresPlace(address), now }));
  }
  const path = pathOf(address);
  if (path === undefined) throw usageError(`a store is ${STORE_KINDS}`);
  const { openSqliteStore } = await import('../../stores/sqlite/index.ts');
  return openSqliteStore({ path, now });
}

/** `redis://…`, `rediss://…` or `unix:///PATH`, with `prefix=NAME` among its settings: another one than a2a-sdl. */
export async function openReplayStore(
  address: string,
  now: () => number,
  onWarning: (message: string) => void,
): Promise<RedisStore> {
  const { address: url, value: prefix } = takeSetting(address, 'prefix');
  const { openRedisStore } = await import('../../stores/redis/index.ts');
  return reached(address, () =>
    openRedisStore({ url, now, onWarning, ...(prefix !== undefined && { prefix }) }),
  );
}

export function postgresPlace(address: string): { connection: string; schema?: string } {
  const { address: connection, value: schema } = takeSetting(address, 'schema');
  return schema === undefined ? { connection } : { connection, schema };
}

/** Says of a store that is away which one it is, by what of its address may be shown. */
async function reached<T>(address: string, open: () => Promise<T>): Promise<T> {
  try {
    return await understood(open);
  } catch (thrown) {
    const isAway = thrown instanceof StoreError && AWAY.has(thrown.fault);
    if (!isAway) throw thrown;
    throw failure(`${shownAddress(address)}: ${thrown.reason}`, {
      code: `STORE_${thrown.fault.toUpperCase()}`,
      next: 'start the database, or check its address and the network',
      cause: thrown,
    });
  }
}

/** An address that no driver can read is the user's mistake; the words of the error do not hold the address. */
export async function understood<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw usageError(`the address of the store cannot be used: ${thrown.message}`);
  }
}
