// The commands `peers`: by id, and what becomes of an entry.

import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { homeAt } from '../../../cli/home/home.ts';
import { openStore } from '../../../cli/store/open.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { exportPublicKey } from '../../../keys/format.ts';
import { PeerBook } from '../../../keys/peer-book.ts';
import { encodeBase64url } from '../../../src/codec/base64url.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { createModeLatch } from '../../../src/security/peers/latch.ts';
import { createSealedLatch } from '../../../src/security/peers/sealed-latch.ts';
import { thumbprint } from '../../../src/security/identity/thumbprint.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { CLI_NOW, initHome, newFile, runCli } from '../../support/agents/cli.ts';
import { messageFrom } from '../../support/trust/peers.ts';

const crypto = chooseProvider();
const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const signKey = crypto.ed25519PublicKey(seed(3));
const encKey = crypto.x25519PublicKey(seed(4));

/** One of the two stores of a home. */
async function withStore<T>(
  home: string,
  name: 'store' | 'operatorStore',
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(`sqlite:${homeAt(home)[name]}`, () => CLI_NOW);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function show(home: string, peer: string): Promise<JsonObject> {
  return (await runCli(['peers', 'show', peer, '--home', home, '--json'])).json() as JsonObject;
}

describe('#sec-kid-bound peers add by id', () => {
  test('writes down all that it is told', async () => {
    const home = await initHome();
    const pem = newFile('a.pem', exportPublicKey({ alg: 'x25519', publicKey: encKey }, 'pem'));
    const args =
      'peers add did:key:legacy --name legacy --url http://127.0.0.1:9/a2a --url ipc:/run/legacy.sock ' +
      `--sign-key k1=${encodeBase64url(signKey)} --enc-key ${pem} --canon python --compat label-id ` +
      '--compat no-replay --min-mode sig --sealed require --allow-ct task.v1 --allow-ct state.v1 --allow-tool math.add ' +
      `--certificate ${'ab'.repeat(32)} --may-grant`;
    const { code, stderr } = await runCli([...args.split(' '), '--home', home]);
    expect([code, stderr]).toEqual([0, '']);
    expect(await show(home, 'legacy')).toEqual({
      book: 'agent',
      agent_id: 'did:key:legacy',
      name: 'legacy',
      revoked: false,
      endpoints: ['http://127.0.0.1:9/a2a', 'ipc:/run/legacy.sock'],
      sign_keys: [{ kid: 'k1', key: encodeBase64url(signKey) }],
      enc_keys: [{ kid: thumbprint('x25519', encKey), key: encodeBase64url(encKey) }],
      canon: 'python',
      min_mode: 'sig',
      a2a_sealed: 'require',
      allow_ct: ['task.v1', 'state.v1'],
      allow_tools: ['math.add'],
      certificates: ['ab'.repeat(32)],
      compat: ['label-id', 'no-replay'],
      may_grant: true,
    });
  });

  test('a key may be in a JWK file', async () => {
    const home = await initHome();
    const jwk = newFile('a.jwk', exportPublicKey({ alg: 'ed25519', publicKey: signKey }, 'jwk'));
    const args = ['peers', 'add', 'did:key:x', '--sign-key', `k=${jwk}`, '--home', home];
    expect((await runCli(args)).code).toBe(0);
    expect((await show(home, 'did:key:x'))['sign_keys']).toEqual([
      { kid: 'k', key: encodeBase64url(signKey) },
    ]);
  });

  test('a label is warned of: it proves nothing, and without a key nothing of it can be', async () => {
    const home = await initHome();
    const { code, stderr } = await runCli(['peers', 'add', 'did:key:label', '--home', home]);
    expect(code).toBe(0);
    expect(stderr).toContain('--compat label-id');
    expect(stderr).toContain('--sign-key');
  });

  test('an id that proves itself needs no more', async () => {
    const home = await initHome();
    const { agentId } = await createIdentity({ crypto, nowMs: CLI_NOW });
    const { code, stderr } = await runCli(['peers', 'add', agentId, '--home', home]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test.each([
    [['did:key:a', '--compat', 'everything'], 2, '--compat expects one of label-id'],
    [['did:key:a', '--canon', 'xml'], 2, '--canon expects one of jcs'],
    [['did:key:a', '--min-mode', 'max'], 2, '--min-mode expects one of none'],
    [['did:key:a', '--sealed', 'maybe'], 2, '--sealed expects one of none'],
    [['did:key:a', '--name', 'operator'], 2, 'are for this home'],
    [['did:key:a', '--yes'], 2, '--yes is for a URL'],
    [['did:key:a', '--tls-ca', 'ca.pem'], 2, '--tls-ca is for a URL'],
    [['http://'], 2, 'not a URL'],
    [['ws://127.0.0.1:1/a2a', '--yes'], 1, 'the connection could not be made'],
    [['did:key:zzz'], 2, 'there is no key in it'],
    [['did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvk'], 2, 'there is no key in it'],
    [['z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'], 2, 'there is no key in it'],
    [['bob.example'], 2, 'did you mean https://bob.example?'],
    [['bob.example:8787/a2a'], 2, 'did you mean https://bob.example:8787/a2a?'],
    [['localhost:8787'], 2, 'did you mean http://localhost:8787?'],
    [['/run/agent.sock'], 2, 'did you mean ipc:/run/agent.sock?'],
    [['bob'], 2, 'neither an agent id nor an address'],
    [['*', '--compat', 'label-id'], 2, '* cannot be the id of an agent'],
    [['~x', '--compat', 'label-id'], 2, '~x cannot be the id of an agent'],
    [['~x'], 2, '~x cannot be the id of an agent'],
    [['ipc:/nowhere/agent.sock', '--yes'], 1, 'nobody listens'],
    [['did:key:a', '--url', 'bob.example'], 2, 'did you mean https://bob.example?'],
    [['did:key:a', '--url', 'ftp://x'], 1, 'must be a URL'],
    [['did:key:a', '--sign-key', 'k=/nowhere.pem'], 1, '/nowhere.pem: there is no such file'],
    [['did:key:a', '--sign-key', `k=${'A'.repeat(43)}`], 1, 'not an ed25519 public key'],
    [['did:key:a', '--allow-tool', 'math.*'], 1, 'a name without *'],
    [['did:key:a', '--certificate', 'xyz'], 1, 'SHA-256'],
  ])('%j is refused and leaves the book as it was', async (args, expected, words) => {
    const home = await initHome();
    const { code, stderr } = await runCli(['peers', 'add', ...args, '--home', home]);
    expect(code).toBe(expected);
    expect(stderr).toContain(words);
    expect((await PeerBook.open(homeAt(home).peers.agent)).list()).toHaveLength(1);
  });

  test('twice is refused with the command that changes it', async () => {
    const home = await initHome();
    const args = ['peers', 'add', 'did:key:alice', '--home', home];
    await runCli(args);
    const { code, stderr } = await runCli(args);
    expect(code).toBe(1);
    expect(stderr).toContain('a2a-sdl peers set did:key:alice');
  });
});

describe('peers list, set, revoke and remove', () => {
  test('change what is known, and only that', async () => {
    const home = await initHome();
    const peers = (...args: string[]): Promise<CliRun> =>
      runCli(['peers', ...args, '--home', home]);
    await peers('add', 'did:key:alice', '--name', 'alice', '--allow-ct', 'task.v1');
    expect((await peers('set', 'alice', '--min-mode', 'enc+sig')).code).toBe(0);
    expect(await show(home, 'alice')).toMatchObject({
      min_mode: 'enc+sig',
      allow_ct: ['task.v1'],
    });
    expect((await peers('set', 'alice')).code).toBe(2);
    expect((await peers('list')).stdout).toMatch(/alice +known +did:key:alice/);
    expect((await peers('revoke', 'alice')).code).toBe(0);
    expect((await peers('list')).stdout).toMatch(/alice +revoked +did:key:alice/);
    expect((await peers('remove', 'alice')).code).toBe(0);
    const gone = await peers('remove', 'alice');
    expect(gone.code).toBe(1);
    expect((await peers('list', '--json')).json()).toHaveLength(1);
  });

  test('an address is added before those that are known, and taken away by name', async () => {
    const home = await initHome();
    const set = (...args: string[]): Promise<CliRun> =>
      runCli(['peers', 'set', 'alice', ...args, '--home', home]);
    const first = ['--url', 'https://alice.example/a2a'];
    await runCli(['peers', 'add', 'did:key:alice', '--name', 'alice', ...first, '--home', home]);
    expect((await set('--url', 'ipc:/run/alice.sock')).code).toBe(0);
    const { endpoints } = await show(home, 'alice');
    expect(endpoints).toEqual(['ipc:/run/alice.sock', 'https://alice.example/a2a']);
    expect((await set('--remove-url', 'https://alice.example/a2a')).code).toBe(0);
    expect(await show(home, 'alice')).toMatchObject({ endpoints: ['ipc:/run/alice.sock'] });
    const wrong = await set('--remove-url', 'https://alice.example');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('no address of this')]);
    expect((await set('--url', 'alice.example')).stderr).toContain(
      'did you mean https://alice.exa',
    );
  });

  test('the beginning of an id is enough where it is that of one peer', async () => {
    const home = await initHome();
    const one = await createIdentity({ crypto, nowMs: CLI_NOW });
    await runCli(['peers', 'add', one.agentId, '--home', home]);
    const short = one.agentId.slice(0, 24);
    expect(await show(home, short)).toMatchObject({ agent_id: one.agentId });
    expect(await show(home, short.slice('did:key:'.length))).toMatchObject({
      agent_id: one.agentId,
    });
    const many = await runCli(['peers', 'show', 'z6Mk', '--home', home]);
    expect([many.code, many.stderr]).toEqual([1, expect.stringContaining(one.agentId)]);
    expect(many.stderr).toContain('give more of the id');
    expect((await runCli(['peers', 'show', 'z6M', '--home', home])).stderr).toContain('no peer');
  });

  test('a mistyped name is answered with the nearest', async () => {
    const home = await initHome();
    const { code, stderr } = await runCli(['peers', 'show', 'operatr', '--home', home]);
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean "operator"?');
  });

  test('an empty book is no error', async () => {
    const home = await initHome();
    await runCli(['peers', 'remove', 'operator', '--home', home]);
    const { code, stdout, stderr } = await runCli(['peers', 'list', '--home', home]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('the book of the agent is empty');
  });

  test('the book of the operator is asked for with --as', async () => {
    const home = await initHome();
    const { json } = await runCli(['peers', 'list', '--as', 'operator', '--home', home, '--json']);
    expect(json()).toMatchObject([{ name: 'agent' }]);
  });

  test('a book that does not hold is named with the place', async () => {
    const home = await initHome();
    writeFileSync(homeAt(home).peers.agent, '{"format":"a2a-sdl/peers/v1","peers":[{}]}');
    const { code, stderr } = await runCli(['peers', 'list', '--home', home]);
    expect(code).toBe(1);
    expect(stderr).toContain('/peers/0/agent_id is missing');
  });
});

describe('#sec-reply-strength #sealed-required peers relax', () => {
  test.each([
    ['agent', 'store', 'operatorStore'],
    ['operator', 'operatorStore', 'store'],
  ] as const)('as %s it relaxes what that one has seen', async (role, own, other) => {
    const home = await initHome();
    const [peer] = (
      await runCli(['peers', 'list', '--as', role, '--home', home, '--json'])
    ).json() as [JsonObject];
    const from = peer['agent_id'] as string;
    const sender = { key: { kid: 'k', key: signKey }, isStranger: false };
    const raise = (store: Store): Promise<void> =>
      createModeLatch(store)
        .raise(sender, messageFrom({ from, mode: 'enc+sig' }))
        .then(() => createSealedLatch(store).raise({ agentId: from }));
    await withStore(home, own, raise);
    await withStore(home, other, raise);
    expect((await runCli(['peers', 'relax', from, '--as', role, '--home', home])).code).toBe(0);
    const left = (store: Store): Promise<unknown[]> =>
      Promise.all([
        createModeLatch(store).get(from),
        createSealedLatch(store).mustSeal({ agentId: from }),
      ]);
    expect(await withStore(home, own, left)).toEqual(['none', false]);
    expect(await withStore(home, other, left)).toEqual(['enc+sig', true]);
  });
});
