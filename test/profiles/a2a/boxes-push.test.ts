// The boxes of the acceptance checklist of the draft that are about web hooks, in their own words, with
// `application/a2a+json` both ways.

import { describe, expect, test } from 'vitest';

import { agentFor } from '../../support/a2a/agent.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import { isEnd, receiverFor } from '../../support/a2a/receiver.ts';

const TYPE = 'application/a2a+json';
const HEADERS = { 'content-type': TYPE, accept: TYPE };
const MESSAGE = { messageId: 'm', role: 'user', parts: [{ text: 'hello' }] };

const post = (url: string, body: Json): Promise<Answer> =>
  ask(url, { method: 'POST', headers: HEADERS, body });

describe('Push notifications #a2a-draft #a2a-push', () => {
  const config = (url: string): Json => ({
    pushNotificationConfig: {
      url,
      token: 'client-provided-token',
      authentication: { schemes: ['Bearer'], credentials: 'optional-shared-secret' },
    },
  });

  test('CRUD endpoints implemented and gated by `capabilities.pushNotifications`', async () => {
    const { origin } = await agentFor();
    const sent = { message: MESSAGE, configuration: { blocking: true } };
    const id = textAt((await post(`${origin}/v1/message:send`, sent)).body, 'task.id');
    const call = (url: string, method = 'GET'): Promise<Answer> =>
      ask(url, { method, headers: HEADERS });
    const name = `tasks/${id}/pushNotificationConfigs/webhook-1`;
    const shown = {
      name,
      pushNotificationConfig: {
        id: 'webhook-1',
        url: 'https://client.example.com/webhooks/a2a',
        token: 'client-provided-token',
        authentication: { schemes: ['Bearer'] },
      },
    };
    for (const prefix of ['/v1', '']) {
      const path = `${origin}${prefix}/tasks/${id}/pushNotificationConfigs`;
      const body = { name, ...(config('https://client.example.com/webhooks/a2a') as object) };
      const made = await post(`${path}?configId=webhook-1`, body);
      expect([made.status, made.type, made.body]).toEqual([200, TYPE, shown]);
      expect((await call(`${path}/webhook-1`)).body).toEqual(shown);
      expect((await call(path)).body).toEqual({ configs: [shown], nextPageToken: '' });
      for (let time = 0; time < 2; time += 1) {
        const { status, text } = await call(`${path}/webhook-1`, 'DELETE');
        expect([status, text]).toEqual([204, '']);
      }
      expect((await call(`${path}/webhook-1`)).status).toBe(404);
    }
    const without = await agentFor({ face: { pushNotifications: false } });
    const card = await ask(`${without.origin}/.well-known/agent-card.json`);
    expect(at(card.body, 'capabilities.pushNotifications')).toBe(false);
    const refused = await ask(`${without.origin}/v1/tasks/${id}/pushNotificationConfigs`, {
      headers: HEADERS,
    });
    expect([refused.status, at(refused.body, 'type')]).toEqual([
      400,
      'https://a2a-protocol.org/errors/push-notification-not-supported',
    ]);
  });

  test('Webhook payload is StreamResponse (exactly one of task/message/statusUpdate/artifactUpdate)', async () => {
    const receiver = await receiverFor();
    const hooked = await agentFor({ face: { allowLoopbackHooks: true } });
    await ask(`${hooked.origin}/v1/message:send`, {
      method: 'POST',
      headers: HEADERS,
      body: {
        message: { ...MESSAGE, parts: [{ text: 'chunks' }] },
        configuration: config(receiver.url()),
      },
    });
    await receiver.until((all) => all.some(isEnd));
    for (const { body, headers } of receiver.all) {
      expect(Object.keys(body as object)).toHaveLength(1);
      expect(['task', 'message', 'statusUpdate', 'artifactUpdate']).toContain(
        Object.keys(body as object)[0],
      );
      expect(headers['content-type']).toBe(TYPE);
    }
  });

  test('Delivery uses auth from config; timeouts; retries; SSRF mitigations', async () => {
    const receiver = await receiverFor();
    // The first is never answered, the second refused.
    receiver.reply = (_delivery, nth) =>
      nth === 1 ? undefined : { status: nth === 2 ? 500 : 200 };
    const hookFetch = { timeoutMs: 200 };
    const hooked = await agentFor({ face: { allowLoopbackHooks: true, hookFetch } });
    const sendTo = (url: string): Promise<Answer> =>
      ask(`${hooked.origin}/v1/message:send`, {
        method: 'POST',
        headers: HEADERS,
        body: { message: MESSAGE, configuration: config(url) },
      });
    await sendTo(receiver.url());
    await receiver.until((all) => all.some(isEnd));
    const [first, second, third] = receiver.all.map(({ headers }) => headers);
    expect(first!.authorization).toBe('Bearer optional-shared-secret');
    expect(first!['x-a2a-notification-token']).toBe('client-provided-token');
    expect([second, third].map((headers) => headers!['a2a-sdl-delivery'])).toEqual([
      first!['a2a-sdl-delivery'],
      first!['a2a-sdl-delivery'],
    ]);
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://[fe80::1]/']) {
      expect((await sendTo(url)).status).toBe(400);
    }
    const strict = await agentFor();
    const configuration = config('http://localhost/');
    const refused = await post(`${strict.origin}/v1/message:send`, {
      message: MESSAGE,
      configuration,
    });
    expect(refused.status).toBe(400);
  });
});
