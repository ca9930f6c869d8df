// `peers add` by an address: the signed document that is found there, and what is made of it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { homeAt } from '../../../cli/home/home.ts';
import { openStore } from '../../../cli/store/open.ts';
import { createIdentity, rotateIdentity } from '../../../src/security/identity/identity.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { PeerBook } from '../../../keys/peer-book.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { signAgentDocument } from '../../../src/security/identity/agent-document.ts';
import type { AgentDocumentContent } from '../../../src/security/identity/agent-document.ts';
import { createContacts } from '../../../src/security/peers/contacts.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { CliRun, CliSetting } from '../../support/agents/cli.ts';
import { CLI_NOW, initHome, newCliHome, runCli } from '../../support/agents/cli.ts';

const crypto = chooseProvider();
const DAY_MS = 86_400_000;

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
