// Owns the check of `doctor` that looks at the daemon: does one run on this home, does it answer, is it of this version?

import { once } from 'node:events';
import { connect } from 'node:net';

import { PACKAGE_VERSION } from '../../src/version.ts';
import { parseIpcUrl } from '../../transports/ipc/options.ts';
import type { Finding } from './finding.ts';
import { examine } from './finding.ts';
import type { DaemonStatus } from '../home/hold.ts';
import { askDaemon } from '../home/hold.ts';
import type { Home } from '../home/home.ts';

/** That none runs is no fault. */
export function checkDaemon(home: Home, withinMs?: number): Promise<Finding> {
  return examine('daemon', async () => {
    const status = await askDaemon(home, withinMs);
    if (status === undefined) return { status: 'ok', detail: 'none runs on this home' };
    return judgeDaemon(status);
  });
}

async function judgeDaemon({
  state,
  pid,
  version,
  ipc,
}: DaemonStatus): Promise<Omit<Finding, 'check'>> {
  const who = pid === undefined ? 'a daemon' : `process ${pid}`;
  if (state === 'silent') {
    return {
      status: 'fail',
      detail: `${who} holds this home and does not answer`,
      next: 'if that stays so, end it and start it again: a2a-sdl serve',
    };
  }
  if (state !== 'ready') return { status: 'ok', detail: `${who} is ${state}` };
  if (ipc !== undefined && !(await isOpen(ipc))) {
    return {
      status: 'fail',
      detail: `${who} runs, but nobody listens at ${ipc}`,
      next: 'its socket was removed or replaced: stop it and start it again: a2a-sdl serve',
    };
  }
  if (version !== PACKAGE_VERSION) {
    return {
      status: 'warn',
      detail: `${who} runs version ${version ?? 'unknown'}, and this is ${PACKAGE_VERSION}`,
      next: 'stop it and start it again, so that it is of this version: a2a-sdl serve',
    };
  }
  return { status: 'ok', detail: `${who} runs and answers, of this version` };
}

async function isOpen(url: string): Promise<boolean> {
  const socket = connect(parseIpcUrl(url));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
