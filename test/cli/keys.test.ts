// The commands `keys`: what is shown, what is kept back, and what a rotation changes.

import { chmodSync, statSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { importPublicKey, importSecretKey } from '../../keys/format.ts';
import { KeyDirectory } from '../../keys/directory.ts';
import { PeerBook } from '../../keys/peer-book.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { CLI_NOW, initHome, newCliHome, newFile, runCli } from '../support/agents/cli.ts';

const crypto = chooseProvider();
const DAY_MS = 86_400_000;

function directoryOf(home: string): KeyDirectory {
  return new KeyDirectory(homeAt(home).keys, { crypto, now: () => CLI_NOW });
}

describe('keys list and keys show', () => {
  test('show who there is, and nothing secret', async () => {
    const home = await initHome();
    const agent = await directoryOf(home).load('agent');
    const secrets = [agent.root, ...agent.keys.map(({ key }) => key)].map((key) =>
      encodeBase64url(key.reveal()),
    );
    for (const args of [['list'], ['show'], ['show', 'operator'], ['export'], ['rotate']]) {
      for (const json of [[], ['--json']]) {
        const { code, stdout, stderr } = await runCli(['keys', ...args, '--home', home, ...json]);
        expect([args, code, stderr]).toEqual([args, 0, '']);
        for (const secret of secrets) expect(stdout).not.toContain(secret);
      }
    }
  });

  test('show the id, the fingerprint and the keys', async () => {
    const home = await initHome();
    const agent = await directoryOf(home).load('agent');
    const { json, stdout } = await runCli(['keys', 'show', '--home', home, '--json']);
    expect(json()).toMatchObject({ name: 'agent', agent_id: agent.agentId, seq: 1 });
    expect((json() as JsonObject)['fingerprint']).toMatch(/^([0-9a-f]{4} ){7}[0-9a-f]{4}$/);
    for (const { kid } of agent.keys) expect(stdout).toContain(kid);
    const people = await runCli(['keys', 'show', '--home', home]);
    expect(people.stdout).toContain('in 365 days');
  });

  test('without a home they say how to make one', async () => {
    const { code, error } = await runCli(['keys', 'list', '--home', newCliHome(), '--json']);
    expect(code).toBe(1);
    expect(error()).toMatchObject({ code: 'NO_HOME' });
    expect(error()['next']).toContain('a2a-sdl init');
  });

  test('an identity that is not there is named with those that are', async () => {
    const home = await initHome();
    const { code, stderr } = await runCli(['keys', 'show', 'other', '--home', home]);
    expect(code).toBe(1);
    expect(stderr).toContain('there are: agent, operator');
  });

  test('a key file that others can read is refused (#key-files)', async () => {
    const home = await initHome();
    chmodSync(`${homeAt(home).keys}/agent.json`, 0o644);
    const { code, stderr } = await runCli(['keys', 'show', '--home', home]);
    expect(code).toBe(1);
    expect(stderr).toContain('chmod 600');
  });
});

describe('#key-bundle keys rotate', () => {
  test('gives new keys to the same agent, and the operator learns of them', async () => {
    const home = await initHome();
    const before = await directoryOf(home).load('agent');
    const { code, json } = await runCli(['keys', 'rotate', '--home', home, '--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ agent_id: before.agentId, seq: 2 });
    const after = await directoryOf(home).load('agent');
    expect(after.keys).toHaveLength(4);
    const entry = (await PeerBook.open(homeAt(home).peers.operator)).get('agent')!;
    expect(entry.encryptionKeys.map(({ kid, notAfter }) => [kid, notAfter])).toEqual(
      after.keys.filter(({ use }) => use === 'enc').map(({ kid, notAfterMs }) => [kid, notAfterMs]),
    );
  });

  test('without an overlap the old keys are gone, here and in the book of the other', async () => {
    const home = await initHome();
    const { keys: before } = await directoryOf(home).load('operator');
    const old = new Set(before.map(({ kid }) => kid));
    const args = ['keys', 'rotate', 'operator', '--overlap-days', '0', '--lifetime-days', '10'];
    expect((await runCli([...args, '--home', home])).code).toBe(0);
    const { keys, bundle } = await directoryOf(home).load('operator');
    expect(keys.map(({ kid }) => kid).filter((kid) => old.has(kid))).toEqual([]);
    expect(bundle.notAfterMs).toBe(CLI_NOW + 10 * DAY_MS);
    const entry = (await PeerBook.open(homeAt(home).peers.agent)).get('operator')!;
    const known = [...entry.signingKeys, ...entry.encryptionKeys].map(({ kid }) => kid);
    expect(known).toEqual(keys.map(({ kid }) => kid));
  });
});

describe('keys export', () => {
  const formats = ['raw', 'pem', 'jwk'].flatMap((format) =>
    (['sig', 'enc', 'root'] as const).map((use) => ({ format, use })),
  );

  test.each(formats)('prints the public $use key as $format', async ({ format, use }) => {
    const home = await initHome();
    const identity = await directoryOf(home).load('agent');
    const expected =
      use === 'root' ? identity.root : identity.keys.find((key) => key.use === use)!.key;
    const args = ['keys', 'export', '--use', use, '--format', format, '--home', home];
    const { code, stdout } = await runCli(args);
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    const { alg, publicKey } = importPublicKey(stdout, { alg: expected.alg });
    expect([alg, publicKey]).toEqual([expected.alg, expected.publicKey]);
    const { json } = await runCli([...args, '--json']);
    const kid = thumbprint(alg, publicKey);
    const { key, ...facts } = json() as JsonObject;
    expect(facts).toMatchObject({ use, format, kid, secret: false });
    expect((key as string).trimEnd()).toBe(stdout.trimEnd());
  });

  test('prints a secret key only when asked for it', async () => {
    const home = await initHome();
    const { root } = await directoryOf(home).load('agent');
    const args = ['keys', 'export', '--use', 'root', '--secret', '--format', 'pem'];
    const { stdout } = await runCli([...args, '--home', home]);
    expect(importSecretKey(stdout, crypto).reveal()).toEqual(root.reveal());
  });

  test('shows no secret on a terminal without --yes', async () => {
    const home = await initHome();
    const args = ['keys', 'export', '--secret', '--home', home];
    const refused = await runCli(args, { isTerminal: true });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('--yes');
    const shown = await runCli([...args, '--yes'], { isTerminal: true });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^[\w-]{43}\n$/);
  });
});

describe('#sec-kid-bound keys import', () => {
  test('adds a public key to a peer that is known', async () => {
    const home = await initHome();
    await runCli(['peers', 'add', 'did:key:alice', '--name', 'alice', '--home', home]);
    const key = encodeBase64url(crypto.x25519PublicKey(new Uint8Array(32).fill(5)));
    const args = ['keys', 'import', `e1=${key}`, '--peer', 'alice', '--use', 'enc'];
    expect((await runCli([...args, '--home', home])).code).toBe(0);
    const { json } = await runCli(['peers', 'show', 'alice', '--home', home, '--json']);
    expect(json()).toMatchObject({ sign_keys: [], enc_keys: [{ kid: 'e1', key }] });
    const again = await runCli([...args, '--home', home]);
    expect(again.code).toBe(1);
  });

  test('takes no secret key, and its text does not come back', async () => {
    const home = await initHome();
    const exported = await runCli(
      ['keys', 'export', '--secret', '--format', 'jwk', '--home', home],
      {},
    );
    const file = newFile('key.jwk', exported.stdout);
    const args = ['keys', 'import', file, '--peer', 'operator', '--use', 'sig', '--home', home];
    const { code, stderr } = await runCli(args);
    expect(code).toBe(1);
    expect(stderr).toContain('this is a secret key');
    const { d } = JSON.parse(exported.stdout) as { d: string };
    expect(stderr).not.toContain(d);
    expect(statSync(file).isFile()).toBe(true);
  });

  test.each([
    [['x.pem', '--peer', 'operator'], '--use is missing'],
    [['x.pem', '--use', 'sig'], '--peer is missing'],
    [['=x', '--use', 'sig', '--peer', 'operator'], 'KID=KEY'],
  ])('called with %j is a usage error', async (args, words) => {
    const { code, stderr } = await runCli(['keys', 'import', ...args, '--home', newCliHome()]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});
