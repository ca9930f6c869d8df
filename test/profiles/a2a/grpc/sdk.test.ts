// Proves that the official clients of other people's making, 1.3 for A2A 1.0 and 0.3.14 for A2A 0.3, use the agent
// unchanged over gRPC.

import {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
} from '@a2a-js/sdk';
import { Client as ClientV1 } from '@a2a-js/sdk/client';
import { GrpcTransportFactory as GrpcV1 } from '@a2a-js/sdk/client/grpc';
import { ClientFactory as FactoryV03 } from '@a2a-js/sdk-v0.3/client';
import { GrpcTransportFactory as GrpcV03 } from '@a2a-js/sdk-v0.3/client/grpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { GrpcAgent } from '../../../support/a2a/agent.ts';
import { openGrpcAgent } from '../../../support/a2a/agent.ts';

let agent: GrpcAgent;

beforeAll(async () => {
  agent = await openGrpcAgent({
    face: { extended: () => ({ description: 'for you' }) },
  });
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const CARD = {
  name: 'agent',
  description: 'does things',
  version: '1',
  protocolVersion: '0.3.0',
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  supportsAuthenticatedExtendedCard: true,
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

describe('the client 1.3 over gRPC #a2a-grpc', () => {
  async function newClient(): Promise<ClientV1> {
    const url = agent.grpc;
    const interfaces = [{ url, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: '' }];
    const card = { ...CARD, supportedInterfaces: interfaces } as never;
    return new ClientV1(await new GrpcV1().create(url, card), card);
  }
  const params = (text: string, more = {}, configuration = {}): SendMessageRequest =>
    SendMessageRequest.fromJSON({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
      configuration,
    });

  test('sends, is answered, gets, lists and cancels', async () => {
    const client = await newClient();
    const task = (await client.sendMessage(params('ask'))) as { id: string; contextId: string };
    expect(JSON.stringify(task)).toContain('which?');
    const ended = await client.sendMessage(params('red', { taskId: task.id }));
    expect(JSON.stringify(ended)).toContain('told red');
    const got = await client.getTask(GetTaskRequest.fromJSON({ id: task.id, historyLength: 1 }));
    expect([got.id, got.history.length]).toEqual([task.id, 1]);
    const { tasks, totalSize } = await client.listTasks(
      ListTasksRequest.fromJSON({ contextId: task.contextId }),
    );
    expect([tasks.map(({ id }) => id), totalSize]).toEqual([[task.id], 1]);
    const held = (await client.sendMessage(params('hold', {}, { returnImmediately: true }))) as {
      id: string;
    };
    const canceled = await client.cancelTask(CancelTaskRequest.fromJSON({ id: held.id }));
    expect(canceled.status?.state).toBe(5);
    const again = client.cancelTask(CancelTaskRequest.fromJSON({ id: task.id }));
    await expect(again).rejects.toMatchObject({ reason: 'TASK_NOT_CANCELABLE' });
    const none = client.getTask(GetTaskRequest.fromJSON({ id: 'nothing' }));
    await expect(none).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    const message = await client.sendMessage(params('answer'));
    expect('messageId' in message).toBe(true);
  });

  test('streams, and subscribes again', async () => {
    const client = await newClient();
    const cases: (string | undefined)[] = [];
    for await (const { payload } of client.sendMessageStream(params('chunks'))) {
      cases.push(payload?.$case);
    }
    expect([cases[0], cases.at(-1)]).toEqual(['task', 'statusUpdate']);
    expect(cases.filter((kind) => kind === 'artifactUpdate')).toHaveLength(2);
    const task = (await client.sendMessage(params('ask'))) as { id: string };
    const stream = client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task.id }));
    expect((await stream.next()).value?.payload?.$case).toBe('task');
    await client.sendMessage(params('red', { taskId: task.id }));
    const seen: unknown[] = [];
    for await (const { payload } of stream) seen.push(payload?.$case);
    expect(seen.at(-1)).toBe('statusUpdate');
  });

  test('gets the extended card', async () => {
    const client = await newClient();
    expect((await client.getAgentCard()).description).toBe('for you');
  });
});

describe('the client 0.3.14 over gRPC #a2a-grpc #a2a-03', () => {
  type ClientV03 = Awaited<ReturnType<FactoryV03['createFromAgentCard']>>;

  async function newClient(): Promise<ClientV03> {
    const card = { ...CARD, url: agent.grpc, preferredTransport: 'GRPC' };
    return new FactoryV03({ transports: [new GrpcV03()] }).createFromAgentCard(card);
  }
  const params = (text: string, more = {}, configuration = { blocking: true }) => ({
    message: {
      kind: 'message' as const,
      messageId: 'm',
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text }],
      ...more,
    },
    configuration,
  });

  test('sends, is answered, gets and cancels', async () => {
    const client = await newClient();
    const task = (await client.sendMessage(params('ask'))) as { id: string };
    expect(task).toMatchObject({ kind: 'task', status: { state: 'input-required' } });
    const ended = await client.sendMessage(params('red', { taskId: task.id }));
    expect(JSON.stringify(ended)).toContain('told red');
    expect(await client.getTask({ id: task.id })).toMatchObject({ id: task.id });
    const held = (await client.sendMessage(params('hold', {}, { blocking: false }))) as {
      id: string;
    };
    expect(await client.cancelTask({ id: held.id })).toMatchObject({
      status: { state: 'canceled' },
    });
    await expect(client.getTask({ id: 'nothing' })).rejects.toThrow();
    await expect(client.cancelTask({ id: task.id })).rejects.toThrow();
    expect(await client.sendMessage(params('answer'))).toMatchObject({ kind: 'message' });
  });

  test('streams until its last frame says so, and subscribes again', async () => {
    const client = await newClient();
    const events: { kind: string; final?: boolean }[] = [];
    for await (const event of client.sendMessageStream(params('chunks'))) events.push(event);
    expect([events[0]?.kind, events.at(-1)?.kind]).toEqual(['task', 'status-update']);
    expect(events.at(-1)?.final).toBe(true);
    const task = (await client.sendMessage(params('ask'))) as { id: string };
    const stream = client.resubscribeTask({ id: task.id });
    expect((await stream.next()).value).toMatchObject({ kind: 'task' });
    await client.sendMessage(params('red', { taskId: task.id }));
    let last: unknown;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ kind: 'status-update', final: true });
  });

  test('gets the card', async () => {
    const client = await newClient();
    expect((await client.getAgentCard()).description).toBe('for you');
  });
});
