// Proves that the official clients of other people's making, 1.3 for A2A 1.0 and 0.3.14 for A2A 0.3, use the agent
// unchanged over JSON-RPC and REST.

import { Message } from '@a2a-js/sdk';
import {
  JsonRpcTransportFactory as RpcV1,
  RestTransportFactory as RestV1,
  Client as ClientV1,
} from '@a2a-js/sdk/client';
import {
  ClientFactory as FactoryV03,
  JsonRpcTransportFactory as RpcV03,
  RestTransportFactory as RestV03,
} from '@a2a-js/sdk-v0.3/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { TOKENS, openAgent } from '../../support/a2a/agent.ts';

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent({ isOpen: false });
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const withToken =
  (name = 'user'): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${TOKENS[name]}`);
    return fetch(input, { ...init, headers });
  };

const CARD = {
  name: 'agent',
  description: 'does things',
  version: '1',
  protocolVersion: '0.3.0',
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

describe.each(['JSONRPC', 'HTTP+JSON'])('the client 1.3 over %s', (binding) => {
  async function clientFor(fetchImpl: typeof fetch): Promise<ClientV1> {
    const isRpc = binding === 'JSONRPC';
    const url = isRpc ? agent.rpc : agent.origin;
    const interfaces = [{ url, protocolBinding: binding, protocolVersion: '1.0', tenant: '' }];
    const card = { ...CARD, supportedInterfaces: interfaces } as never;
    const factory = isRpc ? new RpcV1({ fetchImpl }) : new RestV1({ fetchImpl });
    return new ClientV1(await factory.create(url, card), card);
  }
  const messageOf = (text: string, more = {}): Message =>
    Message.fromJSON({ messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more });
  const params = (text: string, more = {}): never => ({ message: messageOf(text, more) }) as never;

  test('sends, is answered, gets, lists and cancels', async () => {
    const client = await clientFor(withToken());
    const task = (await client.sendMessage(params('ask'))) as { id: string; contextId: string };
    expect(JSON.stringify(task)).toContain('which?');
    const ended = await client.sendMessage(params('red', { taskId: task.id }));
    expect(JSON.stringify(ended)).toContain('told red');
    const got = await client.getTask({ id: task.id, historyLength: 1 } as never);
    expect([got.id, got.history.length]).toEqual([task.id, 1]);
    const { tasks, totalSize } = await client.listTasks({
      contextId: task.contextId,
      status: 0,
    } as never);
    expect([tasks.map(({ id }) => id), totalSize]).toEqual([[task.id], 1]);
    const held = (await client.sendMessage({
      message: messageOf('hold'),
      configuration: { returnImmediately: true, acceptedOutputModes: [] },
    } as never)) as { id: string };
    const canceled = await client.cancelTask({ id: held.id } as never);
    expect(canceled.status?.state).toBe(5);
    await expect(client.cancelTask({ id: task.id } as never)).rejects.toThrow(/cancel/i);
    await expect(client.getTask({ id: 'nothing' } as never)).rejects.toThrow(/task/i);
  });

  test('streams, and subscribes again', async () => {
    const client = await clientFor(withToken());
    const cases: (string | undefined)[] = [];
    for await (const { payload } of client.sendMessageStream(params('chunks'))) {
      cases.push(payload?.$case);
    }
    expect([cases[0], cases.at(-1)]).toEqual(['task', 'statusUpdate']);
    expect(cases.filter((kind) => kind === 'artifactUpdate')).toHaveLength(2);
    const task = (await client.sendMessage(params('ask'))) as { id: string };
    const stream = client.resubscribeTask({ id: task.id } as never);
    expect((await stream.next()).value?.payload?.$case).toBe('task');
    await client.sendMessage(params('red', { taskId: task.id }));
    const seen: unknown[] = [];
    for await (const { payload } of stream) seen.push(payload?.$case);
    expect(seen.at(-1)).toBe('statusUpdate');
  });

  test('is answered with a message, and is refused as it understands', async () => {
    const client = await clientFor(withToken());
    const message = await client.sendMessage(params('answer'));
    expect('messageId' in message).toBe(true);
    const nobody = await clientFor(fetch);
    await expect(nobody.sendMessage(params('hello'))).rejects.toThrow();
    const other = await clientFor(withToken('other'));
    const { totalSize } = await other.listTasks({ status: 0 } as never);
    expect(totalSize).toBe(0);
  });
});

describe.each(['JSONRPC', 'HTTP+JSON'])('the client 0.3.14 over %s #a2a-03', (binding) => {
  async function clientFor(
    fetchImpl: typeof fetch,
  ): Promise<Awaited<ReturnType<FactoryV03['createFromAgentCard']>>> {
    const isRpc = binding === 'JSONRPC';
    const url = isRpc ? agent.rpc : agent.origin;
    const transports = [isRpc ? new RpcV03({ fetchImpl }) : new RestV03({ fetchImpl })];
    const card = { ...CARD, url, preferredTransport: binding };
    return new FactoryV03({ transports }).createFromAgentCard(card);
  }
  const params = (text: string, more = {}) => ({
    message: {
      kind: 'message' as const,
      messageId: 'm',
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text }],
      ...more,
    },
  });

  test('sends, is answered, gets and cancels', async () => {
    const client = await clientFor(withToken());
    const task = (await client.sendMessage(params('ask'))) as { id: string };
    expect(task).toMatchObject({ kind: 'task', status: { state: 'input-required' } });
    const ended = await client.sendMessage(params('red', { taskId: task.id }));
    expect(ended).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(JSON.stringify(ended)).toContain('told red');
    expect(await client.getTask({ id: task.id })).toMatchObject({ id: task.id });
    const held = (await client.sendMessage({
      ...params('hold'),
      configuration: { blocking: false },
    })) as { id: string };
    expect(await client.cancelTask({ id: held.id })).toMatchObject({
      status: { state: 'canceled' },
    });
    await expect(client.getTask({ id: 'nothing' })).rejects.toThrow();
    await expect(client.cancelTask({ id: task.id })).rejects.toThrow();
  });

  test('streams until its last frame says so, and subscribes again', async () => {
    const client = await clientFor(withToken());
    const events: { kind: string; final?: boolean }[] = [];
    for await (const event of client.sendMessageStream(params('chunks'))) events.push(event);
    expect([events[0]?.kind, events.at(-1)?.kind]).toEqual(['task', 'status-update']);
    expect(events.at(-1)?.final).toBe(true);
    const waits: { kind: string; final?: boolean }[] = [];
    for await (const event of client.sendMessageStream(params('ask'))) waits.push(event);
    expect(waits.at(-1)?.final).toBe(true);
    const task = (await client.sendMessage(params('ask'))) as { id: string };
    const stream = client.resubscribeTask({ id: task.id });
    expect((await stream.next()).value).toMatchObject({ kind: 'task' });
    await client.sendMessage(params('red', { taskId: task.id }));
    let last: unknown;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ kind: 'status-update', final: true });
  });

  test('is answered with a message', async () => {
    const client = await clientFor(withToken());
    expect(await client.sendMessage(params('answer'))).toMatchObject({ kind: 'message' });
  });
});
