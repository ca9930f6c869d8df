// Proves what plain requests get from official A2A inside servers of node:http, Express and Fastify that exist already,
// below a prefix where they have one. All that clients do there is in test/interop/a2a.

import { expect, onTestFinished, test } from 'vitest';

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
