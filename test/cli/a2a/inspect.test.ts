// Proves that `inspect` says of a message of official A2A what of it is sealed, by whom, and what the path could read.

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../../cli/home/home.ts';
import type { StoredIdentity } from '../../../keys/index.ts';
import { KeyDirectory } from '../../../keys/index.ts';
import {
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
} from '../../../profiles/a2a/sealed/index.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { CLI_NOW, initHome, newCliHome, newFile, runCli } from '../../support/agents/cli.ts';

const WORDS = 'the goal that nobody may read';
const plain = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: WORDS }] };

/** A message of the operator to the agent of the same home, in a file. */
async function sealedIn(home: string, mode: 'sig' | 'enc+sig', madeMs = CLI_NOW): Promise<object> {
  const { identity, agent } = await identitiesOf(home);
  return sealMessage(plain, { identity, to: agent.bundle, mode, now: () => madeMs });
}

async function identitiesOf(
  home: string,
): Promise<{ identity: StoredIdentity; agent: StoredIdentity }> {
  const directory = new KeyDirectory(homeAt(home).keys, {
    crypto: chooseProvider(),
    now: () => CLI_NOW,
  });
  const [identity, agent] = await Promise.all([
    directory.load('operator'),
    directory.load('agent'),
  ]);
  return { identity, agent };
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

  test('a request that is a minute old is what it was, and so is one that goes on with a task', async () => {
    const home = await initHome();
    const old = await sealedIn(home, 'enc+sig', CLI_NOW - 60_000);
    const { identity, agent } = await identitiesOf(home);
    const now = (): number => CLI_NOW - 59_000;
    const follow = await sealMessage(plain, { identity, to: agent.bundle, now, follows: old });
    for (const message of [old, follow]) {
      const { code, json } = await runCli(['inspect', fileOf(message), '--home', home, '--json']);
      expect(json()).toMatchObject({ opened: { by: 'agent', protection: 'sealed', problems: [] } });
      expect(code).toBe(0);
    }
    // Past its time it is refused, as it would be by the agent.
    const late = await sealedIn(home, 'enc+sig', CLI_NOW - 3_600_000);
    const { json } = await runCli(['inspect', fileOf(late), '--home', home, '--json']);
    expect(json()).toMatchObject({ opened: { problems: [{ code: 'TIME_INVALID' }] } });
  });

  test('an answer is opened by who asked, and a saved stream event by event', async () => {
    const home = await initHome();
    const { identity, agent } = await identitiesOf(home);
    const now = (): number => CLI_NOW;
    const request = await sealMessage(plain, { identity, to: agent.bundle, now });
    const asked = await openTask(request, { identity: agent, peers: [identity.bundle], now });
    const by = { identity: agent, request: asked, now };
    const artifact = await sealArtifact({ artifactId: 'list', parts: [{ text: WORDS }] }, by);
    const status = await sealStatus({ state: 'TASK_STATE_COMPLETED' }, by);
    const task = { id: 't', history: [request], status, artifacts: [artifact] };
    const inspected = await runCli(['inspect', fileOf(task), '--home', home]);
    expect([inspected.code, inspected.stdout]).toEqual([
      0,
      expect.stringContaining('for the operator of this home it is: sealed'),
    ]);
    const events = [
      { task: { id: 't', history: [request], status: { state: 'TASK_STATE_WORKING' } } },
      { artifactUpdate: { taskId: 't', artifact } },
      { statusUpdate: { taskId: 't', status } },
    ];
    const text = events
      .map(
        (event, id) =>
          `id: ${id}\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', result: event })}\r\n`,
      )
      .join('\r\n');
    const saved = (lines: string): string => newFile('stream.txt', `: kept\n\n${lines}`);
    const stream = await runCli(['inspect', saved(text), '--home', home, '--json']);
    expect(stream.json()).toMatchObject({
      said: [
        { where: 'events[0].asked[0]' },
        { where: 'events[1].artifact', protection: 'sealed' },
        { where: 'events[2].status.message', protection: 'sealed' },
      ],
      opened: {
        by: 'operator',
        protection: 'sealed',
        state: 'completed',
        end_signed: true,
        problems: [],
      },
    });
    expect(stream.code).toBe(0);
    // Without its middle it lacks something.
    const cut = text.split('\r\n\r\n').toSpliced(1, 1).join('\r\n\r\n');
    const lacking = await runCli(['inspect', saved(cut), '--home', home, '--json']);
    expect(lacking.code).toBe(1);
    expect(lacking.json()).toMatchObject({
      opened: {
        by: 'operator',
        problems: [{ code: 'ARTIFACT_INCOMPLETE' }, { code: 'END_UNPROVEN' }],
      },
    });
    const other = await runCli([
      'inspect',
      fileOf(task),
      '--as',
      'agent',
      '--home',
      home,
      '--json',
    ]);
    expect([other.code, other.json()]).toEqual([
      1,
      expect.objectContaining({ opened: expect.objectContaining({ by: 'agent' }) }),
    ]);
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
