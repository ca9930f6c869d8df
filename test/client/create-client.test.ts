// A client: who speaks to agents without being one.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { ClientOptions } from '../../src/client/client.ts';
import { createClient } from '../../src/client/client.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import { newPeer, peerFromBundle } from '../../src/security/peers/new-peer.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { MemoryHub } from '../../transports/memory/index.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import { loadedBy } from '../support/repository/module-graph.ts';

const schemas = { 'note.v1': { type: 'object' } } as const;

let bob: LocalIdentity;
let alice: LocalIdentity;
let agent: Runtime;
let hub: MemoryHub;

beforeEach(async () => {
  [alice, bob] = await Promise.all([createIdentity(), createIdentity()]);
  hub = createMemoryHub();
  agent = createRuntime({
    identity: bob,
    peers: [alice],
    contents: [
      defineContent({ ct: 'note.v1', schema: schemas['note.v1'], handle: (note) => note }),
    ],
    onTask: async (task) => `done: ${task.text}`,
  });
  await agent.listen(hub.transport('bob'));
});

afterEach(() => agent.close({ graceMs: 0 }));

function clientWith(options: ClientOptions = {}): ReturnType<typeof createClient> {
  const transports = [hub.transport('alice')];
  return createClient({ identity: alice, peers: [bob], transports, schemas, ...options });
}

describe('#exchange a client', () => {
  test('sends tasks, calls tools and asks for anything that it has a schema for', async () => {
    const client = clientWith();
    const peer = client.connect('memory:bob', { agentId: bob.agentId });
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
    expect(await peer.task('sing').result()).toMatchObject({ status: 'completed' });
    const note = { ct: 'note.v1', payload: { a: 1 } };
    expect((await peer.request(note).result()).payload).toEqual({ a: 1 });
    await client.close();
  });

  test('loads nothing of an agent: no engine, no delegation, no handlers but for answers', () => {
    const files = loadedBy('src/client/index.ts');
    const room = /^src\/(tasks|delegation|runtime|handlers|pipeline\/receive)/;
    expect([...files].filter((file) => room.test(file)).sort()).toEqual([
      'src/handlers/artifact/build.ts',
      'src/handlers/artifact/read.ts',
      'src/handlers/negotiation/cap-hash.ts',
      'src/handlers/negotiation/content-version.ts',
      'src/handlers/negotiation/package-version.ts',
      'src/handlers/negotiation/version-policy.ts',
      'src/tasks/member-fault.ts',
      'src/tasks/message.ts',
      'src/tasks/part-json.ts',
      'src/tasks/part.ts',
    ]);
  });

  test('without an identity says, when it is to speak, how to give it one', async () => {
    const client = clientWith({ identity: undefined as never });
    const peer = client.connect(`memory:bob`, { agentId: bob.agentId });
    await expect(peer.call('sys.ping')).rejects.toThrow(/"identity".*createIdentity\(\)/);
    expect(() => createClient()).not.toThrow();
  });

  test('says which transport to import for an address that it has no way to', async () => {
    const client = clientWith({ transports: [] });
    const ask = (url: string): Promise<unknown> =>
      client.connect(url, { agentId: bob.agentId }).call('sys.ping');
    await expect(ask('https://example.org/a2a')).rejects.toThrow(
      'no transport was given for "https:" addresses: import { http } from "a2a-sdl/transports/http" and give "transports: [http()]"',
    );
    await expect(ask('ipc:/tmp/x.sock')).rejects.toThrow('a2a-sdl/transports/ipc');
    await expect(ask('memory:bob')).rejects.toMatchObject({ code: 'TRANSPORT_UNREACHABLE' });
  });

  test('that is closed speaks no more, and leaves its store open', async () => {
    const store = createMemoryStore();
    const client = clientWith({ store });
    const peer = client.connect('memory:bob', { agentId: bob.agentId });
    await peer.call('sys.ping');
    await client.close();
    await expect(peer.call('sys.ping')).rejects.toMatchObject({ code: 'DRAINING' });
    expect(await store.get('space', 'key')).toBeUndefined();
  });

  test('#receipt-kept tells of the receipts that it keeps in its store, and keeps none without one', async () => {
    const told: string[] = [];
    const on = { receipt: ({ peer }: { readonly peer: string }) => void told.push(peer) };
    for (const options of [{ store: createMemoryStore() }, {}]) {
      const client = clientWith({ on, ...options });
      await client.connect('memory:bob', { agentId: bob.agentId }).call('sys.ping');
      await client.close();
    }
    expect(told).toEqual([bob.agentId]);
  });

  test('refuses an option that it does not have', () => {
    expect(() => createClient({ dialers: [] } as never)).toThrow('"dialers" is not an option');
  });
});

describe('#sec-kid-bound whom it knows', () => {
  const endpoints = ['memory:bob'];

  test.each<[string, () => ClientOptions['peers'], string]>([
    ['an identity', () => [bob], 'memory:bob'],
    ['a key bundle', () => [bob.bundle], 'memory:bob'],
    ['an entry', () => [peerFromBundle(bob.bundle)], 'memory:bob'],
    ['a bundle with endpoints', () => [{ bundle: bob.bundle, endpoints }], ''],
    ['a bundle with a name', () => [{ bundle: bob.bundle, endpoints, name: 'bob' }], 'bob'],
  ])('may be %s', async (_what, peers, target) => {
    const client = clientWith({ peers: peers()! });
    const peer = client.connect(target === '' ? bob.agentId : target, { agentId: bob.agentId });
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
    await client.close();
  });

  test('a runtime takes them, too; who is not among them is refused', async () => {
    const mallory = await createIdentity();
    const stranger = clientWith({ identity: mallory });
    const peer = stranger.connect('memory:bob', { agentId: bob.agentId });
    await expect(peer.call('sys.ping')).rejects.toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
    await stranger.close();
  });

  test('nothing else is one', () => {
    expect(() => createClient({ peers: [{} as never] })).toThrow('"peers" expected');
    expect(() => createClient({ peers: [newPeer('did:key:x')] })).not.toThrow();
  });
});
