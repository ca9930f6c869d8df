// Owns loading pg, which is optional, and saying what its errors mean.

import type { Client, Pool, PoolConfig } from 'pg';

import type { StoreFault } from '../../src/stores/index.ts';
import { StoreError } from '../../src/stores/index.ts';

/** As much of the driver as is used. */
export interface Driver {
  readonly Pool: new (config: PoolConfig) => Pool;
  readonly Client: new (config: PoolConfig) => Client;
}

const MISSING =
  'the PostgreSQL store needs the package pg, which is not installed: run "npm install pg", or choose another store';

/** @param load replaced in tests. */
export async function loadDriver(
  load: () => Promise<{ readonly default: Driver }> = () => import('pg'),
): Promise<Driver> {
  try {
    return (await load()).default;
  } catch (thrown) {
    throw new StoreError('unavailable', MISSING, thrown);
  }
}

/** Connects nothing yet. An address that cannot be read is refused here, without the error that would quote it. */
export function makeClient(driver: Driver, config: PoolConfig): Client {
  try {
    return new driver.Client(config);
  } catch {
    throw new TypeError('"connection" expected postgres://… or the parts of it');
  }
}

/** Where a client connects to: host, port and database, never the user or the password. */
export function placeOf({ host, port, database }: Client): string {
  // A host that is a path is the folder of a Unix socket.
  const server = host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return database === undefined ? server : `${server}, database ${database}`;
}

const LOST =
  'cannot be reached or the connection was lost; a write that was under way may or may not have been done';

/** By SQLSTATE or the start of it, the first that fits. */
const FAULTS: readonly (readonly [prefix: string, fault: StoreFault, words: string])[] = [
  ['55P03', 'busy', 'another transaction holds the PostgreSQL store for too long'],
  ['40', 'busy', 'other transactions got in the way of this one again and again'],
  ['53300', 'busy', 'the PostgreSQL server has no connection left'],
  ['53100', 'failed', 'the disk of the PostgreSQL server is full'],
  ['XX001', 'corrupt', 'the PostgreSQL database is damaged: restore a copy of it'],
  ['XX002', 'corrupt', 'an index of the PostgreSQL database is damaged: run REINDEX'],
  ['25006', 'failed', 'the PostgreSQL server is read-only: connect to the primary'],
  ['28', 'failed', 'PostgreSQL refused the user name or the password'],
  ['3D000', 'failed', 'there is no such PostgreSQL database: create it first'],
  ['42501', 'failed', 'the PostgreSQL role may not do this: grant it the schema'],
  ['57014', 'failed', 'PostgreSQL took too long and the call was cancelled'],
];

/** Two transactions met; the server has undone this one and it may simply be run again. */
export function isConflict(thrown: unknown): boolean {
  return ['40001', '40P01'].includes(stateOf(thrown));
}

/** Whether it was done is not known, and the connection is of no more use. */
export function isLost(thrown: unknown): boolean {
  if (thrown instanceof StoreError || isPoolTimeout(thrown)) return false;
  return /^$|^08|^57P|^25P03$/.test(stateOf(thrown));
}

/**
 * The driver's words stay in `cause`: they may quote what was stored.
 * @param place of {@link placeOf}
 */
export function toStoreError(thrown: unknown, place: string): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const state = stateOf(thrown);
  if (isPoolTimeout(thrown))
    return new StoreError('busy', 'no connection to PostgreSQL was free in time', thrown);
  if (isLost(thrown)) {
    const shown = state === '' ? '' : ` (${state})`;
    return new StoreError('failed', `PostgreSQL at ${place} ${LOST}${shown}`, thrown, true);
  }
  const [, fault, words] = FAULTS.find(([prefix]) => state.startsWith(prefix)) ?? [
    '',
    'failed' as const,
    'PostgreSQL refused the operation',
  ];
  return new StoreError(fault, `${words} (${state})`, thrown);
}

/** The pool has only words for it. */
function isPoolTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'timeout exceeded when trying to connect';
}

/** The SQLSTATE that the server gave; empty when it did not speak. System errors have codes too, but no severity. */
function stateOf(thrown: unknown): string {
  return thrown instanceof Error && 'severity' in thrown && 'code' in thrown
    ? String(thrown.code)
    : '';
}
