// A home: made once, private, and its two identities know each other.

import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ensureHome, socketUrl } from '../../cli/home/init.ts';
import { homeAt } from '../../cli/home/home.ts';
import { peersOf } from '../../cli/home/identities.ts';
import { PeerBook } from '../../keys/peer-book.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { CLI_NOW, initHome, newCliHome, newFile, runCli } from '../support/agents/cli.ts';

const crypto = chooseProvider();
const options = { crypto, now: () => CLI_NOW };
const modeOf = (path: string): number => statSync(path).mode & 0o777;

function snapshotOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    files
      .filter((file) => statSync(join(folder, file)).isFile())
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
}

describe('#key-files init', () => {
  test('makes folders for their owner alone, and files that nobody else can read', async () => {
    const home = await initHome();
    for (const folder of ['', 'keys', 'peers', 'data', 'run']) {
      expect([folder, modeOf(join(home, folder))]).toEqual([folder, 0o700]);
    }
    const files = Object.keys(snapshotOf(home)).sort();
    expect(files).toEqual([
      'keys/agent.json',
      'keys/operator.json',
      'peers/agent.json',
      'peers/operator.json',
    ]);
    for (const file of files) expect([file, modeOf(join(home, file))]).toEqual([file, 0o600]);
  });

  test('run again it changes nothing, and says so', async () => {
    const home = await initHome();
    const before = snapshotOf(home);
    const { code, stdout, json } = await runCli(['init', '--home', home, '--json']);
    expect([code, (json() as JsonObject)['created']]).toEqual([0, []]);
    expect(snapshotOf(home)).toEqual(before);
    expect(stdout).not.toContain('secret');
  });

  test('makes what is missing and keeps the rest', async () => {
    const home = homeAt(newCliHome());
    const first = await ensureHome(home, options);
    expect(first.created).toEqual(['agent', 'operator']);
    rmSync(join(home.keys, 'operator.json'));
    const second = await ensureHome(home, options);
    expect(second.created).toEqual(['operator']);
    expect(second.identities.agent.agentId).toBe(first.identities.agent.agentId);
    const lost = first.identities.operator.agentId;
    expect(second.identities.operator.agentId).not.toBe(lost);
    // Whoever has the lost keys no longer speaks for this home.
    expect(second.books.agent.get(lost)).toBeUndefined();
    expect(second.books.agent.get('operator')?.agentId).toBe(second.identities.operator.agentId);
  });

  test('a folder that others can look into is refused with the command that closes it', async () => {
    const home = newCliHome();
    mkdirSync(home);
    chmodSync(home, 0o755);
    const { code, stderr } = await runCli(['init', '--home', home]);
    expect(code).toBe(1);
    expect(stderr).toContain(`chmod 700 ${home}`);
    expect(readdirSync(home)).toEqual([]);
  });

  test('a file where the home should be is refused', async () => {
    const { code, stderr } = await runCli(['init', '--home', newFile('home', 'x')]);
    expect(code).toBe(1);
    expect(stderr).toContain('error:');
  });
});

describe('#sec-kid-bound the two identities of a home', () => {
  test('stand in each other’s book with their keys, which end when the bundle says', async () => {
    const home = homeAt(newCliHome());
    const { identities, books } = await ensureHome(home, options);
    const operator = books.agent.get('operator')!;
    const agent = books.operator.get('agent')!;
    expect(operator).toMatchObject({ agentId: identities.operator.agentId, mayGrant: true });
    expect(agent).toMatchObject({ agentId: identities.agent.agentId, mayGrant: false });
    expect(agent.endpoints).toEqual([socketUrl(home)]);
    for (const [entry, identity] of [
      [operator, identities.operator],
      [agent, identities.agent],
    ] as const) {
      const keys = [...entry.signingKeys, ...entry.encryptionKeys];
      expect(keys.map(({ kid, notAfter }) => [kid, notAfter])).toEqual(
        identity.bundle.keys.map(({ kid, notAfterMs }) => [kid, notAfterMs]),
      );
    }
  });

  test('the operator knows whom the agent knows, but not the other way round', async () => {
    const home = homeAt(newCliHome());
    const { identities, books } = await ensureHome(home, options);
    await books.agent.add({ agentId: 'did:key:alice', name: 'alice' });
    const operator = await peersOf(home, 'operator');
    expect(operator.get('alice')?.agentId).toBe('did:key:alice');
    expect(operator.get('agent')?.agentId).toBe(identities.agent.agentId);
    expect(operator.snapshot().find('did:key:alice')?.agentId).toBe('did:key:alice');
    expect(operator.list().map(({ name }) => name)).toEqual(['agent', 'operator', 'alice']);
    const agent = await peersOf(home, 'agent');
    expect(agent.get('agent')).toBeUndefined();
  });

  test('what their owner says of an entry stays when its keys are renewed', async () => {
    const home = homeAt(newCliHome());
    const { books, identities } = await ensureHome(home, options);
    const { agentId } = identities.operator;
    await books.agent.update(agentId, { signingKeys: [], minMode: 'enc+sig', mayGrant: false });
    await books.operator.update('agent', {
      endpoints: ['ipc:/old/agent.sock', 'http://127.0.0.1:1/'],
    });
    await ensureHome(home, options);
    const entry = (await PeerBook.open(home.peers.agent)).get(agentId)!;
    expect(entry).toMatchObject({ minMode: 'enc+sig', mayGrant: false });
    expect(entry.signingKeys).toHaveLength(1);
    expect((await PeerBook.open(home.peers.operator)).get('agent')!.endpoints).toEqual([
      socketUrl(home),
      'http://127.0.0.1:1/',
    ]);
  });

  test('a revoked operator stays revoked', async () => {
    const home = await initHome();
    await runCli(['peers', 'revoke', 'operator', '--home', home]);
    await runCli(['init', '--home', home]);
    const { json } = await runCli(['peers', 'show', 'operator', '--home', home, '--json']);
    expect(json()).toMatchObject({ revoked: true });
  });
});

describe('#key-files a passphrase', () => {
  const PASSPHRASE = 'correct horse\nsecond line does not count\n';

  test('protects the identities, and is asked for afterwards', async () => {
    const home = newCliHome();
    const file = newFile('pass', PASSPHRASE);
    const made = await runCli(['init', '--home', home, '--passphrase-file', file]);
    expect(made.code).toBe(0);
    expect(readFileSync(join(home, 'keys/agent.json'), 'utf8')).not.toContain('"secrets"');
    const locked = await runCli(['keys', 'show', '--home', home, '--json']);
    expect(locked.code).toBe(1);
    expect(locked.error()).toMatchObject({ code: 'PASSPHRASE_NEEDED' });
    const env = { A2A_SDL_PASSPHRASE_FILE: file };
    expect((await runCli(['keys', 'show', '--home', home], { env })).code).toBe(0);
    const wrong = newFile('wrong', 'incorrect horse');
    const refused = await runCli(['keys', 'show', '--home', home, '--passphrase-file', wrong]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    const { json } = await runCli(['keys', 'list', '--home', home, '--json']);
    expect(json()).toEqual([
      { name: 'agent', protected: true },
      { name: 'operator', protected: true },
    ]);
  });

  test.each([
    ['open to others', 'secret', 0o644, 'chmod 600'],
    ['empty', '\n', 0o600, 'is empty'],
    ['too large', 'x'.repeat(5_000), 0o600, 'too large'],
  ])('in a file that is %s is refused', async (_, text, mode, words) => {
    const file = newFile('pass', text, mode);
    const home = newCliHome();
    const { code, stderr } = await runCli(['init', '--home', home, '--passphrase-file', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('secret');
  });
});
