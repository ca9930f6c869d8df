// Commands that look at what the daemon knows, where the daemon keeps it elsewhere than in the home.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { holdHome } from '../../cli/home/hold.ts';
import { openStore } from '../../cli/store/open.ts';
import { createIdentity, rotateIdentity } from '../../src/security/identity/identity.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { signAgentDocument } from '../../src/security/identity/agent-document.ts';
import { createContacts } from '../../src/security/peers/contacts.ts';
import { createModeLatch } from '../../src/security/peers/latch.ts';
import type { Store } from '../../src/stores/store.ts';
import { crypto } from '../support/agents/agents.ts';
import type { CliRun, CliSetting } from '../support/agents/cli.ts';
import { CLI_NOW, initHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import { openHome } from '../support/agents/daemon-peers.ts';
import { messageFrom } from '../support/trust/peers.ts';
import { schemaAt, server } from '../support/stores/postgres.ts';
import { driver } from '../support/stores/sqlite.ts';

const KEY = 'OyK8gB7SjrRHwtIGHzr_mXI2tvOIJMXo3nsvUWE1V0o';
let places = 0;

function postgresAddress(): string {
  const { url } = server!;
  return `${url}${url.includes('?') ? '&' : '?'}schema=${schemaAt(`look_${(places += 1)}`)}`;
}

const sqliteAddress = (): string => `sqlite:${join(newFolder(), 'store.db')}`;

async function using<T>(address: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(address, () => CLI_NOW);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A home whose operator has spoken encrypted to the daemon, which keeps that at the address. */
async function latchedHome(address: string): Promise<{ home: string; operator: string }> {
  const home = await initHome();
  const operator = (await openHome(home)).identities.operator.agentId;
  const sender = { key: { kid: 'k', key: new Uint8Array(32) }, isStranger: false };
  const message = messageFrom({ from: operator, mode: 'enc+sig' });
  await using(address, (store) => createModeLatch(store).raise(sender, message));
  return { home, operator };
}

function at(home: string, args: readonly string[], setting?: CliSetting): Promise<CliRun> {
  return runCli([...args, '--home', home], setting);
}

async function refusedBy(home: string, ...args: string[]): Promise<string | undefined> {
  const { stdout: input } = await at(home, ['sign', '--ct', 'task.v1'], { input: '{"goal":"x"}' });
  const run = await at(home, ['inspect', '-', '--json', ...args], { input });
  const { checks } = run.json() as { checks: { stage: string; status: string }[] };
  return checks.find(({ status }) => status === 'fail')?.stage;
}

describe.each([
  ['SQLite', sqliteAddress, driver === undefined],
  ['PostgreSQL', postgresAddress, server === undefined],
] as const)(
  '#sec-reply-strength a daemon with its store elsewhere, on %s',
  (_kind, make, isOut) => {
    test.skipIf(isOut)('inspect --store judges by it', async () => {
      const address = make();
      const { home } = await latchedHome(address);
      expect(await refusedBy(home)).toBeUndefined();
      expect(await refusedBy(home, '--store', address)).toBe('policy');
      expect(await refusedBy(home, '--store', `@${newFile('store', address)}`)).toBe('policy');
    });

    test.skipIf(isOut)('peers relax --store relaxes there', async () => {
      const address = make();
      const { home, operator } = await latchedHome(address);
      const { code } = await at(home, ['peers', 'relax', 'operator', '--store', address]);
      expect(code).toBe(0);
      expect(await using(address, (store) => createModeLatch(store).get(operator))).toBe('none');
      expect(await refusedBy(home, '--store', address)).toBeUndefined();
    });

    test.skipIf(isOut)(
      'peers add --store knows the keys that it has seen (#key-bundle)',
      async () => {
        const address = make();
        const home = await initHome();
        const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
        const { bundle } = await rotateIdentity(frog, { crypto, nowMs: CLI_NOW });
        await using(address, (store) =>
          createContacts(store, { crypto }).learn(frog.agentId, { bundle }, { isStranger: false }),
        );
        const content = {
          name: 'frog',
          bundle: frog.bundle,
          endpoints: ['https://frog.example/a2a'],
          contentTypes: ['task.v1'],
          tools: [],
          limits: { maxBytes: 1, maxDepth: 1, maxArrayLength: 1, maxHops: 1 },
          x: ['re'],
          expMs: CLI_NOW + 1_000,
        };
        const { document } = await signAgentDocument(content, frog.root.reveal(), crypto);
        const setting = { fetchAgentDocument: async () => writeJson(document) };
        const add = ['peers', 'add', 'https://frog.example', '--yes'];
        const refused = await at(home, [...add, '--store', address], setting);
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringContaining('older than one'),
        ]);
        expect((await at(home, add, setting)).code).toBe(0);
      },
    );

    test.skipIf(isOut)('a store that is not there is named, not made', async () => {
      const home = await initHome();
      const store = ['--store', make()];
      const { stdout: input } = await at(home, ['sign', '--ct', 'task.v1'], {
        input: '{"goal":"x"}',
      });
      for (const args of [
        ['inspect', '-'],
        ['verify', '-'],
        ['peers', 'relax', 'operator'],
      ]) {
        const { code, error } = await at(home, [...args, ...store, '--json'], { input });
        expect([args[0], code, error()['code']]).toEqual([args[0], 1, 'NO_STORE']);
      }
    });
  },
);

describe('a daemon that says where its store is', () => {
  async function heldHome(store: string): Promise<string> {
    const home = await initHome();
    const held = await holdHome(homeAt(home), { state: 'ready', store });
    onTestFinished(() => held.release());
    return home;
  }

  test('relax does not pretend, and inspect says so', async () => {
    const home = await heldHome('postgres://db/agent');
    const relaxed = await at(home, ['peers', 'relax', 'operator', '--json']);
    expect(relaxed.code).toBe(1);
    expect(relaxed.error()).toMatchObject({
      code: 'STORE_ELSEWHERE',
      message: expect.stringContaining('postgres://db/agent') as string,
      next: expect.stringContaining('--store') as string,
    });
    expect(existsSync(homeAt(home).store)).toBe(false);
    const { stdout: input } = await at(home, ['sign', '--ct', 'task.v1'], {
      input: '{"goal":"x"}',
    });
    const { code, stderr } = await at(home, ['inspect', '-'], { input });
    expect([code, stderr]).toEqual([0, expect.stringContaining('postgres://db/agent')]);
  });

  test('nothing is said of one that keeps it in the home', async () => {
    const home = await initHome();
    const held = await holdHome(homeAt(home), {
      state: 'ready',
      store: `sqlite:${homeAt(home).store}`,
    });
    onTestFinished(() => held.release());
    const { stdout: input } = await at(home, ['sign', '--ct', 'task.v1'], {
      input: '{"goal":"x"}',
    });
    expect((await at(home, ['inspect', '-'], { input })).stderr).toBe('');
  });

  test.each([
    [['inspect', '-', '--as', 'operator', '--store', 'sqlite:x'], 'where the daemon keeps'],
    [['peers', 'relax', 'agent', '--as', 'operator', '--store', 'sqlite:x'], 'where the daemon'],
    [['inspect', '-', '--sign-key', KEY, '--store', 'sqlite:x'], '--store is for the'],
  ])('%j makes no sense', async (args, words) => {
    const { code, stderr } = await at(await initHome(), args, { input: '{}' });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
