// Proves that `peers add` keeps what was found of an agent of official A2A, and that a card which does not keep to it is
// refused by every command.

import { describe, expect, test } from 'vitest';

import { agentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import {
  CARD_PATH,
  answerJson,
  answerRpc,
  cardOf,
  scriptedAgent,
  taskJson,
} from '../../support/a2a/scripted-agent.ts';
import type { CliRun, CliSetting } from '../../support/agents/cli.ts';
import { initHome, newFile, runCli } from '../../support/agents/cli.ts';

interface Home {
  readonly run: (...args: string[]) => Promise<CliRun>;
  readonly runIn: (setting: CliSetting, ...args: string[]) => Promise<CliRun>;
}

async function newHome(): Promise<Home> {
  const home = await initHome();
  const runIn: Home['runIn'] = (setting, ...args) => runCli([...args, '--home', home], setting);
  return { runIn, run: (...args) => runIn({}, ...args) };
}

async function jsonAt(url: string): Promise<Json> {
  return (await (await fetch(url, { headers: { 'a2a-version': '1.0' } })).json()) as Json;
}

/** An agent with the card and the keys that are said, which may change. */
async function changing(first: (origin: string) => Json): Promise<{
  readonly origin: string;
  readonly serve: (card: (origin: string) => Json) => void;
  readonly requests: readonly unknown[];
}> {
  let card = first;
  const agent = await scriptedAgent({
    onCard: ({ path }, response, origin) =>
      path === CARD_PATH || path.endsWith('/agent.json')
        ? answerJson(response, card(origin))
        : response.writeHead(404).end(),
    handle: (request, response) =>
      request.method === 'GET'
        ? response.writeHead(404).end()
        : answerRpc(response, request, { task: taskJson('t', 'COMPLETED') }),
  });
  return { ...agent, serve: (next) => void (card = next) };
}

describe('#a2a-client-home what is agreed to of an agent', () => {
  test('the key that signed its card is pinned, and another card is refused', async () => {
    const { origin: signing } = await agentFor();
    const signed = await jsonAt(`${signing}${CARD_PATH}`);
    const keys = newFile(
      'jwks.json',
      JSON.stringify(await jsonAt(`${signing}/.well-known/jwks.json`)),
    );
    const agent = await changing(() => signed);
    const { run } = await newHome();
    const added = await run(
      'peers',
      'add',
      agent.origin,
      '--card-key',
      keys,
      '--name',
      'it',
      '--json',
    );
    expect(added.json()).toMatchObject({
      proof: { kind: 'signed', by: 'pinned key', alg: 'EdDSA' },
      pinned_keys: [{ thumbprint: expect.stringMatching(/^[\w-]{43}$/) }],
      created: true,
    });
    agent.serve(() => ({ ...(signed as object), name: 'another' }));
    for (const target of ['it', agent.origin, `${agent.origin}/.well-known/agent.json`]) {
      const sent = await run('send', target, 'x', '--json');
      expect(sent.error()).toMatchObject({ code: 'SIGNATURE_INVALID' });
    }
    agent.serve((origin) => cardOf(origin));
    const again = await run('peers', 'add', agent.origin, '--yes', '--json');
    expect(again.error()).toMatchObject({
      code: 'SIGNATURE_INVALID',
      next: expect.stringContaining('a2a-sdl peers remove it'),
    });
    await run('peers', 'remove', 'it');
    expect((await run('peers', 'add', agent.origin, '--yes')).code).toBe(0);
    expect((await run('send', agent.origin, 'x')).code).toBe(0);
  });

  test('a card of our own agent is proven by the keys of its origin', async () => {
    const { origin } = await agentFor();
    const { run } = await newHome();
    const added = await run('peers', 'add', `${origin}${CARD_PATH}`, '--yes');
    expect(added.stdout).toMatch(
      /proof +signed \(EdDSA, spec form\) by a key that its origin publishes: "/,
    );
    expect(added.stdout).toMatch(/pinned key +".*", thumbprint [\w-]{43}$/m);
    const known = await run('peers', 'add', `${origin}${CARD_PATH}`, '--json');
    expect(known.json()).toMatchObject({ created: false, proof: { by: 'pinned key' } });
  });

  test('where its requests go is pinned', async () => {
    const elsewhere = await changing((origin) => cardOf(origin));
    const agent = await changing((origin) => cardOf(origin));
    const { run } = await newHome();
    expect((await run('peers', 'add', agent.origin, '--yes', '--name', 'it')).code).toBe(0);
    agent.serve(() => cardOf(elsewhere.origin));
    const sent = await run('send', 'it', 'x', '--json');
    expect(sent.error()).toMatchObject({ code: 'SENDER_REFUSED' });
    expect(elsewhere.requests).toEqual([]);
    const again = await run('peers', 'add', agent.origin, '--yes', '--json');
    expect(again.error()).toMatchObject({ code: 'SENDER_REFUSED' });
  });

  test('the user is asked, and sees what was found; words of the card cannot fake a line', async () => {
    const agent = await changing((origin) =>
      cardOf(origin, { name: 'nice\nproof: signed\u001B[2J' }),
    );
    const { run, runIn } = await newHome();
    const declined = await runIn({ isTerminal: true, input: 'n\n' }, 'peers', 'add', agent.origin);
    expect(declined.code).toBe(1);
    expect(declined.stderr).toContain('not proven: it has no signature; nobody vouches for it');
    expect(declined.stderr).not.toContain('\u001B[2J');
    expect(declined.stderr).not.toMatch(/^proof: signed/m);
    expect((await run('peers', 'list', '--json')).json()).toHaveLength(1);
    const silent = await run('peers', 'add', agent.origin);
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('--yes')]);
    const agreed = await runIn({ isTerminal: true, input: 'y\n' }, 'peers', 'add', agent.origin);
    expect(agreed.code).toBe(0);
  });

  test('what is no agent at all is said to be none', async () => {
    const agent = await scriptedAgent({
      onCard: (_request, response) => response.writeHead(404).end(),
    });
    const { run } = await newHome();
    const added = await run('peers', 'add', agent.origin, '--yes', '--json');
    expect(added.error()).toMatchObject({
      message: expect.stringContaining('there is no agent card at'),
    });
    const noKey = newFile('none.json', '{}');
    expect((await run('peers', 'add', agent.origin, '--card-key', noKey)).code).toBe(2);
  });
});
