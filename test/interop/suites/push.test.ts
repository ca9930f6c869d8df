// Proves against the running agent what the public suites want of web hooks: kept by the id that a client gives, made for
// tasks that have ended, told on this machine with what the client asked for.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import type { Binding } from '../acts/bindings/binding.ts';
import { grpc } from '../acts/bindings/grpc.ts';
import { jsonRpc } from '../acts/bindings/jsonrpc.ts';
import { rest } from '../acts/bindings/rest.ts';
import type { BindingName } from '../acts/document.ts';
import { isTerminalState, stateIn } from '../acts/events.ts';
import { openWebhook } from '../acts/webhook.ts';
import { reasonOf, saying, taskOf, told } from './asking.ts';

const START_MS = 120_000;
const HOOK_URL = 'https://example.com/tck-push-webhook';
let agent: ConformanceAgent;
let bindings: Readonly<Record<BindingName, Binding>>;

beforeAll(async () => {
  agent = await startConformanceAgent('--profile', '1.0.0', '--grpc', '127.0.0.1:0');
  bindings = {
    jsonrpc: jsonRpc(agent.jsonrpc),
    rest: rest(agent.rest),
    grpc: grpc(agent.grpc!),
  };
}, START_MS);
afterAll(async () => {
  for (const binding of Object.values(bindings)) binding.close();
  await agent.stop();
});

const NAMES: readonly BindingName[] = ['jsonrpc', 'rest', 'grpc'];

describe.concurrent.each(NAMES)('over %s #a2a-push', (name) => {
  const endedTask = async (): Promise<string> =>
    (await taskOf(bindings[name], saying('tck-complete-task')))['id'] as string;

  test('PUSH-CREATE-001 to PUSH-DEL-002: one id on many tasks that have ended', async () => {
    const binding = bindings[name];
    for (const taskId of [await endedTask(), await endedTask()]) {
      const id = 'tck-push';
      const made = await told(binding, 'CreateTaskPushNotificationConfig', {
        taskId,
        id,
        url: HOOK_URL,
      });
      expect(made).toMatchObject({ taskId, id, url: HOOK_URL });
      const got = await told(binding, 'GetTaskPushNotificationConfig', { taskId, id });
      expect(got).toMatchObject({ taskId, id, url: HOOK_URL });
      const { configs } = await told(binding, 'ListTaskPushNotificationConfigs', { taskId });
      expect((configs as readonly JsonObject[]).map((one) => one['id'])).toEqual([id]);
      const none = { taskId, id: 'tck-nonexistent' };
      expect(await reasonOf(binding, 'GetTaskPushNotificationConfig', none)).toBe('TASK_NOT_FOUND');
      await told(binding, 'DeleteTaskPushNotificationConfig', { taskId, id });
      await told(binding, 'DeleteTaskPushNotificationConfig', { taskId, id });
      const gone = await reasonOf(binding, 'GetTaskPushNotificationConfig', { taskId, id });
      expect(gone).toBe('TASK_NOT_FOUND');
    }
  });

  test('PUSH-DELIVER-001 to PUSH-DELIVER-003: a hook that came with the message is told', async () => {
    const binding = bindings[name];
    const hook = await openWebhook();
    try {
      const authentication = { scheme: 'Bearer', credentials: 'tck-test-token' };
      const config = { id: 'tck-push', url: hook.url, authentication };
      const task = await taskOf(binding, saying('tck-input-required'), {
        taskPushNotificationConfig: config,
      });
      await taskOf(binding, saying('tck-complete-task', { taskId: task['id']! }));
      const deliveries = await hook.until(({ body }) => isTerminalState(stateIn(body)));
      for (const { method, headers } of deliveries) {
        expect([method, headers.authorization]).toEqual(['POST', 'Bearer tck-test-token']);
        expect(Number(headers['content-length'])).toBeGreaterThan(0);
      }
    } finally {
      await hook.close();
    }
  });
});

describe('in 0.3 #a2a-push #a2a-03', () => {
  const call = async (method: string, params: object) => {
    const body = { jsonrpc: '2.0', id: 1, method, params } as never;
    return (await ask(agent.jsonrpc, { method: 'POST', body })).body;
  };
  const message = {
    kind: 'message',
    messageId: 'test-push-notification-message-id-1',
    role: 'user',
    parts: [{ kind: 'text', text: 'Task for push notification config test' }],
  };

  test('over JSON-RPC it is set, got, listed and deleted', async () => {
    const taskId = textAt(await call('message/send', { message }), 'result.id');
    const set = await call('tasks/pushNotificationConfig/set', {
      taskId,
      pushNotificationConfig: { url: HOOK_URL },
    });
    expect(textAt(set, 'result.pushNotificationConfig.url')).toBe(HOOK_URL);
    const got = await call('tasks/pushNotificationConfig/get', { id: taskId });
    expect(textAt(got, 'result.pushNotificationConfig.url')).toBe(HOOK_URL);
    const listed = await call('tasks/pushNotificationConfig/list', { id: taskId });
    expect(at(listed, 'result')).toHaveLength(1);
    const pushNotificationConfigId = textAt(set, 'result.pushNotificationConfig.id');
    const deleted = await call('tasks/pushNotificationConfig/delete', {
      id: taskId,
      pushNotificationConfigId,
    });
    expect(at(deleted, 'result')).toBeNull();
    const none = await call('tasks/pushNotificationConfig/set', {
      taskId: 'nonexistent-task-id',
      pushNotificationConfig: { url: HOOK_URL },
    });
    expect(at(none, 'error.code')).toBe(-32_001);
  });

  test('over REST it is set with the names of protobuf', async () => {
    const taskId = textAt(await call('message/send', { message }), 'result.id');
    const path = `${agent.rest}/v1/tasks/${taskId}/pushNotificationConfigs`;
    const config = { id: 'default', url: HOOK_URL, token: '', authentication: {} };
    const body = {
      parent: `tasks/${taskId}`,
      config_id: 'default',
      config: {
        name: `tasks/${taskId}/pushNotificationConfigs/default`,
        push_notification_config: config,
      },
    };
    const set = await ask(path, { method: 'POST', body });
    expect([set.status < 300, set.body]).toEqual([true, expect.anything()]);
    const got = await ask(`${path}/default`);
    expect(textAt(got.body, 'pushNotificationConfig.url')).toBe(HOOK_URL);
    expect((await ask(`${path}/default`, { method: 'DELETE' })).status).toBe(204);
  });
});
