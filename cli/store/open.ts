// Owns which store an address opens. There is no falling back: a store that cannot be opened stops the command.

import type { Store } from '../../src/stores/index.ts';
import { createMemoryStore } from '../../src/stores/index.ts';
import type { RedisStore } from '../../stores/redis/index.ts';
import { STORE_KINDS, isShared, pathOf, takeSetting } from './address.ts';
import { usageError } from '../kit/exit.ts';

/** `sqlite:PATH`, `postgres://…` (with `schema=NAME` among its settings: another schema than a2a_sdl) or `memory:`. */
export async function openStore(address: string, now: () => number): Promise<Store> {
  if (address === 'memory:') return createMemoryStore({ now });
  if (isShared(address)) {
    const { openPostgresStore } = await import('../../stores/postgres/index.ts');
    return understood(() => openPostgresStore({ ...postgresPlace(address), now }));
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
  return understood(() =>
    openRedisStore({ url, now, onWarning, ...(prefix !== undefined && { prefix }) }),
  );
}

export function postgresPlace(address: string): { connection: string; schema?: string } {
  const { address: connection, value: schema } = takeSetting(address, 'schema');
  return schema === undefined ? { connection } : { connection, schema };
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
