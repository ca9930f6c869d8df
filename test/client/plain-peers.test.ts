// Agents that have not announced parts: they are sent what goal and inputs can say, and nothing that they would miss.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/client.ts';
import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import type { AuthorTask } from '../../src/tasks/context.ts';
import type { Part } from '../../src/tasks/part.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';

vi.mock('../../src/envelope/capabilities.ts', async (original) => {
  const real = await original<typeof import('../../src/envelope/capabilities.ts')>();
  return {
    ...real,
    defaultCapabilities: (...args: Parameters<typeof real.defaultCapabilities>) => {
      const { a2a_sdl: announced, ...cap } = real.defaultCapabilities(...args);
      return {
        ...cap,
        a2a_sdl: { ...(announced as object), x: ['re', 'bind', 'canon', 'stream'] },
      };
    },
  };
});

let runs: AuthorTask[];
let agent: Runtime;
let client: Client;
let peer: RemoteAgent;

beforeEach(async () => {
  runs = [];
  const [alice, bob] = await Promise.all([createIdentity(), createIdentity()]);
  const hub = createMemoryHub();
  agent = createRuntime({
    identity: bob,
    peers: [alice],
    onTask: async (task, ctx) => {
      runs.push(task);
      return (await ctx.ask('more?')).text;
    },
  });
  await agent.listen(hub.transport('bob'));
  client = createClient({ identity: alice, peers: [bob], transports: [hub.transport('alice')] });
  peer = client.connect('memory:bob', { agentId: bob.agentId });
});

afterEach(async () => {
  await client.close();
  await agent.close({ graceMs: 0 });
});

describe('#parts agents that did not announce them', () => {
  test('are sent a message that goal and inputs can say', async () => {
    const message = { parts: [{ text: 'add' }, { data: { values: [1, 2] } }] };
    const { status, goal } = await peer.task({ id: 't', message }).result();
    expect([status, goal]).toEqual(['input-required', 'add']);
    const { payload } = runs[0]!.source.value as { payload: object };
    expect(payload).toMatchObject({ goal: 'add', inputs: { values: [1, 2] } });
  });

  test.each<readonly [string, readonly Part[]]>([
    ['bytes', [{ text: 'a' }, { bytes: new Uint8Array([1]) }]],
    ['an address', [{ url: 'https://a.example/' }]],
    ['a name of a file', [{ text: 'a', filename: 'a.txt' }]],
    ['data that is no object', [{ data: [1] }]],
    ['two data parts', [{ data: { a: 1 } }, { data: { b: 1 } }]],
  ])('are not sent %s', async (_name, parts) => {
    await expect(peer.task({ message: { parts } }).result()).rejects.toMatchObject({
      code: 'CT_UNSUPPORTED',
    });
    expect(runs).toEqual([]);
  });

  test('are watched without the whole first, and answered by plain values', async () => {
    await peer.task({ id: 't', goal: 'go' }).result();
    const said = peer.tasks.send('t', 'yes');
    await expect(said).rejects.toMatchObject({ code: 'CT_UNSUPPORTED' });
    const parts = [{ bytes: new Uint8Array([1]) }];
    await expect(peer.tasks.reply('t', { parts })).rejects.toMatchObject({
      code: 'CT_UNSUPPORTED',
    });
    await peer.tasks.reply('t', 'yes');
    const seen: unknown[] = [];
    for await (const { generation, status, isWhole } of peer.tasks.watch('t', { after: 3 })) {
      seen.push([generation, status, isWhole]);
    }
    expect(seen).toEqual([
      [4, 'working', false],
      [5, 'working', false],
      [6, 'completed', false],
      [6, 'completed', true],
    ]);
  });
});
