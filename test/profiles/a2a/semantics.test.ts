// Proves what clients rely on: when an answer waits, what reaches the agent, what restarts and other nodes change.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { ask, at, framesOf, textAt } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { driver, temporaryFolder } from '../../support/stores/sqlite.ts';

const V1 = CELLS[0]!;
const V1_REST = CELLS[1]!;

describe('waiting #a2a-semantics', () => {
  const V1_MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] };
  const V03 = {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    parts: [{ kind: 'text', text: 'ask' }],
  };
  const V03_REST = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'ask' }] };
  const DRAFT = { messageId: 'm', role: 'user', parts: [{ text: 'ask' }] };
  const [WAITS, RETURNS] = [true, false];

  test.each<[string, string, string, Json, Json | undefined, boolean]>([
    ['1.0', 'rpc', 'SendMessage', V1_MESSAGE, undefined, WAITS],
    ['1.0', 'rpc', 'SendMessage', V1_MESSAGE, {}, WAITS],
    ['1.0', 'rpc', 'SendMessage', V1_MESSAGE, { returnImmediately: false }, WAITS],
    ['1.0', 'rpc', 'SendMessage', V1_MESSAGE, { returnImmediately: true }, RETURNS],
    ['1.0', 'rest', '/message:send', V1_MESSAGE, { returnImmediately: true }, RETURNS],
    ['1.0', 'rest', '/message:send', V1_MESSAGE, { blocking: false }, WAITS],
    ['', 'rpc', 'message/send', V03, undefined, WAITS],
    ['', 'rpc', 'message/send', V03, {}, WAITS],
    ['', 'rpc', 'message/send', V03, { blocking: true }, WAITS],
    ['', 'rpc', 'message/send', V03, { blocking: false }, RETURNS],
    ['', 'rest', '/v1/message:send', V03_REST, undefined, WAITS],
    ['', 'rest', '/v1/message:send', V03_REST, {}, RETURNS],
    ['', 'rest', '/v1/message:send', V03_REST, { blocking: true }, WAITS],
    ['', 'rest', '/v1/message:send', V03_REST, { historyLength: 1 }, RETURNS],
    ['0.3', 'rpc', 'SendMessage', DRAFT, undefined, RETURNS],
    ['0.3', 'rpc', 'SendMessage', DRAFT, { blocking: false }, RETURNS],
    ['0.3', 'rpc', 'SendMessage', DRAFT, { blocking: true }, WAITS],
    ['0.3', 'rest', '/message:send', DRAFT, undefined, RETURNS],
    ['0.3', 'rest', '/message:send', DRAFT, { blocking: true }, WAITS],
  ])(
    'version %j over %s, %s: %j with %j',
    async (version, binding, where, message, configuration, isWaiting) => {
      const agent = await agentFor();
      const params = { message, ...(configuration !== undefined && { configuration }) };
      const isRpc = binding === 'rpc';
      const { text } = await ask(isRpc ? agent.rpc : `${agent.origin}${where}`, {
        method: 'POST',
        headers: { 'a2a-version': version },
        body: isRpc ? { jsonrpc: '2.0', id: 1, method: where, params } : params,
      });
      expect(/input.required/i.test(text)).toBe(isWaiting);
    },
  );
});

test('output modes and metadata of a request reach the agent #a2a-semantics', async () => {
  const agent = await agentFor();
  const { text } = await ask(`${agent.origin}/message:send`, {
    method: 'POST',
    headers: { 'a2a-version': '1.0' },
    body: {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'modes' }] },
      configuration: { acceptedOutputModes: ['text/plain', 'image/png'] },
      metadata: { skill: 'sums' },
    },
  });
  const told = textAt(JSON.parse(text) as Json, 'task.artifacts.0.parts.0.text');
  expect(JSON.parse(told)).toEqual({
    skill: 'sums',
    acceptedOutputModes: ['text/plain', 'image/png'],
  });
});

test('accepts answers at once, as a message or as a stream of one #a2a-semantics #a2a-streams', async () => {
  const agent = await agentFor({ runtime: { accepts: () => 'at once' } });
  for (const cell of CELLS) {
    const message = cell.messageOf(await cell.ask(agent, 'send', {}));
    expect(JSON.stringify(message)).toContain('at once');
    const frames = await cell.frames(agent, 'stream', {});
    expect(frames).toHaveLength(1);
    const told = cell.inFrame(frames[0]!, 'message');
    expect(JSON.stringify(told)).toContain('at once');
    expect([at(told, 'taskId'), at(told, 'contextId')]).toEqual([undefined, undefined]);
  }
});

test('what 0.3 can carry comes back over it, and its losses are those that are told #a2a-03', async () => {
  const agent = await agentFor();
  const [rpc, rest] = [CELLS[2]!, CELLS[3]!];
  const parts = [
    { kind: 'text', text: 'same' },
    {
      kind: 'file',
      file: { bytes: 'AP8=', mimeType: 'image/png', name: 'a.png' },
      metadata: { a: 1 },
    },
    { kind: 'file', file: { uri: 'https://example.com/', mimeType: 'text/html' } },
    { kind: 'data', data: { deep: [1, null] }, metadata: { b: 2 } },
    { kind: 'data', data: { value: [1, 2] }, metadata: { data_part_compat: true } },
  ];
  const sent = await rpc.ask(agent, 'send', { parts });
  expect(at(rpc.taskOf(sent), 'artifacts.0.parts')).toEqual(parts.slice(1));
  const id = textAt(rpc.taskOf(sent), 'id');
  const overRest = rest.resultOf(await rest.ask(agent, 'get', { id }));
  expect(at(overRest, 'artifacts.0.parts')).toEqual([
    { file: { fileWithBytes: 'AP8=', mimeType: 'image/png' } },
    { file: { fileWithUri: 'https://example.com/', mimeType: 'text/html' } },
    { data: { data: { deep: [1, null] } } },
    { data: { data: { value: [1, 2] } } },
  ]);
  const overV1 = V1.resultOf(await V1.ask(agent, 'get', { id }));
  expect(at(overV1, 'artifacts.0.parts.3')).toEqual({ data: [1, 2] });
  const wrong = await rpc.ask(agent, 'send', { parts: [{ kind: 'file', text: 'no file' }] });
  expect(rpc.reasonOf(wrong)).toBe('INVALID_PARAMS');
});

test('one message id on many messages makes as many tasks #a2a-semantics', async () => {
  const agent = await agentFor();
  const body = { message: { messageId: 'same', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
  for (let time = 0; time < 3; time += 1) {
    const headers = { 'a2a-version': '1.0' };
    await ask(`${agent.origin}/message:send`, { method: 'POST', headers, body });
  }
  expect(at(V1.resultOf(await V1.ask(agent, 'list')), 'totalSize')).toBe(3);
});

test('a task of another dialect has a context, too: its own id #a2a-semantics', async () => {
  const agent = await agentFor();
  const principal = { id: '~none:a2a', tenant: '', scheme: 'none' };
  const { signal } = new AbortController();
  const call = { principal, face: 'test', agentId: 'did:key:agent', signal, now: Date.now };
  const message = { id: 'm', role: 'user', parts: [{ text: 'ask' }] } as const;
  const { task } = await agent.runtime.tasks.start(call, { message });
  const { id } = task;
  const told = V1.resultOf(await V1.ask(agent, 'get', { id }));
  expect([at(told, 'id'), at(told, 'contextId')]).toEqual([id, id]);
  const ended = V1.taskOf(await V1.ask(agent, 'send', { text: 'red', id, contextId: id }));
  expect(at(ended, 'status.state')).toBe('TASK_STATE_COMPLETED');
});

test('many subscribers are told the same in the same order, and one that leaves disturbs none #a2a-streams', async () => {
  const agent = await agentFor();
  const sent = await V1.ask(agent, 'send', { text: 'ask' });
  const id = textAt(V1.taskOf(sent), 'id');
  const streams = await Promise.all(
    Array.from({ length: 5 }, async (_, at5) => {
      const cell = at5 % 2 === 0 ? V1 : V1_REST;
      const frames = framesOf(await cell.fetch(agent, 'subscribe', { id }));
      await frames.next();
      return { cell, frames };
    }),
  );
  await streams[4]!.frames.return(undefined);
  await V1.ask(agent, 'send', { text: 'red', id });
  const told = await Promise.all(
    streams.slice(0, 4).map(async ({ cell, frames }) => {
      const seen: unknown[] = [];
      for await (const frame of frames)
        seen.push([frame.id, cell.resultOf({ body: frame.data } as never)]);
      return seen;
    }),
  );
  for (const seen of told) expect(seen).toEqual(told[0]);
  expect(told[0]!.length).toBeGreaterThan(1);
});

test.skipIf(driver === undefined)(
  'a stream goes on from where it was seen, after a restart and at another node #a2a-streams',
  async () => {
    const path = join(temporaryFolder(), 'store.db');
    const open = () => openSqliteStore({ path, pollIntervalMs: 5 });
    const tasks = (node: string) => ({ node, leaseMs: 500, recoverEveryMs: 50 });
    const first = await agentFor({ runtime: { store: await open(), tasks: tasks('one') } });
    const sent = await V1.ask(first, 'send', { text: 'ask' });
    const id = textAt(V1.taskOf(sent), 'id');
    const headers = { 'last-event-id': '2' };
    const second = await agentFor({ runtime: { store: await open(), tasks: tasks('two') } });
    const elsewhere = framesOf(await V1_REST.fetch(second, 'subscribe', { id, headers }));
    expect((await elsewhere.next()).value).toMatchObject({ id: '3', data: { statusUpdate: {} } });
    await first.runtime.close({ graceMs: 0 });
    await V1.ask(second, 'send', { text: 'red', id });
    const seen: (string | undefined)[] = [];
    for await (const frame of elsewhere) seen.push(frame.id);
    await second.runtime.close({ graceMs: 0 });
    const third = await agentFor({ runtime: { store: await open(), tasks: tasks('three') } });
    const rest = await V1_REST.frames(third, 'subscribe', {
      id,
      headers: { 'last-event-id': '3' },
    });
    expect(rest.map((frame) => frame.id)).toEqual(seen);
    expect(JSON.stringify(rest.at(-1))).toContain('TASK_STATE_COMPLETED');
  },
);
