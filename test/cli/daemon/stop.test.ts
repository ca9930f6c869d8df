// Proves how the daemon ends: what is in flight finishes when it is asked to stop, and nothing runs twice when it is not.

import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ReadyHome } from '../../../cli/home/init.ts';
import { RemoteError } from '../../../src/client/remote-error.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { Dialer, Incoming, Outbound } from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { runCli } from '../../support/agents/cli.ts';
import { closeClients, openHome, operatorClient } from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { until } from '../../support/agents/exchanges.ts';
import { frameLine } from '../../support/wire/raw-lines.ts';

afterEach(closeClients);
afterAll(stopDaemons);

/** A tool that notes each of its runs in a file and waits for another file to be there. */
function handlerFile(runs: string, gate: string): string {
  return daemonFile(
    'handler.mjs',
    `import { appendFileSync, existsSync } from 'node:fs';
     import { setTimeout } from 'node:timers/promises';
     export const tools = [{
       name: 'test.run',
       args: { type: 'object' },
       async run({ key }) {
         appendFileSync(${JSON.stringify(runs)}, key + '\\n');
         while (!existsSync(${JSON.stringify(gate)})) await setTimeout(5);
         return key;
       },
     }];`,
  );
}

interface Setting {
  readonly path: string;
  readonly home: ReadyHome;
  readonly handler: string;
  /** Runs so far, by key. */
  readonly runs: () => readonly string[];
  readonly openGate: () => void;
}

async function newSetting(): Promise<Setting> {
  const [path, folder] = [daemonFolder(), daemonFolder()];
  const [runs, gate] = [join(folder, 'runs'), join(folder, 'gate')];
  appendFileSync(runs, '');
  return {
    path,
    home: await openHome(path),
    handler: handlerFile(runs, gate),
    runs: () => readFileSync(runs, 'utf8').split('\n').slice(0, -1),
    openGate: () => writeFileSync(gate, ''),
  };
}

/** Settings with which a daemon that waits, waits longer than any test. */
function patient(): string {
  return daemonFile('config.json', JSON.stringify({ drain_s: 600 }));
}

describe('SIGTERM #admit', () => {
  test('what is in flight on every transport finishes, what is new is refused, exit code 0', async () => {
    const { path, home, handler, runs, openGate } = await newSetting();
    const daemon = await startDaemon(path, ['--handler', handler]);
    const urls = Object.values(daemon.urls);
    const peers = urls.map((url) => operatorClient(home).connect(url, { agentId: daemon.agentId }));
    const inFlight = peers.map((peer, at) => peer.call('test.run', { key: `${urls[at]}` }));
    await until(() => runs().length === urls.length);
    daemon.signal('SIGTERM');
    await daemon.logged(({ event }) => event === 'stopping');
    for (const peer of peers) {
      const thrown: unknown = await peer
        .call('test.run', { key: 'too late' }, { retries: 0 })
        .catch((error: unknown) => error);
      if (thrown instanceof RemoteError) expect(thrown.code).toBe('DRAINING');
      else expect((thrown as TransportError).fault).toMatch(/^(unreachable|lost)$/);
    }
    openGate();
    expect(await Promise.all(inFlight)).toEqual(urls);
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    expect(runs()).toHaveLength(urls.length);
    expect(existsSync(new URL(daemon.urls.ipc).pathname)).toBe(false);
  });

  test('what does not end in time is told so, and the daemon ends all the same', async () => {
    const { path, home, handler, runs } = await newSetting();
    const config = daemonFile('config.json', JSON.stringify({ drain_s: 1 }));
    const daemon = await startDaemon(path, ['--handler', handler, '--config', config]);
    const peer = operatorClient(home).connect(daemon.urls.ipc, { agentId: daemon.agentId });
    const call = peer
      .call('test.run', { key: 'never' }, { retries: 0 })
      .catch((error: unknown) => error);
    await until(() => runs().length === 1);
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    const thrown = await call;
    if (thrown instanceof RemoteError) expect(thrown.code).toBe('DEADLINE');
    else expect(thrown).toMatchObject({ fault: 'lost' });
  }, 20_000);

  test('takes no time when nobody waits for anything, whoever is connected', async () => {
    const { path, home, handler, openGate } = await newSetting();
    openGate();
    const daemon = await startDaemon(path, ['--handler', handler, '--config', patient()]);
    for (const url of Object.values(daemon.urls)) {
      const peer = operatorClient(home).connect(url, { agentId: daemon.agentId });
      await peer.call('test.run', { key: url });
    }
    const silent = connect(daemon.port, '127.0.0.1');
    silent.on('error', () => undefined);
    await once(silent, 'connect');
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    silent.destroy();
    const [stopping, stopped] = daemon.log().slice(-2);
    expect([stopping!['event'], stopped!['event']]).toEqual(['stopping', 'stopped']);
    const tookMs = Date.parse(stopped!['time'] as string) - Date.parse(stopping!['time'] as string);
    expect(tookMs).toBeLessThan(1_500);
  });

  test.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGINT'],
  ] as const)('%s lets what is in flight end, and %s after it does not', async (first, second) => {
    const { path, home, handler, runs } = await newSetting();
    const daemon = await startDaemon(path, ['--handler', handler, '--config', patient()]);
    const peer = operatorClient(home).connect(daemon.urls.ipc, { agentId: daemon.agentId });
    const call = peer.call('test.run', { key: 'never' }, { retries: 0 }).catch(() => undefined);
    await until(() => runs().length === 1);
    daemon.signal(first);
    await daemon.logged(({ event }) => event === 'stopping');
    daemon.signal(second);
    expect(await daemon.ended).toEqual(
      second === 'SIGINT' ? { code: 130, signal: null } : { code: null, signal: 'SIGTERM' },
    );
    await call;
  });
});

/** What was sent and what came back, by request. */
interface Kept {
  readonly sent: Outbound;
  readonly answers: Incoming[];
}

function keepingDialer(kept: Map<string, Kept>): Dialer {
  const dialer = ipc();
  return {
    schemes: dialer.schemes,
    dial: async (url, options) => {
      const connection = await dialer.dial(url, options);
      return {
        async *exchange(outbound) {
          const answers: Incoming[] = [];
          kept.set(outbound.id, { sent: outbound, answers });
          for await (const incoming of connection.exchange(outbound)) {
            answers.push(incoming);
            yield incoming;
          }
        },
        notify: (outbound) => connection.notify(outbound),
        get isOpen() {
          return connection.isOpen;
        },
        close: () => connection.close(),
      };
    },
  };
}

/** Keeps the daemon busy until it is gone; resolves with how many calls were answered. */
async function load(
  { home }: Setting,
  { urls, agentId }: RunningDaemon,
  kept: Map<string, Kept>,
  onAnswer: (count: number) => void,
): Promise<void> {
  const peer = operatorClient(home, [keepingDialer(kept)]).connect(urls.ipc, { agentId });
  let [started, answered] = [0, 0];
  const work = async (): Promise<void> => {
    for (;;) {
      try {
        await peer.call('test.run', { key: `k${(started += 1)}` }, { mode: 'sig', retries: 0 });
      } catch (thrown) {
        if (thrown instanceof TransportError) return;
        throw thrown;
      }
      onAnswer((answered += 1));
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

describe('SIGKILL under load #audit #replay #replay-retry', () => {
  test('after a restart the audit log verifies and no nonce is accepted twice', async () => {
    const setting = await newSetting();
    const { path, handler, runs, openGate } = setting;
    openGate();
    const first = await startDaemon(path, ['--handler', handler]);
    const kept = new Map<string, Kept>();
    await load(setting, first, kept, (count) => {
      if (count === 150) first.signal('SIGKILL');
    });
    expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
    const before = runs();
    expect(new Set(before).size).toBe(before.length);

    const second = await startDaemon(path, ['--handler', handler]);
    const line = await frameLine(second.urls.ipc);
    const fates = { stored: 0, unknown: 0, first: 0 };
    for (const { sent, answers } of kept.values()) {
      line.send(sent);
      const answer = (await line.next())!;
      const { ct, payload } = decodeMessage(answer.bytes, answer.encoding) as JsonObject;
      const [known] = answers;
      if (known !== undefined) {
        expect([...answer.bytes]).toEqual([...known.bytes]);
        fates.stored += 1;
      } else if (ct === 'error.v1') {
        expect(payload).toMatchObject({ details: { reason: 'DEADLINE', outcome: 'unknown' } });
        fates.unknown += 1;
      } else fates.first += 1;
    }
    line.close();
    expect(fates.stored).toBeGreaterThanOrEqual(150);
    const after = runs();
    expect(new Set(after).size).toBe(after.length);

    const receipts = [...kept.values()]
      .filter(({ answers }) => answers.length > 0)
      .slice(-20)
      .map(({ answers: [reply] }) => daemonFile('reply.json', textOf(reply!)));
    const verify = ['audit', 'verify', '--home', path, '--json'];
    const witnesses = receipts.flatMap((file) => ['--witness', file]);
    const report = await runCli([...verify, ...witnesses], { nowMs: Date.now() });
    expect(report.stderr).toBe('');
    expect(report.json()).toMatchObject({ ok: true, problems: [], witnesses: 20 });
    second.signal('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
  });
});

function textOf({ bytes }: Incoming): string {
  return new TextDecoder().decode(bytes);
}
