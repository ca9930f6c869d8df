// Proves that bad input leaves nothing behind in the daemon: what it holds does not grow with how much of it came.

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReadyHome } from '../../../cli/home/init.ts';
import type { Incoming } from '../../../src/transport.ts';
import { utf8 } from '../../support/wire/bytes.ts';
import {
  closeClients,
  openHome,
  operatorClient,
  operatorMessage,
} from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { call, open, stopAgents } from '../../support/agents/http-agent.ts';
import type { RawLine } from '../../support/wire/raw-lines.ts';
import { frameLine, httpLine, wsLine } from '../../support/wire/raw-lines.ts';

const MIB = 1_048_576;
/** How often each input comes in one round. A round is about 30 MiB. */
const TIMES = 8;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 8;
/** Less than half of what came. */
const BOUND = 96 * MIB;

const CONFIG = { admission: { rate_per_second: 100_000, burst: 100_000 } };
const SPACES = new Uint8Array(MIB + 1).fill(0x20);
const DEEP = utf8(`{"a":${'['.repeat(MIB - 10)}`);
const WIDE = utf8(`{"a":[${'0,'.repeat(MIB / 2 - 10)}0]}`);
const GARBAGE = utf8(`{${'x'.repeat(MIB - 10)}`);

let daemon: RunningDaemon;
let home: ReadyHome;

beforeAll(async () => {
  const path = daemonFolder();
  home = await openHome(path);
  daemon = await startDaemon(path, ['--config', daemonFile('config.json', JSON.stringify(CONFIG))]);
});
afterAll(async () => {
  await stopAgents();
  await closeClients();
  await stopDaemons();
});

async function answered(line: RawLine, ...messages: readonly Incoming[]): Promise<void> {
  for (const message of messages) {
    line.send(message);
    await line.next();
  }
  line.close();
}

async function round(): Promise<void> {
  const { urls } = daemon;
  const json = (bytes: Uint8Array): Incoming => ({ bytes, encoding: 'json' });
  for (let time = 0; time < TIMES; time += 1) {
    await call(daemon, { body: SPACES, headers: { 'transfer-encoding': 'chunked' } });
    await answered(await wsLine(urls.ws), json(SPACES));
    await answered(httpLine(urls.http), json(DEEP));
    const message = await operatorMessage(home);
    const old = await operatorMessage(home, { nowMs: Date.now() - 3_600_000 });
    await answered(await frameLine(urls.ipc), json(WIDE), message, message, old);
    const huge = await frameLine(urls.tcp);
    huge.write(Uint8Array.of(0xff, 0xff, 0xff, 0xff));
    await huge.next();
    huge.close();
    const half = await frameLine(urls.ipc);
    half.write(Uint8Array.of(0x00, 0x10, 0x00, 0x00));
    half.write(GARBAGE.subarray(0, MIB / 2));
    half.close();
    const broken = await open(daemon);
    broken.write(`POST /a2a HTTP/1.1\r\nHost: localhost:${daemon.port}\r\nContent-Length: 100`);
    broken.destroy();
  }
}

describe.skipIf(!existsSync('/proc/self/status'))('the memory of the daemon #limits', () => {
  test('is the same after much bad input as after a little', async () => {
    for (let at = 0; at < WARM_UP_ROUNDS; at += 1) await round();
    const before = daemon.residentBytes();
    for (let at = 0; at < ROUNDS; at += 1) await round();
    expect(daemon.residentBytes() - before).toBeLessThan(BOUND);
    const peer = operatorClient(home).connect(daemon.urls.ws, { agentId: daemon.agentId });
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
    expect(daemon.isRunning()).toBe(true);
  });
});
