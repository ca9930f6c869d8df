// Proves against the running agent what the public suite of A2A 1.0 wants of one: profile 1.0.0, strict card. Tests are
// named by the requirements of that suite, where they have a name.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import type { Binding } from '../acts/bindings/binding.ts';
import type { BindingName } from '../acts/document.ts';
import { grpc } from '../acts/bindings/grpc.ts';
import { jsonRpc } from '../acts/bindings/jsonrpc.ts';
import { rest } from '../acts/bindings/rest.ts';
import { find } from '../acts/dot-path.ts';
import { stateIn } from '../acts/events.ts';
import { all, opened, reasonOf, saying, stateOf, taskOf, told } from './asking.ts';

const START_MS = 120_000;
let agent: ConformanceAgent;
let bindings: Readonly<Record<BindingName, Binding>>;

beforeAll(async () => {
  const flags = ['--profile', '1.0.0', '--card', 'strict', '--grpc', '127.0.0.1:0'];
  agent = await startConformanceAgent(...flags);
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

describe.concurrent.each(NAMES)('over %s #a2a-semantics #a2a-streams', (name) => {
  const bind = (): Binding => bindings[name];

  test('CORE-SEND-001: a message completes a task, with words; the id or the text may choose', async () => {
    const binding = bind();
    for (const message of [saying('tck-complete-task-1'), saying('any', {}, 'tck-complete-task')]) {
      const task = await taskOf(binding, message);
      expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
      expect(find(task, 'status.message.parts[0].text')).toBe('Hello from TCK');
    }
    expect(stateOf(await taskOf(binding, saying('unknown')))).toBe('TASK_STATE_COMPLETED');
  });

  test('CORE-SEND-002: a message to a task that has ended is refused', async () => {
    const binding = bind();
    const { id } = await taskOf(binding, saying('tck-complete-task'));
    const again = { message: saying('tck-terminal', { taskId: id! }) };
    expect(await reasonOf(binding, 'SendMessage', again)).toBe('UNSUPPORTED_OPERATION');
  });

  test('CORE-SEND-003: parts of any media type are taken', async () => {
    const parts = [{ raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }];
    expect(stateOf(await taskOf(bind(), saying('tck-send-003', { parts })))).toBe(
      'TASK_STATE_COMPLETED',
    );
    const declared = [{ data: { value: 'x' }, metadata: { contentType: 'application/x-odd' } }];
    expect(stateOf(await taskOf(bind(), saying('tck-send-003', { parts: declared })))).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  test('one message sent many times is as many tasks', async () => {
    const binding = bind();
    const tasks = await Promise.all(
      Array.from({ length: 20 }, () => taskOf(binding, saying('tck-complete-task-same'))),
    );
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(20);
    expect(new Set(tasks.map(stateOf))).toEqual(new Set(['TASK_STATE_COMPLETED']));
  });

  test('CORE-GET-001, CORE-GET-002', async () => {
    const binding = bind();
    const { id } = await taskOf(binding, saying('tck-complete-task'));
    expect((await told(binding, 'GetTask', { id: id! }))['id']).toBe(id);
    expect(await reasonOf(binding, 'GetTask', { id: 'nothing' })).toBe('TASK_NOT_FOUND');
  });

  test('CORE-CANCEL-001, CORE-CANCEL-002, CORE-CANCEL-003', async () => {
    const binding = bind();
    const waiting = await taskOf(binding, saying('tck-input-required'));
    const canceled = await told(binding, 'CancelTask', { id: waiting['id']! });
    expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
    const ended = await taskOf(binding, saying('tck-complete-task'));
    const refused = await reasonOf(binding, 'CancelTask', { id: ended['id']! });
    expect(refused).toBe('TASK_NOT_CANCELABLE');
    expect(await reasonOf(binding, 'CancelTask', { id: 'nothing' })).toBe('TASK_NOT_FOUND');
  });

  test('CORE-EXECUTION-MODE-001, CORE-EXECUTION-MODE-002: it waits, unless it is told not to', async () => {
    const binding = bind();
    const message = saying('tck-delayed-complete');
    const [waited, started] = await Promise.all([
      taskOf(binding, message, { returnImmediately: false }),
      taskOf(binding, message, { returnImmediately: true }),
    ]);
    expect(stateOf(waited)).toBe('TASK_STATE_COMPLETED');
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(stateOf(started));
  });

  test('CORE-LIST-001 to CORE-LIST-005: lists of a context', async () => {
    const binding = bind();
    const contextId = `list-${name}`;
    const ids: unknown[] = [];
    for (const prefix of ['tck-artifact-text', 'tck-complete-task', 'tck-input-required']) {
      ids.unshift((await taskOf(binding, saying(prefix, { contextId })))['id']);
    }
    const page = await told(binding, 'ListTasks', { contextId, pageSize: 2 });
    const second = { contextId, pageSize: 2, pageToken: page['nextPageToken']! };
    const last = await told(binding, 'ListTasks', second);
    const tasks = [page, last].flatMap((one) => one['tasks'] as readonly JsonObject[]);
    expect(tasks.map(({ id }) => id)).toEqual(ids);
    expect(tasks.filter(({ artifacts }) => artifacts !== undefined)).toEqual([]);
    expect([page['totalSize'], page['pageSize'], last['nextPageToken']]).toEqual([3, 2, '']);
    const whole = await told(binding, 'ListTasks', { contextId, includeArtifacts: true });
    expect(find(whole, 'tasks[2].artifacts[0].parts[0].text')).toBe('Generated text content');
  });

  test('CORE-MULTI-005, CORE-MULTI-006: the context of a task', async () => {
    const binding = bind();
    const { id, contextId } = await taskOf(binding, saying('tck-input-required'));
    const wrong = { message: saying('tck-mismatch', { taskId: id!, contextId: 'tck-wrong' }) };
    expect(await reasonOf(binding, 'SendMessage', wrong)).toBe('INVALID_PARAMS');
    const task = await taskOf(binding, saying('tck-infer-ctx', { taskId: id! }));
    expect([task['id'], task['contextId'], stateOf(task)]).toEqual([
      id,
      contextId,
      'TASK_STATE_COMPLETED',
    ]);
    const none = { message: saying('tck-nothing', { taskId: 'nothing' }) };
    expect(await reasonOf(binding, 'SendMessage', none)).toBe('TASK_NOT_FOUND');
  });

  test("a follow-up's own prefix decides, also while the task works", async () => {
    const binding = bind();
    const asks = await taskOf(binding, saying('tck-input-required'));
    const again = await taskOf(binding, saying('tck-multi-turn', { taskId: asks['id']! }));
    expect(stateOf(again)).toBe('TASK_STATE_INPUT_REQUIRED');
    const made = await taskOf(binding, saying('tck-artifact-data', { taskId: asks['id']! }));
    expect(find(made, 'artifacts[0].parts[0].data')).toEqual({ key: 'value', count: 42 });
    const works = await taskOf(binding, saying('tck-cancel'), { returnImmediately: true });
    const stopped = await taskOf(binding, saying('tck-reject-task', { taskId: works['id']! }));
    expect(stateOf(stopped)).toBe('TASK_STATE_REJECTED');
  });

  test('artifacts are as the suite knows them; the longest prefix counts', async () => {
    const binding = bind();
    const partOf = async (id: string) =>
      find(await taskOf(binding, saying(id)), 'artifacts[0].parts[0]');
    const file = { filename: 'output.txt', mediaType: 'text/plain' };
    expect(await partOf('tck-artifact-text-1')).toEqual({ text: 'Generated text content' });
    expect(await partOf('tck-artifact-file-1')).toEqual({ raw: 'dGNr', ...file });
    expect(await partOf('tck-artifact-file-url-1')).toEqual({
      url: 'https://example.com/output.txt',
      ...file,
    });
    expect(await partOf('tck-artifact-data-1')).toEqual({ data: { key: 'value', count: 42 } });
  });

  test('a message for an answer, a rejection, a failure', async () => {
    const binding = bind();
    const request = { message: saying('tck-message-response') };
    const { message, task } = await told(binding, 'SendMessage', request);
    expect([find(message, 'parts[0].text'), task]).toEqual(['Direct message response', undefined]);
    const rejected = await taskOf(binding, saying('tck-reject-task'));
    expect(stateOf(rejected)).toBe('TASK_STATE_REJECTED');
    const failed = await taskOf(binding, saying('tck-task-failure'));
    expect(find(failed, 'status.message.role')).toBe('ROLE_AGENT');
  });

  test('CORE-STREAM-001, CORE-STREAM-003, STREAM-ORDER-001: from the task to its end', async () => {
    const binding = bind();
    for (const id of ['tck-stream-001', 'tck-stream-003', 'tck-stream-ordering-001']) {
      const events = await all(
        await opened(binding, 'SendStreamingMessage', { message: saying(id) }),
      );
      expect(events[0]).toHaveProperty('task');
      expect(events.map(stateIn)).toEqual(['SUBMITTED', 'WORKING', undefined, 'COMPLETED']);
    }
  });

  test('CORE-STREAM-002: a stream of one message, and one that completes at once', async () => {
    const binding = bind();
    const stream = (id: string) => opened(binding, 'SendStreamingMessage', { message: saying(id) });
    const [only, ...more] = await all(await stream('tck-message-response'));
    expect([find(only, 'message.role'), more]).toEqual(['ROLE_AGENT', []]);
    expect((await all(await stream('tck-stream-002'))).map(stateIn).at(-1)).toBe('COMPLETED');
  });

  test('streamed artifacts: a file, and chunks that are put together', async () => {
    const binding = bind();
    const stream = (id: string) => opened(binding, 'SendStreamingMessage', { message: saying(id) });
    const updates = async (id: string) =>
      (await all(await stream(id))).flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    const [file] = await updates('tck-stream-artifact-file');
    expect(find(file, 'artifact.parts[0].raw')).toBe('dGNr');
    const [first, second, ...more] = await updates('tck-stream-artifact-chunked');
    expect(find(second, 'artifact.artifactId')).toBe(find(first, 'artifact.artifactId'));
    expect(second).toMatchObject({ append: true, lastChunk: true });
    expect([find(first, 'append'), more]).toEqual([undefined, []]);
  });

  test('STREAM-SUB-001 to STREAM-SUB-004: subscriptions', async () => {
    const binding = bind();
    const { id } = await taskOf(binding, saying('tck-input-required'));
    const events = await opened(binding, 'SubscribeToTask', { id: id! });
    const { value: first } = await events.next();
    expect(find(first as JsonObject, 'task.id')).toBe(id);
    await taskOf(binding, saying('tck-complete-task', { taskId: id! }));
    expect(stateIn((await all(events)).at(-1)!)).toBe('COMPLETED');
    const refused = await reasonOf(binding, 'SubscribeToTask', { id: id! });
    expect(refused).toBe('UNSUPPORTED_OPERATION');
    expect(await reasonOf(binding, 'SubscribeToTask', { id: 'nothing' })).toBe('TASK_NOT_FOUND');
  });

  test('STREAM-ORDER-002, STREAM-ORDER-003: all streams tell the same, from the first event', async () => {
    const binding = bind();
    const { id } = await taskOf(binding, saying('tck-input-required'));
    const streams = await Promise.all(
      [1, 2, 3].map(() => opened(binding, 'SubscribeToTask', { id: id! })),
    );
    const firsts = await Promise.all(streams.map((events) => events.next()));
    await taskOf(binding, saying('tck-complete-task', { taskId: id! }));
    const [one, ...others] = await Promise.all(streams.map(all));
    expect(one!.length).toBeGreaterThan(0);
    expect(others).toEqual([one, one]);
    expect(new Set(firsts.map(({ value }) => JSON.stringify(value))).size).toBe(1);
  });

  test('STREAM-ORDER-004: who leaves a stream ends no other', async () => {
    const binding = bind();
    const { id } = await taskOf(binding, saying('tck-input-required'));
    const [left, stays] = [
      await opened(binding, 'SubscribeToTask', { id: id! }),
      await opened(binding, 'SubscribeToTask', { id: id! }),
    ];
    await Promise.all([left.next(), stays.next()]);
    await left.return();
    await taskOf(binding, saying('tck-complete-task', { taskId: id! }));
    expect(stateIn((await all(stays)).at(-1)!)).toBe('COMPLETED');
  });

  test('test-resubscribe-message-id works for at least four seconds, and can be taken up again', async () => {
    const binding = bind();
    const message = saying('test-resubscribe-message-id-1');
    const first = await opened(binding, 'SendStreamingMessage', { message });
    const { value: begun } = await first.next();
    await first.return();
    const id = find(begun as JsonObject, 'task.id')!;
    const [task, ...more] = await all(await opened(binding, 'SubscribeToTask', { id }));
    expect([stateIn(task!), stateIn(more.at(-1)!)]).toEqual(['WORKING', 'COMPLETED']);
    const [from, to] = [task!, more.at(-1)!].map((event) =>
      Date.parse(
        (find(event, 'task.status.timestamp') ??
          find(event, 'statusUpdate.status.timestamp')) as string,
      ),
    );
    expect(to! - from!).toBeGreaterThanOrEqual(4_000);
    expect(to! - from!).toBeLessThan(10_000);
  });

  // Protobuf has no names to be unknown.
  const testJson = name === 'grpc' ? (): void => undefined : test;
  testJson('DM-SERIAL-005: what is not known is passed over', async () => {
    const more = { futureField: 'x', extraNested: { foo: 'bar' } };
    const request = { message: saying('tck-complete-task', more), x_custom_field: 1 };
    const { task } = await told(bind(), 'SendMessage', request);
    expect(stateOf(task as JsonObject)).toBe('TASK_STATE_COMPLETED');
  });

  test('what is wrong is refused: no id, no parts, another role, bounds', async () => {
    const binding = bind();
    const { messageId: _id, ...anonymous } = saying('x');
    const unknown = name === 'grpc' ? [] : [saying('x', { role: 'ROLE_NOBODY' })];
    for (const message of [
      anonymous,
      saying('x', { parts: [] }),
      saying('x', { role: 'ROLE_AGENT' }),
      saying('x', { role: null }),
      ...unknown,
    ]) {
      expect(await reasonOf(binding, 'SendMessage', { message })).toBe('INVALID_PARAMS');
    }
    for (const request of [{ pageSize: 101 }, { pageSize: -1 }, { pageToken: 'made-up' }]) {
      expect(await reasonOf(binding, 'ListTasks', request)).toBe('INVALID_PARAMS');
    }
    const zero = await reasonOf(binding, 'ListTasks', { pageSize: 0 });
    expect(zero).toBe(name === 'grpc' ? undefined : 'INVALID_PARAMS');
    const negative = { id: 'x', historyLength: -1 };
    expect(await reasonOf(binding, 'GetTask', negative)).toBe('INVALID_PARAMS');
  });

  test('the extended card is for everybody where nobody has to prove anything', async () => {
    const card = await told(bind(), 'GetExtendedAgentCard', {});
    expect(card['skills']).toHaveLength(2);
  });
});
