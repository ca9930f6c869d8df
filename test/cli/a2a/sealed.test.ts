// Proves that the command line seals what it says to agents of official A2A that can be sealed to, opens what they say also
// in another process, and says what is not protected.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { TOKENS, openAgent } from '../../support/a2a/agent.ts';
import { answerRpc, cardOf, scriptedAgent, taskJson } from '../../support/a2a/scripted-agent.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { initHome, newFile, runCli } from '../../support/agents/cli.ts';
import type { SealedSide } from '../../support/sealed-face/user.ts';
import { SECRET, knowing, newSides } from '../../support/sealed-face/user.ts';

let side: SealedSide;
let agent: TestAgent;

beforeAll(async () => {
  side = await newSides();
  // It takes requests of whoever proves who it is.
  agent = await openAgent(knowing(side, { runtime: { policy: { open: true } } }));
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

type Run = (...args: string[]) => Promise<CliRun>;

async function newHome(): Promise<Run> {
  const nowMs = Date.now();
  const home = await initHome();
  const run: Run = (...args) => runCli([...args, '--home', home], { nowMs });
  const token = `@${newFile('token', TOKENS['user']!)}`;
  expect((await run('credentials', 'add', agent.origin, '--bearer', token)).code).toBe(0);
  return run;
}

const add = (run: Run, ...more: string[]): Promise<CliRun> =>
  run(
    'peers',
    'add',
    `${agent.origin}/.well-known/agent-card.json`,
    '--yes',
    '--name',
    'it',
    ...more,
  );

const idIn = ({ stderr }: CliRun): string => /tasks watch (\S+)/.exec(stderr)![1]!;

describe('#a2a-client-sealed on the command line', () => {
  test('what a card offers is shown, and the policy is kept and changed', async () => {
    const run = await newHome();
    const shown = await run('card', 'show', agent.origin);
    expect(shown.stdout).toMatch(
      new RegExp(`^sealing +offered, to ${side.identity.agentId}$`, 'm'),
    );
    const added = await add(run, '--sealed', 'require', '--json');
    expect(added.json()).toMatchObject({
      a2a_sealed: 'require',
      sealing: { offered: true, agent_id: side.identity.agentId, proven: true },
    });
    const set = await run('peers', 'set', 'it', '--sealed', 'prefer');
    expect([set.code, set.stdout]).toEqual([0, expect.stringMatching(/^sealed +prefer$/m)]);
    expect((await run('peers', 'set', 'it', '--sealed', 'perhaps')).code).toBe(2);
  });

  test('a task is sealed and its answer opened, also by a second process', async () => {
    const run = await newHome();
    await add(run, '--sealed', 'require');
    const told = await run('send', 'it', `hello ${SECRET}`, '--json');
    expect(told.json()).toMatchObject({
      ok: true,
      protection: 'sealed',
      task: { status: 'completed', artifacts: [{ text: `done hello ${SECRET}` }] },
    });
    const plain = await run('send', 'it', 'hello', '--verbose');
    expect([plain.code, plain.stdout]).toEqual([0, 'done hello\n']);
    expect(plain.stderr).toContain(`sealed to ${side.identity.agentId}`);
    expect(plain.stderr).not.toContain('not protected');
    const asking = await run('send', 'it', 'ask');
    expect([asking.code, asking.stderr]).toEqual([3, expect.stringContaining(': which?')]);
    const id = idIn(asking);
    const replied = await run('tasks', 'reply', id, SECRET, '--peer', 'it');
    expect([replied.code, replied.stderr]).toEqual([0, '']);
    const watched = await run('tasks', 'watch', id, '--peer', 'it');
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining(`told ${SECRET}`)]);
    const shown = await run('tasks', 'show', id, '--peer', 'it', '--json');
    expect(shown.json()).toMatchObject({ protection: 'sealed' });
  });

  test('#a2a-client-sealed-kept another home, which has not asked, is told why it cannot open it', async () => {
    const [run, other] = [await newHome(), await newHome()];
    for (const one of [run, other]) await add(one, '--sealed', 'require');
    const id = idIn(await run('send', 'it', 'ask'));
    const shown = await other('tasks', 'show', id, '--peer', 'it', '--json');
    expect(shown.error()).toMatchObject({
      code: 'REQUEST_UNKNOWN',
      message: expect.stringContaining('what was asked is not kept here'),
    });
  });

  test('an agent that does not know who seals is never told the same in plain', async () => {
    const shy = await openAgent({});
    onTestFinished(() => shy.runtime.close({ graceMs: 0 }));
    const home = await initHome();
    const refused = await runCli(
      ['send', `${shy.origin}/.well-known/agent-card.json`, 'x', '--home', home],
      {
        nowMs: Date.now(),
      },
    );
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('the envelope is not accepted');
    expect(refused.stderr).toMatch(/a2a-sdl peers add did:key:z/);
    expect(refused.stderr).toContain('--sealed none');
  });

  test('an agent that cannot be sealed to: one line under prefer, nothing sent under require', async () => {
    const plain = await scriptedAgent({
      card: (origin) => cardOf(origin, { capabilities: {} }),
      handle: (request, response) =>
        answerRpc(response, request, { task: taskJson('t', 'COMPLETED') }),
    });
    const run = await newHome();
    const told = await run('send', plain.origin, 'hello');
    expect([told.code, told.stderr]).toEqual([
      0,
      'not protected from end to end: its card does not offer it\n',
    ]);
    const asJson = await run('send', plain.origin, 'hello', '--json');
    expect([asJson.json(), asJson.stderr]).toMatchObject([{ protection: 'none' }, '']);
    const before = plain.requests.length;
    const card = `${plain.origin}/.well-known/agent-card.json`;
    await run('peers', 'add', card, '--yes', '--name', 'bare', '--sealed', 'require');
    const refused = await run('send', 'bare', 'hello', '--json');
    expect([refused.code, refused.error()]).toEqual([
      1,
      expect.objectContaining({
        code: 'NOT_PROTECTED',
        message: expect.stringContaining('nothing was sent'),
      }),
    ]);
    expect(plain.requests).toHaveLength(before);
    await run('peers', 'set', 'bare', '--sealed', 'none');
    expect((await run('send', 'bare', 'hello')).stderr).toBe('');
  });

  test('#a2a-client-sealed-latch one that stops offering it is refused until it is relaxed', async () => {
    let isPlain = false;
    const card = (await (
      await fetch(`${agent.origin}/.well-known/agent-card.json`)
    ).json()) as Readonly<Record<string, Json>>;
    const { signatures: _signed, ...bare } = card;
    const front = await scriptedAgent({
      card: () => (isPlain ? { ...bare, capabilities: {} } : card),
    });
    const jwks = newFile(
      'jwks.json',
      await (await fetch(`${agent.origin}/.well-known/jwks.json`)).text(),
    );
    const run = await newHome();
    await run('peers', 'add', front.origin, '--card-key', jwks, '--name', 'it', '--yes');
    expect((await run('send', 'it', 'hello')).stderr).toBe('');
    // Even where the key is no longer pinned.
    await run('peers', 'remove', 'it');
    isPlain = true;
    const refused = await run('send', front.origin, 'hello', '--json');
    expect(refused.error()).toMatchObject({
      code: 'NOT_PROTECTED',
      message: expect.stringContaining('reached sealed before'),
      next: expect.stringContaining('peers relax'),
    });
    const relaxed = await run('peers', 'relax', front.origin);
    expect(relaxed.stdout).toContain('may be spoken to without sealing again');
    const told = await run('send', front.origin, 'hello');
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining('not protected')]);
  });
});

describe('#a2a-client-retries what a server on the way says', () => {
  test.each([
    [500, 'text/html', '<h1>oops</h1>'],
    [502, 'text/html', '<h1>Bad Gateway</h1>'],
    [504, 'text/html', '<h1>late</h1>'],
    [200, 'text/plain', 'what?'],
    [200, 'application/json', '{"jsonrpc":"2.0","id":"another","result":{}}'],
  ])('status %s, %s: the outcome is unknown', async (status, type, body) => {
    const front = await scriptedAgent({
      handle: (_request, response) =>
        response.writeHead(status, { 'content-type': type }).end(body),
    });
    const run = await runCli([
      'send',
      front.origin,
      'go',
      '--wait',
      '0',
      '--json',
      '--home',
      await initHome(),
    ]);
    expect([run.code, run.error()]).toEqual([
      3,
      expect.objectContaining({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringContaining('whether the agent has the task is not known'),
      }),
    ]);
    expect(front.requests).toHaveLength(1);
  });

  test('503 and a word of A2A are refusals', async () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'it broke' } };
    for (const [status, body] of [
      [503, 'come back'],
      [500, JSON.stringify(error)],
    ] as const) {
      const front = await scriptedAgent({
        handle: (_request, response) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      });
      const run = await runCli([
        'send',
        front.origin,
        'go',
        '--wait',
        '0',
        '--home',
        await initHome(),
      ]);
      expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('refused')]);
    }
  });
});

describe('what a user is told', () => {
  test('of a question without words, and how to answer it', async () => {
    const silent = await scriptedAgent({
      card: (origin) => cardOf(origin, { capabilities: {} }),
      handle: (request, response) =>
        answerRpc(response, request, { task: taskJson('t', 'INPUT_REQUIRED') }),
    });
    const run = await runCli(['send', silent.origin, 'go', '--home', await initHome()]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('input-required: it does not say what it wants to know');
    expect(run.stderr).toMatch(/answer it with: .* tasks reply t REPLY --peer/);
  });

  test('of an address in a card that is never used', async () => {
    const url = 'http://169.254.169.254/rpc';
    const bad = await scriptedAgent({
      card: (origin) =>
        cardOf(origin, {
          supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        }),
    });
    const run = await runCli(['card', 'show', bad.origin, '--home', await initHome()]);
    expect(run.stdout).toMatch(/^warning +http:\/\/169\.254\.169\.254\/rpc is never used: /m);
  });
});
