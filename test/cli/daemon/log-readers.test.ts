// Proves that who reads the log of the daemon does not decide over it, and that nobody unproven can fill it.

import { afterAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import { closeClients, openHome, operatorClient } from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { until } from '../../support/agents/exchanges.ts';
import { rawClient } from '../../support/wire/web-sockets.ts';

afterAll(async () => {
  await closeClients();
  await stopDaemons();
});

/** More lines than a pipe holds. */
const PINGS = 400;
const REFUSALS = 1_000;

async function served(): Promise<{ daemon: RunningDaemon; ping: () => Promise<unknown> }> {
  const path = daemonFolder();
  const home = await openHome(path);
  const daemon = await startDaemon(path);
  const peer = operatorClient(home).connect(daemon.urls.http, { agentId: daemon.agentId });
  return { daemon, ping: () => peer.call('sys.ping') };
}

describe('the reader of the log', () => {
  test.each(['gone', 'stalled'] as const)(
    'A21 one that is %s stops nothing, and SIGTERM ends the daemon as ever',
    async (how) => {
      const { daemon, ping } = await served();
      daemon.leaveLog(how);
      for (let sent = 0; sent < PINGS; sent += 1) await ping();
      expect(daemon.isRunning()).toBe(true);
      daemon.signal('SIGTERM');
      expect(await daemon.ended).toEqual({ code: 0, signal: null });
    },
    120_000,
  );
});

describe('the log of who has proven nothing', () => {
  test('A10 thousands of refusals are a few lines, and none is uncounted', async () => {
    const { daemon } = await served();
    const junk = await rawClient(daemon.urls.ws);
    let answers = 0;
    junk.on('message', () => (answers += 1));
    for (let due = 100; due <= REFUSALS; due += 100) {
      for (let sent = 0; sent < 100; sent += 1) junk.send('{"v":1}');
      await until(() => answers === due);
    }
    const isOfThem = ({ proven, transport, event }: JsonObject): boolean =>
      transport === 'ws' && (proven === false || event === 'message');
    const counted = (): number =>
      daemon
        .log()
        .filter(isOfThem)
        .reduce((sum, { count }) => sum + Number(count ?? 1), 0);
    await until(() => counted() === REFUSALS);
    expect(daemon.log().filter(isOfThem).length).toBeLessThan(50);
    junk.terminate();
  }, 120_000);
});
