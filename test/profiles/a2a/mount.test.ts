// Proves official A2A inside servers of node:http, Express and Fastify that exist already, also below a prefix.

import express from 'express';
import { fastify } from 'fastify';
import { createServer } from 'node:http';
import { afterEach, expect, onTestFinished, test } from 'vitest';

import { a2a } from '../../../profiles/a2a/index.ts';
import { createCallers } from '../../../profiles/auth/index.ts';
import { createIdentity, createRuntime } from '../../../src/index.ts';
import type { HttpMount } from '../../../transports/http/index.ts';
import { mountHttp } from '../../../transports/http/index.ts';
import { onTask } from '../../support/a2a/agent.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import { listen, stopServers } from '../../support/wire/loopback-servers.ts';

afterEach(stopServers);

async function mounted(): Promise<HttpMount> {
  const runtime = createRuntime({
    identity: await createIdentity(),
    callers: createCallers({ entries: [], anonymous: ['a2a'] }),
    onTask,
  });
  const mount = mountHttp({
    publicUrl: 'http://agent.example/a2a',
    allowedHosts: ['127.0.0.1'],
    faces: [a2a()],
  });
  await runtime.listen(mount);
  onTestFinished(() => runtime.close({ graceMs: 0 }));
  return mount;
}

async function speaks(base: string): Promise<void> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const headers = { 'a2a-version': '1.0' };
  for (const path of ['/rpc', '/rpc/']) {
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    const answer = await ask(`${base}${path}`, { method: 'POST', headers, body });
    expect(at(answer.body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
  }
  const sent = await ask(`${base}/message:send`, { method: 'POST', headers, body: { message } });
  const id = textAt(sent.body, 'task.id');
  const canceled = await ask(`${base}/tasks/${id}:cancel`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '',
  });
  expect(at(canceled.body, 'error.details.0.reason')).toBe('TASK_NOT_CANCELABLE');
}

test('in node:http', async () => {
  const { handler } = await mounted();
  const { port } = await listen(createServer(handler));
  await speaks(`http://127.0.0.1:${port}`);
});

test('in Express, below a prefix', async () => {
  const { handler } = await mounted();
  const app = express();
  app.use('/agents/bob', handler);
  const { port } = await listen(createServer(app));
  await speaks(`http://127.0.0.1:${port}/agents/bob`);
  expect((await ask(`http://127.0.0.1:${port}/tasks`)).status).toBe(404);
});

test('in Fastify, below a prefix', async () => {
  const { fastifyPlugin } = await mounted();
  const app = fastify();
  await app.register(fastifyPlugin, { prefix: '/bob' });
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  await speaks(`${url}/bob`);
});
