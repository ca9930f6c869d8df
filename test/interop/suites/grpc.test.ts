// Proves against the running agent what the public suites look at in gRPC itself: statuses, details, versions, and the
// addresses in the cards of both versions.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { framesOf, grpcClient } from '../../support/a2a/grpc-client.ts';

const START_MS = 120_000;
const PROFILES = ['1.0.0', '1.0.1'] as const;
const agents = new Map<string, ConformanceAgent>();

beforeAll(async () => {
  await Promise.all(
    PROFILES.map(async (profile) => {
      const flags = ['--profile', profile, '--grpc', 'localhost:0', '--http', 'localhost:0'];
      agents.set(profile, await startConformanceAgent(...flags));
    }),
  );
}, START_MS);
afterAll(() => Promise.all([...agents.values()].map((agent) => agent.stop())));

const hello = (messageId: string, more: object = {}): Json => ({
  message: { messageId, role: 'ROLE_USER', parts: [{ text: 'hello' }], ...more },
});

test('the cards say where: host and port in 1.0, a URL in 0.3 #a2a-card', async () => {
  const { grpc, card } = agents.get('1.0.1')!;
  expect(grpc).toMatch(/^localhost:\d+$/);
  const { body } = await ask(card);
  expect(at(body, 'supportedInterfaces')).toContainEqual({
    url: grpc,
    protocolBinding: 'GRPC',
    protocolVersion: '1.0',
  });
  expect(at(body, 'additionalInterfaces')).toContainEqual({
    url: `http://${grpc}`,
    transport: 'GRPC',
  });
});

describe.each(PROFILES)('profile %s #a2a-grpc', (profile) => {
  const bind = (version: '1.0' | '0.3' = '1.0') => grpcClient(agents.get(profile)!.grpc!, version);

  test('GRPC-ERR-001, GRPC-ERR-002: statuses, with an ErrorInfo', async () => {
    const client = bind();
    const none = await client.ask('GetTask', { id: 'nothing' });
    expect([none.status, none.reason]).toEqual(['NOT_FOUND', 'TASK_NOT_FOUND']);
    expect(none.details[0]).toMatchObject({ domain: 'a2a-protocol.org' });
    const ended = await client.ask('SendMessage', hello('tck-complete-task'));
    const id = textAt(ended.body, 'task.id');
    const again = await client.ask('SendMessage', hello('x', { taskId: id }));
    const status = profile === '1.0.0' ? 'UNIMPLEMENTED' : 'FAILED_PRECONDITION';
    expect([again.status, again.reason]).toEqual([status, 'UNSUPPORTED_OPERATION']);
    const canceled = await client.ask('CancelTask', { id });
    expect(canceled.status).toBe('FAILED_PRECONDITION');
  });

  test('VER-SERVER-002: another version is refused; without one it is that of the package', async () => {
    const client = bind();
    const other = await client.ask('SendMessage', hello('x'), {
      metadata: { 'a2a-version': '99.0' },
    });
    const status = profile === '1.0.0' ? 'UNIMPLEMENTED' : 'FAILED_PRECONDITION';
    expect([other.status, other.reason]).toEqual([status, 'VERSION_NOT_SUPPORTED']);
    const plain = await client.ask('SendMessage', hello('x'));
    expect(textAt(plain.body, 'task.status.state')).toBe('TASK_STATE_COMPLETED');
  });

  test('GRPC-META-001: extensions that nobody knows are passed over', async () => {
    const metadata = { 'a2a-extensions': 'https://example.com/ext/v1,https://example.com/ext/v2' };
    expect((await bind().ask('SendMessage', hello('x'), { metadata })).status).toBe('OK');
  });

  test('0.3: tasks go on until they are canceled, streams end with a final frame #a2a-03', async () => {
    const client = bind('0.3');
    const said = (messageId: string, more: object = {}): Json => ({
      message: { messageId, role: 'ROLE_USER', content: [{ text: 'hello' }], ...more },
    });
    const first = await client.ask('SendMessage', said('text-message-id-1'));
    expect(textAt(first.body, 'task.status.state')).toBe('TASK_STATE_INPUT_REQUIRED');
    const id = textAt(first.body, 'task.id');
    const second = await client.ask('SendMessage', said('continuation-2', { taskId: id }));
    expect(textAt(second.body, 'task.id')).toBe(id);
    const canceled = await client.ask('CancelTask', { name: `tasks/${id}` });
    expect(textAt(canceled.body, 'status.state')).toBe('TASK_STATE_CANCELLED');
    const none = await client.ask('GetTask', { name: 'tasks/nonexistent-task-id' });
    expect(none.status).toBe('NOT_FOUND');
    const frames = await framesOf(client.stream('SendStreamingMessage', said('stream-1')));
    expect(at(frames.at(-1), 'statusUpdate.final')).toBe(true);
  });
});
