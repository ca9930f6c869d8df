// The daemon speaks SWP: where it listens, whom it lets in, and a task that is begun over SWP, watched over SDL, and
// finished after the daemon was killed.

import { statSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { connectSwp } from '../../../profiles/swp/index.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { loadedBy } from '../../support/repository/module-graph.ts';
import { runCli } from '../../support/agents/cli.ts';
import { closeClients, openHome, operatorClient } from '../../support/agents/daemon-peers.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { frame, handshake, task, textOf } from '../../support/swp/frames.ts';
import { RawConnection } from '../../support/swp/raw-connection.ts';
import { certificates } from '../../support/swp/secure.ts';

afterAll(async () => {
  await closeClients();
  await stopDaemons();
});

/** The command line with the clock of the daemon. */
const run = (...args: readonly string[]): ReturnType<typeof runCli> =>
  runCli(args, { nowMs: Date.now() });

const OWNER = '~local:operator';
/** Waits in its first attempt, and says which it is. */
const HANDLER = `export async function onTask(task, ctx) {
  await ctx.progress('attempt ' + ctx.attempt);
  if (ctx.attempt === 1) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  return 'attempt ' + ctx.attempt + ' of ' + task.text;
}`;

describe('#swp-channel #swp-lifecycle serve --swp', () => {
  test('a task begun over SWP, watched over SDL, is finished after kill -9', async () => {
    const home = daemonFolder();
    const path = join(home, 'swp.sock');
    const options = [`--swp-unix=${path}`, `--handler=${daemonFile('handler.mjs', HANDLER)}`];
    const first = await startDaemon(home, options);
    expect(first.log()[0]).toMatchObject({ event: 'ready', swp_unix: path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const client = connectSwp(`unix:${path}`);
    onTestFinished(() => client.close());
    const events: string[] = [];
    const result = client.give('dig', {
      taskId: 'hole',
      onEvent: ({ message }) => void events.push(message),
    });
    await expect.poll(() => events, { timeout: 20_000 }).toContain('attempt 1');
    const operator = operatorClient(await openHome(home));
    const watch = async (urls: typeof first.urls): Promise<JsonObject> => {
      const agent = operator.connect(urls.ipc, { agentId: first.agentId });
      const args = { id: 'hole', owner: OWNER };
      return (await agent.call('task.watch', args, { timeoutMs: 60_000 })) as JsonObject;
    };
    const cut = watch(first.urls).catch((cause: unknown) => cause);
    const shown = await run('tasks', 'show', 'hole', '--owner', OWNER, '--home', home, '--json');
    expect(shown.json()).toMatchObject({ status: 'working', goal: 'dig' });
    first.signal('SIGKILL');
    await first.ended;
    const second = await startDaemon(home, options);
    expect(Buffer.from((await result).output).toString()).toBe('attempt 2 of dig');
    expect(await watch(second.urls)).toMatchObject({
      status: 'completed',
      artifacts: [{ text: 'attempt 2 of dig' }],
    });
    await cut;
    // And it is told again to who asks again.
    const again = await run('swp', 'send', `unix:${path}`, 'dig', '--task-id', 'hole', '--json');
    expect([again.code, again.json()]).toMatchObject([
      0,
      { type: 'result', ok: true, text: 'attempt 2 of dig' },
    ]);
  });

  test('on TCP: who proves nothing only where that is said, and the claim is shown', async () => {
    const home = daemonFolder();
    const config = daemonFile('config.json', JSON.stringify({ swp: { framesPerSecond: 3 } }));
    const daemon = await startDaemon(home, [
      '--swp=127.0.0.1:0',
      '--anonymous=swp',
      '--config',
      config,
    ]);
    const address = daemon.log()[0]!['swp'] as string;
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    const connection = await RawConnection.open(address);
    connection.send(frame(handshake('agent.demo', 'demo.run')), frame(task('t', 'sum 1 2 3')));
    expect(textOf((await connection.until('result'))[0]!.output)).toBe('{"sum":6}');
    const shown = await run('tasks', 'show', 't', '--owner', '~none:swp', '--home', home);
    expect(shown.stdout).toContain('{"swp":{"agent_id":"agent.demo","capabilities":["demo.run"]}}');
    connection.send(...[1, 2, 3, 4].map((at) => frame(task(`u${at}`, 'sum 1'))));
    await connection.closed;
    const line = await daemon.logged(({ code }) => code === 'RATE_LIMIT_EXCEEDED');
    expect(line).toMatchObject({ event: 'message', face: 'swp', from: '~none:swp' });
    const bad = await run('swp', 'send', address, 'dance');
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/unsupported capability: GOAL_NOT_UNDERSTOOD/);
  });

  test('with certificates, and nobody else before a frame is read', async ({ skip }) => {
    const made = certificates();
    if (made === undefined) throw skip('openssl is missing');
    const { server, client, stranger } = made;
    const home = daemonFolder();
    const file = (name: string, text: string): string => daemonFile(name, text);
    const paths = {
      cert: file('c.pem', client.cert),
      key: file('k.pem', client.key),
      ca: file('s.pem', server.cert),
    };
    await run('callers', 'add', 'demo', '--certificate', paths.cert, '--home', home);
    const tls = [
      `--tls-cert=${paths.ca}`,
      `--tls-key=${file('sk.pem', server.key)}`,
      `--tls-ca=${paths.cert}`,
    ];
    const daemon = await startDaemon(home, ['--swp=127.0.0.1:0', ...tls]);
    const address = daemon.log()[0]!['swp'] as string;
    const send = (...shown: string[]): ReturnType<typeof runCli> =>
      run('swp', 'send', address, 'sum 1 2', '--tls-ca', paths.ca, ...shown);
    const known = await send('--tls-cert', paths.cert, '--tls-key', paths.key);
    expect([known.code, known.stdout, known.stderr]).toEqual([0, '{"sum":3}\n', '']);
    const wrong = await send(
      '--tls-cert',
      file('w.pem', stranger.cert),
      '--tls-key',
      file('wk.pem', stranger.key),
    );
    expect([wrong.code, (await send()).code]).toEqual([1, 1]);
    const plain = await RawConnection.open(address);
    plain.send(frame(task('t', 'sum 1')));
    await plain.closed;
    await daemon.logged(
      ({ code, reason }) => code === 'SECURITY_POLICY' && (reason as string).includes('not secure'),
    );
  });

  test.each([
    [['--swp=0.0.0.0:0'], 'this machine only'],
    [['--swp=example.com:1'], 'this machine only'],
    [['--swp=nothing'], 'HOST:PORT'],
    [['--swp=127.0.0.1:0', '--swp-unix=/no/such/folder/s'], 'no folder'],
  ])('%j is a usage error', async (options, words) => {
    const { code, stderr } = await run(
      'serve',
      '--http',
      '127.0.0.1:0',
      '--home',
      daemonFolder(),
      ...options,
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('who proves nothing is let in on loopback only, with TLS too', async ({ skip }) => {
    const made = certificates();
    if (made === undefined) throw skip('openssl is missing');
    const { server } = made;
    const tls = [
      `--tls-cert=${daemonFile('c.pem', server.cert)}`,
      `--tls-key=${daemonFile('k.pem', server.key)}`,
    ];
    const serve = (...options: string[]): ReturnType<typeof runCli> =>
      run(
        'serve',
        '--http',
        '127.0.0.1:0',
        '--home',
        daemonFolder(),
        '--swp=0.0.0.0:0',
        ...tls,
        ...options,
      );
    const open = await serve(`--tls-ca=${daemonFile('a.pem', server.cert)}`, '--anonymous=swp');
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('--anonymous swp')]);
    const none = await serve();
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--tls-ca')]);
  });

  test('it is loaded only where it is spoken', () => {
    const files = [...loadedBy('cli/serve/command.ts')];
    expect(files).toContain('cli/daemon/listening.ts');
    expect(files.filter((file) => file.startsWith('profiles/swp/'))).toEqual([]);
  });
});
