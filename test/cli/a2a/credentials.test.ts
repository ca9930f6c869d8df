// Proves that secrets for agents of official A2A come from files or stdin, are kept for their owner alone, are shown
// nowhere, and go to the origin that they were given for.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { ScriptedAgent } from '../../support/a2a/scripted-agent.ts';
import {
  answerJson,
  answerRpc,
  cardOf,
  scriptedAgent,
  taskJson,
} from '../../support/a2a/scripted-agent.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { newCliHome, newFile, runCli } from '../../support/agents/cli.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

const SECRET = 'the-secret-of-the-operator';

/** Works for who shows something. */
function asking(): Promise<ScriptedAgent> {
  return scriptedAgent({
    handle: (request, response) => {
      if (request.path === '/token') {
        answerJson(response, { access_token: 'fetched', token_type: 'Bearer', expires_in: 300 });
      } else if (
        request.headers.authorization === undefined &&
        request.headers['x-key'] === undefined
      ) {
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      } else answerRpc(response, request, { task: taskJson('t', 'COMPLETED') });
    },
  });
}

interface Home {
  readonly path: string;
  readonly run: (...args: string[]) => Promise<CliRun>;
}

function newHome(): Home {
  const path = newCliHome();
  return { path, run: (...args) => runCli([...args, '--home', path]) };
}

const secretFile = (): string => `@${newFile('secret', `${SECRET}\n`)}`;

describe('#a2a-client-home secrets of the home', () => {
  test.each<[string, (origin: string) => string[], Record<string, string>]>([
    ['bearer', () => ['--bearer', secretFile()], { authorization: `Bearer ${SECRET}` }],
    ['api-key', () => ['--api-key', secretFile(), '--header', 'X-Key'], { 'x-key': SECRET }],
    [
      'basic',
      () => [secretFile(), '--basic', 'bob'],
      { authorization: `Basic ${Buffer.from(`bob:${SECRET}`).toString('base64')}` },
    ],
    [
      'oauth2',
      (origin) => [secretFile(), '--oauth2', 'me', '--token-url', `${origin}/token`],
      { authorization: 'Bearer fetched' },
    ],
  ])(
    '%s: kept for its owner alone, listed without it, shown to its origin',
    async (scheme, args, headers) => {
      const { path, run } = newHome();
      const agent = await asking();
      const before = await run('send', agent.origin, 'x', '--json');
      expect(before.error()).toMatchObject({
        code: 'UNAUTHENTICATED',
        next: expect.stringContaining('a2a-sdl credentials add'),
      });
      const added = await run('credentials', 'add', agent.origin, ...args(agent.origin));
      expect([added.code, added.stderr]).toEqual([0, '']);
      const file = join(path, 'a2a', 'credentials.json');
      expect([statSync(file).mode & 0o777, statSync(join(path, 'a2a')).mode & 0o777]).toEqual([
        0o600, 0o700,
      ]);
      expect(readFileSync(file, 'utf8')).toContain(SECRET);
      const listed = await run('credentials', 'list', '--json');
      expect(listed.json()).toMatchObject([{ origin: agent.origin, scheme }]);
      for (const { stdout, stderr } of [added, listed, await run('credentials', 'list')]) {
        expect(stdout + stderr).not.toContain(SECRET);
      }
      expect((await run('send', agent.origin, 'x')).code).toBe(0);
      expect(agent.requests.at(-1)!.headers).toMatchObject(headers);
      expect((await run('credentials', 'remove', agent.origin)).code).toBe(0);
      expect((await run('credentials', 'remove', agent.origin, '--json')).error()).toMatchObject({
        code: 'NO_CREDENTIAL',
      });
    },
  );

  test('from stdin, and another one takes its place', async () => {
    const { path, run } = newHome();
    const agent = await asking();
    await run('credentials', 'add', agent.origin, '--bearer', secretFile());
    const args = [
      'credentials',
      'add',
      agent.origin,
      '--basic',
      'bob',
      '-',
      '--json',
      '--home',
      path,
    ];
    const added = await runCli(args, { input: 'another\n' });
    expect(added.json()).toEqual({
      origin: agent.origin,
      scheme: 'basic',
      user: 'bob',
      replaced: true,
    });
    expect((await run('credentials', 'list', '--json')).json()).toHaveLength(1);
  });

  test('a card cannot lead them to another origin', async () => {
    const { run } = newHome();
    const other = await asking();
    const agent = await scriptedAgent({ card: () => cardOf(other.origin) });
    await run('credentials', 'add', agent.origin, '--bearer', secretFile());
    const sent = await run('send', agent.origin, 'x', '--json');
    expect(sent.error()).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(JSON.stringify([other.requests, agent.requests])).not.toContain(SECRET);
  });

  const certificate = makeCertificate('client.example');
  if (certificate === undefined) {
    if (process.env['CI'] === 'true') throw new Error('CI needs openssl for client certificates');
    console.log('openssl is missing: the test of client certificates is skipped');
  }
  test.skipIf(certificate === undefined)('a client certificate stands beside a token', async () => {
    const { run } = newHome();
    const origin = 'https://agent.example';
    const [cert, key] = [newFile('c.pem', certificate!.cert), newFile('k.pem', certificate!.key)];
    await run('credentials', 'add', origin, '--certificate', cert, '--key', key);
    await run('credentials', 'add', origin, '--bearer', secretFile());
    expect((await run('credentials', 'list', '--json')).json()).toMatchObject([
      { scheme: 'certificate', certificate: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { scheme: 'bearer' },
    ]);
  });

  test.each<[string, string[], RegExp]>([
    [
      'a secret on the command line',
      ['https://a.example', '--bearer', SECRET],
      /expects @FILE, or - for stdin/,
    ],
    ['no scheme', ['https://a.example'], /give one of --bearer/],
    ['two schemes', ['https://a.example', '--bearer', '-', '--api-key', '-'], /give one of/],
    ['a path', ['https://a.example/rpc', '--bearer', '-'], /did you mean https:\/\/a\.example\?/],
    ['no origin', ['a.example', '--bearer', '-'], /such as https:\/\/agent\.example/],
    [
      'an option of another scheme',
      ['https://a.example', '--bearer', '-', '--scope', 'x'],
      /--scope is for --oauth2/,
    ],
    ['no token address', ['https://a.example', '-', '--oauth2', 'me'], /needs --token-url/],
    [
      'a header that is taken',
      ['https://a.example', '--api-key', '-', '--header', 'Host'],
      /"header" expected/,
    ],
    ['no key', ['https://a.example', '--certificate', '/dev/null'], /needs --key/],
  ])('%s is refused without showing the secret', async (_what, args, words) => {
    const path = newCliHome();
    const { code, stderr } = await runCli(['credentials', 'add', ...args, '--home', path], {
      input: SECRET,
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(stderr).not.toContain(SECRET);
  });

  test('who is on the way can read one without TLS: it is said', async () => {
    const { run } = newHome();
    const added = await run('credentials', 'add', 'http://agent.example', '--bearer', secretFile());
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('no TLS')]);
  });
});
