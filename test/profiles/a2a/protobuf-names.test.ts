// Proves that JSON of protobuf messages may have the names of protobuf, as its readers everywhere take them, and that the
// agent knows in which version it was asked.

import { expect, test } from 'vitest';

import { agentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';

const V1 = { 'a2a-version': '1.0' };
const SAID = {
  message_id: 'm',
  role: 'ROLE_USER',
  parts: [{ text: 'hello', media_type: 'text/plain' }],
};

test('a member of 1.0 may have its name of protobuf; beside it that of JSON counts #a2a-input', async () => {
  const { origin, rpc } = await agentFor();
  const sent = await ask(`${origin}/message:send`, {
    method: 'POST',
    headers: V1,
    body: { message: SAID, configuration: { history_length: 0 } },
  });
  expect(textAt(sent.body, 'task.status.state')).toBe('TASK_STATE_COMPLETED');
  expect(at(sent.body, 'task.history')).toBeUndefined();
  const params = { message: { ...SAID, messageId: 'counts' } };
  const called = await ask(rpc, {
    method: 'POST',
    headers: V1,
    body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params },
  });
  expect(textAt(called.body, 'result.task.history.0.messageId')).toBe('counts');
  expect(textAt(called.body, 'result.task.history.0.parts.0.mediaType')).toBe('text/plain');
  const id = textAt(called.body, 'result.task.id');
  const got = await ask(`${origin}/tasks/${id}?history_length=0`, { headers: V1 });
  expect([got.status, at(got.body, 'history')]).toEqual([200, undefined]);
  const twice = await ask(`${origin}/tasks/${id}?history_length=0&historyLength=1`, {
    headers: V1,
  });
  expect(twice.status).toBe(400);
});

test('objects of 0.3 over JSON-RPC are no protobuf #a2a-input #a2a-03', async () => {
  const { rpc } = await agentFor();
  const message = {
    kind: 'message',
    role: 'user',
    message_id: 'm',
    parts: [{ kind: 'text', text: 'x' }],
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
  const answer = await ask(rpc, { method: 'POST', body });
  expect(textAt(answer.body, 'error.code')).toBe('-32602');
});

test('0.3 over REST takes the names of protobuf, and parts for content #a2a-input #a2a-versions', async () => {
  const { origin } = await agentFor();
  const send = (message: Json) =>
    ask(`${origin}/v1/message:send`, { method: 'POST', body: { message } });
  const first = await send({ ...SAID, parts: [{ text: 'ask' }] });
  expect([first.status, first.type]).toEqual([201, 'application/json']);
  expect(textAt(first.body, 'task.status.state')).toBe('TASK_STATE_INPUT_REQUIRED');
  const id = textAt(first.body, 'task.id');
  const second = await send({
    message_id: 'n',
    role: 'ROLE_USER',
    content: [{ text: 'red' }],
    task_id: id,
  });
  expect(textAt(second.body, 'task.id')).toBe(id);
  expect(textAt(second.body, 'task.status.state')).toBe('TASK_STATE_COMPLETED');
  const got = await ask(`${origin}/v1/tasks/${id}?history_length=1`);
  expect(at(got.body, 'history')).toHaveLength(1);
  const file = { file: { mime_type: 'text/plain', file_with_uri: 'https://example.com/x' } };
  const same = await send({ ...SAID, parts: [{ text: 'same' }, file] });
  expect(textAt(same.body, 'task.artifacts.0.parts.0.file.fileWithUri')).toBe(
    'https://example.com/x',
  );
  const none = await send({ message_id: 'm', role: 'ROLE_USER' });
  expect([none.status, textAt(none.body, 'code')]).toEqual([400, '-32602']);
});

test('a message below /v1 with parts and a role in words is of the draft still #a2a-versions', async () => {
  const { origin } = await agentFor();
  const message = { messageId: 'm', role: 'user', parts: [{ text: 'hello' }] };
  const body = { message, configuration: { blocking: true } };
  const sent = await ask(`${origin}/v1/message:send`, { method: 'POST', body });
  expect([sent.status, textAt(sent.body, 'task.status.state')]).toEqual([200, 'completed']);
});

test('the agent is told the version that a task was begun in #a2a-semantics', async () => {
  const { origin, rpc } = await agentFor({
    runtime: { onTask: async ({ source }) => JSON.stringify(source) },
  });
  const v1 = await ask(`${origin}/message:send`, {
    method: 'POST',
    headers: V1,
    body: { message: SAID },
  });
  expect(textAt(v1.body, 'task.artifacts.0.parts.0.text')).toContain('{"version":"1.0"}');
  const params = {
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'text', text: 'x' }],
    },
  };
  const v03 = await ask(rpc, {
    method: 'POST',
    body: { jsonrpc: '2.0', id: 1, method: 'message/send', params },
  });
  expect(textAt(v03.body, 'result.artifacts.0.parts.0.text')).toContain('{"version":"0.3"}');
});
