// What the tests of replay and sessions share: uses of a nonce, guards on a store with a clock that stands still.

import { join } from 'node:path';

import { sha256 } from '../../../src/crypto/sha256.ts';
import { SdlError } from '../../../src/errors.ts';
import type { NonceUse } from '../../../src/security/replay/entry.ts';
import type {
  FirstUse,
  ReplayGuard,
  ReplayGuardOptions,
} from '../../../src/security/replay/replay.ts';
import { createReplayGuard } from '../../../src/security/replay/replay.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { EntryStore } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import type { EntryStoreUnderTest } from '../../compliance/store/setup.ts';
import { openStore } from '../../compliance/store/setup.ts';
import { textOf, utf8 } from '../wire/bytes.ts';
import { hasRedis, sharedRedis } from '../stores/redis.ts';
import { driver, temporaryFolder } from '../stores/sqlite.ts';

export const MINUTE = 60_000;
export const HOUR: number = 60 * MINUTE;
/** Where the clock of a store under test stands. */
export const START: number = Date.UTC(2026, 0, 1);

interface StoreRow extends EntryStoreUnderTest {
  readonly label: string;
}

const folder = temporaryFolder();
const redis = hasRedis ? await sharedRedis() : undefined;

/** Memory, SQLite in a file where its driver is there, and Redis where there is one. */
export const storeRows: readonly StoreRow[] = [
  { label: 'memory', isShared: false, open: async (_, now) => createMemoryStore({ now }) },
  ...(driver === undefined
    ? []
    : [
        {
          label: 'SQLite',
          isShared: true,
          open: (place: string, now: () => number) =>
            openSqliteStore({ path: join(folder, place), now }),
        },
      ]),
  ...(redis === undefined
    ? []
    : [
        {
          label: 'Redis',
          isShared: true,
          open: (place: string, now: () => number) => redis.open(place, { now }),
        },
      ]),
];
export const sharedRows: readonly StoreRow[] = storeRows.filter(({ isShared }) => isShared);

type Opened = Awaited<ReturnType<typeof openStore>>;

export interface GuardSetup extends Opened {
  readonly guard: ReplayGuard;
  readonly guardOn: (store: EntryStore, more?: Partial<ReplayGuardOptions>) => ReplayGuard;
}

export async function openGuard(
  row: StoreRow,
  options: Partial<ReplayGuardOptions> = {},
): Promise<GuardSetup> {
  const opened = await openStore(row);
  const guardOn: GuardSetup['guardOn'] = (store, more = {}) =>
    createReplayGuard({ store, now: () => opened.clock.now, ...options, ...more });
  return { ...opened, guardOn, guard: guardOn(opened.store) };
}

export function use(changes: Partial<NonceUse> & { readonly input?: string } = {}): NonceUse {
  const { input = 'input', ...rest } = changes;
  return {
    agentId: 'did:key:alice',
    keyThumbprint: 'key-1',
    nonce: 'nonce-1',
    tsMs: START,
    expMs: START + 10 * MINUTE,
    inputHash: sha256(utf8(input)),
    ...rest,
  };
}

export async function newRun(guard: ReplayGuard, one: NonceUse): Promise<FirstUse> {
  const verdict = await guard.judge(one);
  if (verdict.kind !== 'new') throw new Error('expected a new run');
  return verdict;
}

export async function replyOf(guard: ReplayGuard, one: NonceUse): Promise<string> {
  const verdict = await guard.judge(one);
  if (verdict.kind !== 'retry') throw new Error('expected a retry');
  return textOf(await verdict.reply);
}

export async function complete(guard: ReplayGuard, one: NonceUse, reply = 'reply'): Promise<void> {
  await (await newRun(guard, one)).complete(utf8(reply));
}

/** The error of the table that a promise fails with; `undefined` when it does not, anything else is a failure. */
export async function failureOf(run: Promise<unknown>): Promise<SdlError | undefined> {
  return run.then(
    () => undefined,
    (thrown: unknown) => {
      if (thrown instanceof SdlError) return thrown;
      throw thrown;
    },
  );
}

export async function failureCode(run: Promise<unknown>): Promise<string | undefined> {
  return (await failureOf(run))?.code;
}

/** The same store, with other methods for some. */
export function storeWith(store: EntryStore, methods: Partial<EntryStore>): EntryStore {
  return {
    add: (...args) => store.add(...args),
    get: (...args) => store.get(...args),
    put: (...args) => store.put(...args),
    delete: (...args) => store.delete(...args),
    count: (...args) => store.count(...args),
    purge: (...args) => store.purge(...args),
    close: () => store.close(),
    ...methods,
  };
}
