// The commands `peers`: by id, by address, and what becomes of an entry.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../../cli/home/home.ts';
import { openStore } from '../../../cli/store/open.ts';
import { createIdentity, rotateIdentity } from '../../../src/security/identity/identity.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { exportPublicKey } from '../../../keys/format.ts';
import { PeerBook } from '../../../keys/peer-book.ts';
import { encodeBase64url } from '../../../src/codec/base64url.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { signAgentDocument } from '../../../src/security/identity/agent-document.ts';
import type { AgentDocumentContent } from '../../../src/security/identity/agent-document.ts';
import { createContacts } from '../../../src/security/peers/contacts.ts';
import { createModeLatch } from '../../../src/security/peers/latch.ts';
import { thumbprint } from '../../../src/security/identity/thumbprint.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { CliRun, CliSetting } from '../../support/agents/cli.ts';
import { CLI_NOW, initHome, newCliHome, newFile, runCli } from '../../support/agents/cli.ts';
import { messageFrom } from '../../support/trust/peers.ts';

const crypto = chooseProvider();
const DAY_MS = 86_400_000;
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
      '--compat no-replay --min-mode sig --allow-ct task.v1 --allow-ct state.v1 --allow-tool math.add ' +
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

describe('#sec-reply-strength peers relax', () => {
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
      createModeLatch(store).raise(sender, messageFrom({ from, mode: 'enc+sig' }));
    await withStore(home, own, raise);
    await withStore(home, other, raise);
    expect((await runCli(['peers', 'relax', from, '--as', role, '--home', home])).code).toBe(0);
    const left = (store: Store): Promise<string> => createModeLatch(store).get(from);
    expect(await withStore(home, own, left)).toBe('none');
    expect(await withStore(home, other, left)).toBe('enc+sig');
  });
});

const URL_GIVEN = 'https://frog.example';

async function documentOf(
  identity: LocalIdentity,
  changes: Partial<AgentDocumentContent> = {},
): Promise<JsonObject> {
  const content: AgentDocumentContent = {
    name: 'frog\n\u001B[2Jfake',
    bundle: identity.bundle,
    endpoints: ['https://frog.example/a2a', 'ipc:/run/frog.sock'],
    contentTypes: ['task.v1'],
    tools: [],
    limits: { maxBytes: 1, maxDepth: 1, maxArrayLength: 1, maxHops: 1 },
    x: ['re'],
    expMs: CLI_NOW + DAY_MS,
    ...changes,
  };
  return (await signAgentDocument(content, identity.root.reveal(), crypto)).document;
}

function addUrl(
  home: string,
  document: JsonObject,
  args: readonly string[] = [],
  setting: CliSetting = {},
): Promise<CliRun> {
  return runCli(['peers', 'add', URL_GIVEN, ...args, '--home', home], {
    ...setting,
    fetchAgentDocument: (url) =>
      url === URL_GIVEN ? Promise.resolve(writeJson(document)) : Promise.reject(new Error(url)),
  });
}

describe('#agent-document peers add by address', () => {
  test('takes the id, the network addresses and the keys to encrypt to', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const { code } = await addUrl(home, await documentOf(frog), ['--yes', '--name', 'frog']);
    expect(code).toBe(0);
    const enc = frog.keys.find(({ use }) => use === 'enc')!;
    expect(await show(home, 'frog')).toMatchObject({
      agent_id: frog.agentId,
      endpoints: ['https://frog.example/a2a'],
      sign_keys: [],
      enc_keys: [{ kid: enc.kid, not_after: '2027-06-01T00:00:00Z' }],
    });
  });

  test('shows id and fingerprint and asks; the words of the other cannot fake a line', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const document = await documentOf(frog);
    const declined = await addUrl(home, document, [], { isTerminal: true, input: 'n\n' });
    expect([declined.code, declined.stdout]).toEqual([1, '']);
    expect(declined.stderr).toContain(frog.agentId);
    expect(declined.stderr).toMatch(/fingerprint: {2}([0-9a-f]{4} ){7}[0-9a-f]{4}\n/);
    expect(declined.stderr).not.toContain('\u001B[2J');
    expect(declined.stderr.split('\n').filter((line) => line.includes('fake'))).toHaveLength(1);
    const accepted = await addUrl(home, document, [], { isTerminal: true, input: 'y\n' });
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain(frog.agentId);
  });

  test('needs no home that is there already', async () => {
    const home = newCliHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const { code, stderr } = await addUrl(home, await documentOf(frog), ['--yes']);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('without anybody to ask it says what to add', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const { code, stderr } = await addUrl(home, await documentOf(frog));
    expect(code).toBe(1);
    expect(stderr).toContain('--expect');
    expect((await PeerBook.open(homeAt(home).peers.agent)).get(frog.agentId)).toBeUndefined();
  });

  test('with --expect nothing is asked, and another agent is refused', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const document = await documentOf(frog);
    const other = await addUrl(home, document, ['--expect', 'did:key:other']);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('of another agent');
    expect((await addUrl(home, document, ['--expect', frog.agentId])).code).toBe(0);
  });

  test('again it brings the entry up to date without asking, and keeps what its owner said', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    await addUrl(home, await documentOf(frog), ['--yes', '--min-mode', 'enc+sig']);
    const moved = await documentOf(frog, { endpoints: ['https://pond.example/a2a'] });
    const { code, json } = await addUrl(home, moved, ['--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ created: false, min_mode: 'enc+sig' });
    expect((await show(home, frog.agentId))['endpoints']).toEqual(['https://pond.example/a2a']);
  });

  test('again under another name it is not renamed without a word', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const document = await documentOf(frog);
    await addUrl(home, document, ['--yes', '--name', 'frog']);
    const renamed = await addUrl(home, document, ['--yes', '--name', 'toad']);
    expect([renamed.code, renamed.stderr]).toEqual([1, expect.stringContaining('known as "frog"')]);
    expect(renamed.stderr).toContain('a2a-sdl peers set frog --name toad');
    expect(await show(home, frog.agentId)).toMatchObject({ name: 'frog' });
    expect((await addUrl(home, document, ['--name', 'frog'])).code).toBe(0);
  });

  test('an agent that is revoked stays so', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const document = await documentOf(frog);
    await addUrl(home, document, ['--yes']);
    await runCli(['peers', 'revoke', frog.agentId, '--home', home]);
    expect((await addUrl(home, document, ['--yes'])).code).toBe(1);
    expect(await show(home, frog.agentId)).toMatchObject({ revoked: true });
  });

  test.each<[string, (document: JsonObject) => JsonObject, string]>([
    ['changed after it was signed', (document) => ({ ...document, name: 'x' }), 'not signed by'],
    ['of another shape', () => ({ hello: 'world' }), 'must have no members but'],
  ])('a document %s is refused', async (_, change, words) => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const { code, stderr } = await addUrl(home, change(await documentOf(frog)), ['--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect((await PeerBook.open(homeAt(home).peers.agent)).list()).toHaveLength(1);
  });

  test('is fetched over HTTP from the well-known place', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const body = writeJson(await documentOf(frog));
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url!);
      response.setHeader('content-type', 'application/json');
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/a2a`;
    const args = ['peers', 'add', url, '--yes', '--home', home];
    const { code, stderr } = await runCli(args);
    await new Promise((resolve) => server.close(resolve));
    expect([code, stderr]).toEqual([0, '']);
    expect(asked).toEqual(['/.well-known/a2a-sdl.json']);
    const gone = await runCli([...args, '--json']);
    expect(gone.code).toBe(1);
    expect(gone.error()).toMatchObject({ code: 'TRANSPORT_UNREACHABLE' });
  });

  test('#key-bundle keys that were rotated out do not come back with an earlier document', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const earlier = await documentOf(frog);
    const rotated = await rotateIdentity(frog, { crypto, nowMs: CLI_NOW, overlapMs: 0 });
    await addUrl(home, await documentOf(rotated), ['--yes']);
    const { enc_keys: keys } = await show(home, frog.agentId);
    const { code, stderr } = await addUrl(home, earlier, ['--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('older than one seen before')]);
    expect((await show(home, frog.agentId))['enc_keys']).toEqual(keys);
    await runCli(['peers', 'remove', frog.agentId, '--home', home]);
    expect((await addUrl(home, earlier, ['--yes'])).code).toBe(1);
  });

  test.each(['store', 'operatorStore'] as const)(
    '#key-bundle nor do those before a bundle that a message has brought (%s)',
    async (name) => {
      const home = await initHome();
      const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
      const { bundle } = await rotateIdentity(frog, { crypto, nowMs: CLI_NOW });
      await withStore(home, name, (store) =>
        createContacts(store, { crypto }).learn(frog.agentId, { bundle }, { isStranger: false }),
      );
      const { code, stderr } = await addUrl(home, await documentOf(frog), ['--yes']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('older than one seen before')]);
      expect((await PeerBook.open(homeAt(home).peers.agent)).get(frog.agentId)).toBeUndefined();
    },
  );

  test('an expired document is refused', async () => {
    const home = await initHome();
    const frog = await createIdentity({ crypto, nowMs: CLI_NOW });
    const document = await documentOf(frog);
    const late = await addUrl(home, document, ['--yes'], { nowMs: CLI_NOW + 2 * DAY_MS });
    expect(late.code).toBe(1);
    expect(late.stderr).toContain('expired');
  });
});
