// Proves that the daemon speaks official A2A by default, to whom its operator lets in, and not at all where it is told so.

import { afterAll, expect, test } from 'vitest';

import { newFile, runCli } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import type { Answer } from '../../support/a2a/ask.ts';
import { ask, at } from '../../support/a2a/ask.ts';

afterAll(stopDaemons);

const send = ({ port }: RunningDaemon, headers = {}): Promise<Answer> =>
  ask(`http://127.0.0.1:${port}/rpc`, {
    method: 'POST',
    headers: { 'a2a-version': '1.0', ...headers },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'sum 1 2 3' }] } },
    },
  });

test('it is on by default, says where, and lets in who has a token', async () => {
  const home = daemonFolder();
  const daemon = await startDaemon(home);
  const origin = `http://127.0.0.1:${daemon.port}`;
  expect(daemon.log()[0]!['a2a']).toBe(`${origin}/.well-known/agent-card.json`);
  const refused = await send(daemon);
  expect([refused.status, at(refused.body, 'error.data.0.reason')]).toEqual([
    401,
    'UNAUTHENTICATED',
  ]);
  const line = await daemon.logged(({ face }) => face === 'a2a');
  expect(line).toMatchObject({ face: 'a2a', code: 'UNAUTHENTICATED' });
  const token = 'a-token-that-is-long-enough';
  const secret = `@${newFile('token.txt', token)}`;
  const { code } = await runCli(['callers', 'add', 'ci', '--bearer', secret, '--home', home]);
  expect(code).toBe(0);
  await expect
    .poll(async () => (await send(daemon, { authorization: `Bearer ${token}` })).text)
    .toContain('TASK_STATE_COMPLETED');
});

test('--anonymous a2a lets in who shows nothing; the profile is what was said', async () => {
  const daemon = await startDaemon(daemonFolder(), [
    '--anonymous',
    'a2a',
    '--a2a-profile',
    '1.0.0',
  ]);
  expect((await send(daemon)).text).toContain('TASK_STATE_COMPLETED');
  const headers = { 'a2a-version': '1.0' };
  const { type } = await ask(`http://127.0.0.1:${daemon.port}/tasks`, { headers });
  expect(type).toBe('application/json');
});

test('--no-a2a and the configuration turn it off', async () => {
  const config = daemonFile('config.json', JSON.stringify({ a2a: false }));
  for (const args of [['--no-a2a'], ['--config', config]]) {
    const daemon = await startDaemon(daemonFolder(), args);
    expect(daemon.log()[0]).not.toHaveProperty('a2a');
    expect((await send(daemon)).status).toBe(404);
  }
});

test.each([
  [['--a2a-profile', '2.0'], '--a2a-profile'],
  [['--a2a-card', 'large'], '--a2a-card'],
  [['--no-a2a', '--a2a-card', 'strict'], '--no-a2a'],
])('%j is not called rightly', async (args, named) => {
  const { code, stderr } = await runCli(['serve', '--home', daemonFolder(), ...args]);
  expect([code, stderr.includes(named)]).toEqual([2, true]);
});
