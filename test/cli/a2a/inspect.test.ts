// Proves that `inspect` says of a message of official A2A what of it is sealed, by whom, and what the path could read.

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../../cli/home/home.ts';
import { KeyDirectory } from '../../../keys/index.ts';
import { sealMessage } from '../../../profiles/a2a/sealed/index.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { CLI_NOW, initHome, newCliHome, newFile, runCli } from '../../support/agents/cli.ts';

const WORDS = 'the goal that nobody may read';
const plain = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: WORDS }] };

/** A message of the operator to the agent of the same home, in a file. */
async function sealedIn(home: string, mode: 'sig' | 'enc+sig'): Promise<object> {
  const directory = new KeyDirectory(homeAt(home).keys, {
    crypto: chooseProvider(),
    now: () => CLI_NOW,
  });
  const [identity, agent] = await Promise.all([
    directory.load('operator'),
    directory.load('agent'),
  ]);
  return sealMessage(plain, { identity, to: agent.bundle, mode, now: () => CLI_NOW });
}

const fileOf = (value: object): string => newFile('message.json', JSON.stringify(value));

describe('#sealed-visible inspect of A2A', () => {
  test.each([
    ['enc+sig', 'sealed', 'who speaks with whom, when and how much'],
    ['sig', 'signed', 'all of it'],
  ] as const)('a message in mode %s is %s', async (mode, protection, readable) => {
    const home = await initHome();
    const file = fileOf(await sealedIn(home, mode));
    const { code, json } = await runCli(['inspect', file, '--home', home, '--json']);
    expect(json()).toMatchObject({
      said: [{ where: 'message', protection, from: expect.stringMatching(/^did:key:/), readable }],
      opened: { protection, problems: [], messages: [{ parts: [{ text: WORDS }] }] },
    });
    expect(code).toBe(0);
    // Nothing was recorded: it is the same again.
    expect((await runCli(['inspect', file, '--home', home])).code).toBe(0);
  });

  test('who has no keys sees who speaks, and none of the words', async () => {
    const file = fileOf(await sealedIn(await initHome(), 'enc+sig'));
    const { code, stdout } = await runCli(['inspect', file, '--home', newCliHome()]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/message +sealed +did:key:/)]);
    expect(stdout).not.toContain(WORDS);
  });

  test('what is plain, or was changed, is said to be that', async () => {
    const home = await initHome();
    const inspected = await runCli([
      'inspect',
      fileOf({ message: plain }),
      '--home',
      home,
      '--json',
    ]);
    expect(inspected.code).toBe(1);
    expect(inspected.json()).toMatchObject({
      said: [{ protection: 'none', readable: 'all of it' }],
      opened: { protection: 'none', problems: [{ code: 'NOT_PROTECTED' }] },
    });
    const sealed = JSON.stringify(await sealedIn(home, 'sig')).replace(WORDS, 'another goal');
    const changed = await runCli(['inspect', newFile('m.json', sealed), '--home', home, '--json']);
    expect([changed.code, changed.json()]).toEqual([
      1,
      expect.objectContaining({ opened: expect.objectContaining({ protection: 'none' }) }),
    ]);
  });
});
