// Proves that `card` shows, verifies and signs agent cards, at an address and in a file.

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../../cli/home/home.ts';
import { KeyDirectory } from '../../../keys/index.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { signingKeysOf } from '../../../src/security/identity/own-identity.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { CARD_PATH, cardOf, scriptedAgent } from '../../support/a2a/scripted-agent.ts';
import { CLI_NOW, initHome, newCliHome, newFile, runCli } from '../../support/agents/cli.ts';

const JKU = 'https://agent.example/.well-known/jwks.json';

async function textAt(url: string): Promise<string> {
  return (await fetch(url, { headers: { 'a2a-version': '1.0' } })).text();
}

const run = (...args: string[]): ReturnType<typeof runCli> =>
  runCli(['card', ...args, '--home', newCliHome()]);

describe('#a2a-card-verify cards on the command line', () => {
  test('one at an address is shown, and proven by the keys of its origin', async () => {
    const { origin } = await agentFor();
    const shown = await run('show', origin);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(/proof +signed \(EdDSA, spec form\) by a key that its origin/);
    expect(shown.stdout).toMatch(/used +A2A 1\.0 over /);
    const verified = await run('verify', origin, '--json');
    expect(verified.json()).toMatchObject({ ok: true, proof: { kind: 'signed', alg: 'EdDSA' } });
  });

  test('one in a file is verified by the keys that are given, and by nothing else', async () => {
    const { origin } = await agentFor();
    const text = await textAt(`${origin}${CARD_PATH}`);
    const keys = newFile('jwks.json', await textAt(`${origin}/.well-known/jwks.json`));
    const file = newFile('card.json', text);
    expect((await run('verify', file, '--card-key', keys)).code).toBe(0);
    const alone = await run('verify', file, '--json');
    expect([alone.code, alone.error()]).toEqual([
      1,
      expect.objectContaining({ code: 'NOT_PROVEN' }),
    ]);
    const card = JSON.parse(text) as Record<string, Json>;
    for (const changed of [
      { ...card, name: 'another' },
      { ...card, signatures: [] },
    ]) {
      const forged = newFile('forged.json', JSON.stringify(changed));
      const refused = await run('verify', forged, '--card-key', keys, '--json');
      expect([refused.code, refused.error()]).toEqual([
        1,
        expect.objectContaining({ code: 'SIGNATURE_INVALID' }),
      ]);
    }
  });

  test('one without a signature, or that nobody can speak to, is shown as that', async () => {
    const agent = await scriptedAgent({
      card: (origin) => cardOf(origin, { supportedInterfaces: [] }),
    });
    const shown = await run('show', agent.origin, '--json');
    expect(shown.json()).toMatchObject({
      proof: { kind: 'unsigned' },
      used: { reason: expect.stringContaining('no address that can be used') },
    });
    expect((await run('verify', agent.origin)).code).toBe(1);
    expect((await run('show', newFile('none.json', '[]'))).code).toBe(1);
  });

  test('one is signed with the key of the agent, and verifies #a2a-card-signature', async () => {
    const home = await initHome();
    const file = newFile('card.json', JSON.stringify(cardOf('https://agent.example')));
    const signed = await runCli(['card', 'sign', file, '--jku', JKU, '--home', home]);
    expect([signed.code, signed.stderr]).toEqual([0, '']);
    const directory = new KeyDirectory(homeAt(home).keys, {
      crypto: chooseProvider(),
      now: () => CLI_NOW,
    });
    const [own] = signingKeysOf(await directory.load('agent'), CLI_NOW);
    const x = Buffer.from(own!.key.publicKey).toString('base64url');
    const key = newFile(
      'key.json',
      JSON.stringify({ kid: own!.kid, kty: 'OKP', crv: 'Ed25519', x }),
    );
    const card = newFile('signed.json', signed.stdout);
    expect((await run('verify', card, '--card-key', key, '--json')).json()).toMatchObject({
      ok: true,
      title: 'scripted',
      proof: { kid: own!.kid },
    });
    expect((await runCli(['card', 'sign', file, '--home', home])).code).toBe(2);
  });
});
