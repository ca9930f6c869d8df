// Proves that the daemon speaks official A2A by default, to whom its operator lets in, and not at all where it is told so.

import { afterAll, expect, test } from 'vitest';

import { verifyCard } from '../../../profiles/a2a/index.ts';
import { openTask, sealMessage, sealedPeerOf } from '../../../profiles/a2a/sealed/index.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { newFile, runCli } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { ask, at } from '../../support/a2a/ask.ts';
import { grpcClient } from '../../support/a2a/grpc-client.ts';
import { GRPC_WORDS, stateIn } from '../../support/a2a/grpc-words.ts';
import { isEnd, receiverFor } from '../../support/a2a/receiver.ts';

afterAll(stopDaemons);

const PLAIN: Json = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'sum 1 2 3' }] };

const send = ({ port }: RunningDaemon, headers = {}, message: Json = PLAIN): Promise<Answer> =>
  ask(`http://127.0.0.1:${port}/rpc`, {
    method: 'POST',
    headers: { 'a2a-version': '1.0', ...headers },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message },
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

test('its card declares the schemes of its callers: of the configuration, of the book, and as they change #a2a-card-security', async () => {
  const home = daemonFolder();
  const key = newFile('key.txt', 'a-key-that-is-long-enough');
  const callers = [{ name: 'machine', api_key: `@${key}` }];
  const config = daemonFile('config.json', JSON.stringify({ callers }));
  const daemon = await startDaemon(home, ['--config', config]);
  const declared = async (): Promise<readonly [string[], number]> => {
    const headers = { 'a2a-version': '1.0' };
    const { body } = await ask(daemon.log()[0]!['a2a'] as string, { headers });
    const asked = at(body, 'securityRequirements') as readonly unknown[];
    return [Object.keys(at(body, 'securitySchemes') as object), asked.length];
  };
  expect(await declared()).toEqual([['apiKey'], 1]);
  const token = `@${newFile('token.txt', 'a-token-that-is-long-enough')}`;
  await runCli(['callers', 'add', 'ci', '--bearer', token, '--home', home]);
  await expect.poll(declared).toEqual([['apiKey', 'bearer'], 2]);
  const refused = await send(daemon);
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer realm="a2a", ApiKey realm="a2a", header="X-API-Key"',
  );
  await runCli(['callers', 'revoke', 'ci', '--home', home]);
  await expect.poll(declared).toEqual([['apiKey'], 1]);
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

test('web hooks on this machine are told only where that was allowed; the configuration turns them off #a2a-push-guard', async () => {
  const receiver = await receiverFor();
  const push = { url: receiver.url(), token: 'the-token-of-the-hook' };
  const configuration = { taskPushNotificationConfig: push };
  const anonymous = ['--anonymous', 'a2a'];
  const sendTo = ({ port }: RunningDaemon): Promise<Answer> =>
    ask(`http://127.0.0.1:${port}/message:send`, {
      method: 'POST',
      headers: { 'a2a-version': '1.0' },
      body: {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'sum 1 2 3' }] },
        configuration,
      },
    });
  const off = daemonFile('off.json', JSON.stringify({ a2a: { push_notifications: false } }));
  const on = daemonFile('on.json', JSON.stringify({ a2a: { allow_loopback_hooks: true } }));
  const refused = await startDaemon(daemonFolder(), anonymous);
  expect((await sendTo(refused)).text).toContain('not on the public network');
  const without = await startDaemon(daemonFolder(), [...anonymous, '--config', off]);
  expect((await sendTo(without)).text).toContain('PUSH_NOTIFICATION_NOT_SUPPORTED');
  for (const args of [['--allow-loopback-hooks'], ['--config', on]]) {
    const daemon = await startDaemon(daemonFolder(), [...anonymous, ...args]);
    const before = receiver.all.length;
    expect((await sendTo(daemon)).status).toBe(200);
    await receiver.until((all) => all.slice(before).some(isEnd));
    expect(JSON.stringify(daemon.log())).not.toContain(push.token);
  }
});

test('--a2a-sealed, and the configuration, refuse what is plain; its card is enough to seal #sealed-required #sealed-card', async () => {
  const config = daemonFile('sealed.json', JSON.stringify({ a2a: { sealed: 'require' } }));
  for (const args of [
    ['--a2a-sealed', 'require'],
    ['--config', config],
  ]) {
    const home = daemonFolder();
    const daemon = await startDaemon(home, ['--anonymous', 'a2a', ...args]);
    const refused = await send(daemon);
    expect(at(refused.body, 'error.code')).toBe(-32_008);
    const user = await createIdentity();
    expect((await runCli(['peers', 'add', user.agentId, '--home', home])).code).toBe(0);
    const origin = `http://127.0.0.1:${daemon.port}`;
    const { body: keys } = await ask(`${origin}/.well-known/jwks.json`);
    const { body: card } = await ask(`${origin}/.well-known/agent-card.json`);
    const peer = await sealedPeerOf(await verifyCard(card as never, keys as never));
    expect(peer!.isRequired).toBe(true);
    const words = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'sum 1 2 3' }] };
    const message = await sealMessage(words, { identity: user, to: peer! });
    const sealed = { ...message } as unknown as Json;
    // The book is read again when it has changed.
    const answer = await expect
      .poll(async () => (await send(daemon, {}, sealed)).text)
      .toContain('TASK_STATE_COMPLETED')
      .then(() => send(daemon, {}, sealed));
    const opened = await openTask(at(answer.body, 'result.task') as object, {
      identity: user,
      peers: [peer!.bundle],
      request: message,
      policy: 'require',
    });
    expect(JSON.stringify(opened.artifacts)).toContain('6');
  }
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
  [['--a2a-sealed', 'maybe'], '--a2a-sealed'],
  [['--no-a2a', '--a2a-card', 'strict'], '--no-a2a'],
  [['--no-a2a', '--a2a-sealed', 'require'], '--no-a2a'],
  [['--no-a2a', '--allow-loopback-hooks'], '--no-a2a'],
  [['--no-a2a', '--grpc', '0'], '--grpc'],
  [['--grpc', 'nonsense'], '--grpc'],
  [['--grpc-public-url', 'https://agent.example'], '--grpc-public-url'],
  [['--grpc', '0', '--grpc-public-url', 'agent.example/a2a'], '--grpc-public-url'],
  [['--grpc', '0.0.0.0:0', '--anonymous', 'a2a'], '--anonymous a2a'],
])('%j is not called rightly', async (args, named) => {
  const { code, stderr } = await runCli(['serve', '--home', daemonFolder(), ...args]);
  expect([code, stderr.includes(named)]).toEqual([2, true]);
});

test('--grpc speaks gRPC too, says where, and the card does #a2a-grpc', async () => {
  const config = daemonFile('grpc.json', JSON.stringify({ a2a: { grpc: '127.0.0.1:0' } }));
  for (const args of [
    ['--grpc', '127.0.0.1:0'],
    ['--config', config],
  ]) {
    const daemon = await startDaemon(daemonFolder(), ['--anonymous', 'a2a', ...args]);
    const address = daemon.log()[0]!['grpc'] as string;
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    const [words] = GRPC_WORDS;
    const { body } = await grpcClient(address).ask(
      'SendMessage',
      words!.send({ text: 'sum 1 2 3' }),
    );
    expect(stateIn(at(body, 'task'))).toBe('TASK_STATE_COMPLETED');
    const card = await ask(`http://127.0.0.1:${daemon.port}/.well-known/agent-card.json`);
    const spoken = (at(card.body, 'supportedInterfaces') as readonly Json[]).filter(
      (one) => at(one, 'protocolBinding') === 'GRPC',
    );
    expect(spoken.map((one) => [at(one, 'url'), at(one, 'protocolVersion')])).toEqual([
      [address, '1.0'],
      [address, '0.3'],
    ]);
    expect(at(card.body, 'additionalInterfaces')).toContainEqual({
      url: `http://${address}`,
      transport: 'GRPC',
    });
  }
});

test('gRPC that cannot be had is told by its option #a2a-grpc', async () => {
  const daemon = await startDaemon(daemonFolder(), ['--grpc', '127.0.0.1:0']);
  const taken = daemon.log()[0]!['grpc'] as string;
  const { code, stderr } = await runCli([
    'serve',
    '--home',
    daemonFolder(),
    '--http',
    '0',
    '--grpc',
    taken,
  ]);
  expect([code === 0, stderr.includes(taken.split(':')[1]!)]).toEqual([false, true]);
});
