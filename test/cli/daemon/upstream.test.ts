// Proves `serve --upstream` as real processes: a daemon before an agent of the official SDK, reached in envelopes.

import { afterAll, expect, test } from 'vitest';

import { newFile, runCli } from '../../support/agents/cli.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { startJsV03, startJsV1 } from '../../support/a2a/js-servers.ts';
import {
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../support/a2a/scripted-agent.ts';

afterAll(stopDaemons);

test('one agent protected by one command: tasks, questions and failures #bridge-states', async () => {
  const server = await startJsV1();
  const home = daemonFolder();
  await startDaemon(home, ['--upstream', server.origin]);
  const nowMs = Date.now();
  const send = (...args: string[]) => runCli(['send', 'agent', ...args, '--home', home], { nowMs });
  const done = await send('hello there');
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('done hello there')]);
  const failed = await send('fail', '--json');
  expect(failed.stdout + failed.stderr).toContain('upstream says: no paper');
  await server.stop();
}, 60_000);

test('several agents, chosen by the kind of a task; secrets of the home, also new ones #bridge-choice #bridge-asked', async () => {
  const shown: (string | undefined)[] = [];
  const scripted = await scriptedAgent({
    handle: (request, response) => {
      shown.push(request.headers.authorization);
      const stream = streamRpc(response, request);
      stream.send({ task: taskJson('t', 'WORKING') });
      stream.send(statusJson('t', 'COMPLETED', 'done by the second'));
      stream.end();
    },
  });
  const former = await startJsV03();
  const home = daemonFolder();
  const config = daemonFile(
    'config.json',
    JSON.stringify({ upstreams: { first: { url: former.origin } }, upstream_away_s: 5 }),
  );
  const daemon = await startDaemon(home, [
    '--config',
    config,
    '--upstream',
    `second=${scripted.origin}`,
  ]);
  const nowMs = Date.now();
  const run = (...args: string[]) => runCli([...args, '--home', home], { nowMs });
  const payload = (kind: string): string =>
    newFile(
      'task.json',
      JSON.stringify({ kind: 'task.v1', goal: 'x', context: { task: { kind } } }),
    );
  const to = (kind: string) => run('send', 'agent', '--payload', payload(kind));
  expect((await to('first')).stdout).toContain('done x');
  expect((await to('second')).stdout).toContain('done by the second');
  const token = `@${newFile('secret', 'the-secret-of-the-home')}`;
  expect((await run('credentials', 'add', scripted.origin, '--bearer', token)).code).toBe(0);
  await expect
    .poll(
      async () => {
        await to('second');
        return shown.at(-1);
      },
      { timeout: 20_000 },
    )
    .toBe('Bearer the-secret-of-the-home');
  expect(shown[0]).toBeUndefined();
  expect(JSON.stringify(daemon.log())).not.toContain('the-secret');
  expect((await run('send', 'agent', 'x')).stderr).toContain('first, second');
  await former.stop();
}, 60_000);
