// Owns the checks of `doctor` that look at what the daemon leans on: do its stores answer, does its certificate hold?

import type { Finding } from './finding.ts';
import { examine } from './finding.ts';
import type { DaemonStatus } from '../home/hold.ts';
import { askDaemon } from '../home/hold.ts';
import type { Home } from '../home/home.ts';
import { isThere } from '../home/store.ts';
import { SOON_MS, describeMoment } from '../kit/moments.ts';
import { using } from '../store/place.ts';

/** A daemon that runs is asked; where none runs, the store in the home is looked at. */
export async function checkKeeping(home: Home, nowMs: number): Promise<readonly Finding[]> {
  const status = await askDaemon(home).catch(() => undefined);
  if (status === undefined) return [await examine('store', () => judgeFile(home))];
  const store = { check: 'store', ...judgeStores(status) };
  const { tlsCert, tlsUntilMs } = status;
  if (tlsCert === undefined || tlsUntilMs === undefined) return [store];
  return [store, { check: 'certificate', ...judgeEnd(tlsCert, tlsUntilMs, nowMs) }];
}

function judgeStores({ store = 'its store', stores }: DaemonStatus): Omit<Finding, 'check'> {
  if (stores === 'answer') return { status: 'ok', detail: `${store} answers the daemon` };
  if (stores === undefined)
    return { status: 'ok', detail: `${store}; the daemon does not say more` };
  return {
    status: 'fail',
    detail: `${store}, or the store of --replay, does not answer the daemon`,
    next: 'start the database, or check its address and the network; the daemon goes on by itself then',
  };
}

/** A look makes nothing. */
async function judgeFile({ store: path }: Home): Promise<Omit<Finding, 'check'>> {
  if (!(await isThere(path))) return { status: 'ok', detail: 'none yet: the first serve makes it' };
  const { openSqliteStore } = await import('../../stores/sqlite/index.ts');
  await using(await openSqliteStore({ path, checkOnOpen: false }), (store) =>
    store.get('ready', 'ready'),
  );
  return { status: 'ok', detail: `sqlite:${path} can be read` };
}

function judgeEnd(path: string, endMs: number, nowMs: number): Omit<Finding, 'check'> {
  const detail = `${path} ends ${describeMoment(endMs, nowMs)}`;
  const next = 'put a new certificate there and start the daemon again';
  if (endMs < nowMs) return { status: 'fail', detail, next };
  return endMs < nowMs + SOON_MS ? { status: 'warn', detail, next } : { status: 'ok', detail };
}
