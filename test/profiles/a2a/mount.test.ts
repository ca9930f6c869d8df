// Proves what plain requests get from official A2A inside servers of node:http, Express and Fastify that exist already,
// below a prefix where they have one. All that clients do there is in test/interop/a2a.

import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

import { a2a } from '../../../profiles/a2a/index.ts';
import { mountHttp } from '../../../transports/http/index.ts';
import { runtimeFor } from '../../support/a2a/agent.ts';

import { MOUNTS } from '../../support/a2a/homes.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';

test.each(MOUNTS)(
  '$name: a slash at the end, an empty body, and what is not ours',
  async (home) => {
    const agent = await home.open({});
    onTestFinished(() => agent.close());
    const { origin } = agent;
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const headers = { 'a2a-version': '1.0' };
    for (const path of ['/rpc', '/rpc/']) {
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
      const answer = await ask(`${origin}${path}`, { method: 'POST', headers, body });
      expect(at(answer.body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
    }
    const sent = await ask(`${origin}/message:send`, {
      method: 'POST',
      headers,
      body: { message },
    });
    const id = textAt(sent.body, 'task.id');
    const canceled = await ask(`${origin}/tasks/${id}:cancel`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '',
    });
    expect(at(canceled.body, 'error.details.0.reason')).toBe('TASK_NOT_CANCELABLE');
    const { pathname, origin: root } = new URL(origin);
    const outside = await ask(pathname === '/' ? `${root}/a/b/c/d` : `${root}/tasks`);
    expect(outside.status).toBe(404);
  },
);

test.each([
  ['express.json()', express.json({ type: '*/*' })],
  ['express.text()', express.text({ type: '*/*' })],
  ['express.raw()', express.raw({ type: '*/*' })],
])(
  'behind %s: what the parser made of a body is taken, within the limits',
  async (_name, parser) => {
    const mount = mountHttp({ publicUrl: 'http://127.0.0.1/a2a', faces: [a2a()] });
    const runtime = await runtimeFor({ runtime: { limits: { maxBytes: 4_096 } } });
    await runtime.listen(mount);
    const app = express();
    app.use(parser, mount.handler);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      await runtime.close({ graceMs: 0 });
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const send = (text: string): ReturnType<typeof ask> =>
      ask(`http://127.0.0.1:${port}/rpc`, {
        method: 'POST',
        headers: { 'a2a-version': '1.0' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } },
        },
      });
    expect(at((await send('hello')).body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
    const large = await send('x'.repeat(5_000));
    expect([large.status, at(large.body, 'error.code')]).toEqual([413, -32_600]);
  },
);
