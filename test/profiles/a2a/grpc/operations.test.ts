// Proves every operation over gRPC in both versions, with a plain client: what comes back, when, and how it is refused.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { LosslessNumber } from '../../../../src/codec/value.ts';
import type { GrpcAgent } from '../../../support/a2a/agent.ts';
import { grpcAgentFor, openGrpcAgent } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../../support/a2a/ask.ts';
import type { GrpcClient } from '../../../support/a2a/grpc-client.ts';
import { grpcClient, framesOf } from '../../../support/a2a/grpc-client.ts';
import { GRPC_WORDS, stateIn, taskIdIn } from '../../../support/a2a/grpc-words.ts';
import { isEnd, kindOf, receiverFor } from '../../../support/a2a/receiver.ts';

let agent: GrpcAgent;

beforeAll(async () => {
  agent = await openGrpcAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

describe.each(GRPC_WORDS)('$version over gRPC #a2a-grpc #a2a-semantics', (words) => {
  const { version, stateOf, content } = words;
  const client = (): GrpcClient => grpcClient(agent.grpc, version);

  test('a message that waits is answered with the task at its end', async () => {
    const { status, body } = await client().ask('SendMessage', words.send({ text: 'hello' }));
    expect(status).toBe('OK');
    const task = at(body, 'task');
    expect(stateIn(task)).toBe(stateOf('completed'));
    expect(at(task, 'artifacts.0.parts.0.text')).toBe('done hello');
    expect(at(task, 'status.timestamp')).toMatch(/^\d{4}-.*Z$/);
    expect(at(task, `history.0.${content}.0.text`)).toBe('hello');
    expect(at(task, 'history.0.taskId')).toBe(at(task, 'id'));
    expect(at(task, 'history.0.contextId')).toBe(at(task, 'contextId'));
  });

  test('one that does not wait is answered with the task as it is', async () => {
    const asks = client();
    const { body } = await asks.ask('SendMessage', words.send({ text: 'hold', isWaiting: false }));
    expect(['submitted', 'working'].map(stateOf)).toContain(stateIn(at(body, 'task')));
    const id = taskIdIn(body);
    for (let time = 0; time < 2; time += 1) {
      const canceled = await asks.ask('CancelTask', words.task(id));
      expect(stateIn(canceled.body)).toBe(stateOf('canceled'));
    }
    const late = await asks.ask('SendMessage', words.send({ id }));
    expect(late.reason).toBe('UNSUPPORTED_OPERATION');
  });

  test('it waits for its owner, and goes on by its id alone', async () => {
    const asks = client();
    for (const [text, state] of [
      ['ask', 'input-required'],
      ['auth', 'auth-required'],
    ] as const) {
      const { body } = await asks.ask('SendMessage', words.send({ text }));
      expect(stateIn(at(body, 'task'))).toBe(stateOf(state));
      const id = taskIdIn(body);
      const wrong = await asks.ask('SendMessage', words.send({ id, contextId: 'made-up' }));
      expect([wrong.status, wrong.reason]).toEqual(['INVALID_ARGUMENT', 'INVALID_PARAMS']);
      const ended = await asks.ask('SendMessage', words.send({ text: 'red', id }));
      expect(at(ended.body, 'task.artifacts.0.parts.0.text')).toBe('told red');
      const not = await asks.ask('CancelTask', words.task(id));
      expect([not.status, not.reason]).toEqual(['FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE']);
    }
  });

  test('an answer without a task is a message that belongs nowhere', async () => {
    const { body } = await client().ask('SendMessage', words.send({ text: 'answer' }));
    expect(at(body, `message.${content}.0.text`)).toBe('answered at once');
    expect([at(body, 'message.taskId'), at(body, 'message.contextId')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('get tells as much of the history as was asked for', async () => {
    const asks = client();
    const id = taskIdIn((await asks.ask('SendMessage', words.send({ text: 'ask' }))).body);
    await asks.ask('SendMessage', words.send({ text: 'red', id }));
    const historyOf = async (length?: number): Promise<number> => {
      const more = length === undefined ? {} : { historyLength: length };
      const { body } = await asks.ask('GetTask', words.task(id, more));
      return ((at(body, 'history') ?? []) as readonly Json[]).length;
    };
    expect([await historyOf(), await historyOf(1), await historyOf(100)]).toEqual([3, 1, 3]);
    // 0.3 does not tell nothing and 0 apart.
    expect(await historyOf(0)).toBe(version === '1.0' ? 0 : 3);
    const wrong = await asks.ask('GetTask', words.task(id, { historyLength: -1 }));
    expect(wrong.reason).toBe('INVALID_PARAMS');
  });

  test('a task that is not there is not found by any operation', async () => {
    const asks = client();
    for (const method of ['GetTask', 'CancelTask']) {
      const { status, reason } = await asks.ask(method, words.task('nothing'));
      expect([status, reason]).toEqual(['NOT_FOUND', 'TASK_NOT_FOUND']);
    }
    const sent = await asks.ask('SendMessage', words.send({ id: 'nothing' }));
    expect(sent.reason).toBe('TASK_NOT_FOUND');
    for (const stream of [
      asks.stream(words.subscribe, words.task('nothing')),
      asks.stream('SendStreamingMessage', words.send({ id: 'nothing' })),
    ]) {
      expect(await framesOf(stream)).toEqual([]);
      expect((await stream.end).reason).toBe('TASK_NOT_FOUND');
    }
  });

  test('what is wrong in a request is told with its path', async () => {
    const asks = client();
    const { status, details } = await asks.ask('SendMessage', { message: { role: 'ROLE_AGENT' } });
    expect(status).toBe('INVALID_ARGUMENT');
    expect(details[0]).toMatchObject({ reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' });
    const violations = at(details[1], 'fieldViolations') as readonly Json[];
    expect(violations.map((violation) => textAt(violation, 'field'))).toContain(
      'message.messageId',
    );
    const empty = await asks.ask('SendMessage', {});
    expect(at(empty.details[1], 'fieldViolations.0.field')).toBe('message');
    const nameless = await asks.ask('GetTask', {});
    expect(at(nameless.details[1], 'fieldViolations.0.field')).toBe(
      version === '1.0' ? 'id' : 'name',
    );
  });

  test('parts of every kind come back as they were', async () => {
    const asks = client();
    const data = { deep: [1, { two: null }], number: 0.1, large: 2 ** 53 - 1, __proto__: 1 };
    const raw = Buffer.from([0, 255, 7, 128]).toString('base64');
    const parts: readonly Json[] =
      version === '1.0'
        ? [
            { text: 'same' },
            { text: 'ü漢😀', mediaType: 'text/markdown', metadata: { lang: 'de' } },
            { raw, filename: 'x.bin', mediaType: 'image/png' },
            { url: 'https://example.com/' },
            { data },
            { data: null },
            { data: [] },
            { data: '' },
          ]
        : [
            { text: 'same' },
            { text: 'ü漢😀' },
            { file: { fileWithBytes: raw, mimeType: 'image/png' } },
            { file: { fileWithUri: 'https://example.com/' } },
            { data: { data } },
          ];
    const { body } = await asks.ask('SendMessage', words.send({ parts }));
    expect(at(body, 'task.artifacts.0.parts')).toEqual(parts.slice(1));
    expect(at(body, `task.history.0.${content}`)).toEqual(parts);
  });

  test('a number that no double holds is refused, and told over JSON', async () => {
    const agentWith = await grpcAgentFor({
      runtime: {
        onTask: async (_task, ctx) => {
          await ctx.artifact({ json: { big: new LosslessNumber('12345678901234567890') } });
        },
      },
    });
    const asks = grpcClient(agentWith.grpc, version);
    const { status, reason, body } = await asks.ask('SendMessage', words.send());
    expect([reason, body]).toEqual(['UNSUPPORTED_OPERATION', undefined]);
    expect(status).toBe(version === '1.0' ? 'FAILED_PRECONDITION' : 'UNIMPLEMENTED');
    const listed = await ask(`${agentWith.origin}/tasks?includeArtifacts=true`, {
      headers: { 'a2a-version': '1.0' },
    });
    expect(listed.text).toContain('12345678901234567890');
  });

  const list =
    version === '1.0' ? 'ListTaskPushNotificationConfigs' : 'ListTaskPushNotificationConfig';

  test('a web hook is made, got, listed, told and dropped #a2a-push #a2a-push-delivery', async () => {
    const receiver = await receiverFor();
    const hooked = await grpcAgentFor({ face: { allowLoopbackHooks: true } });
    const asks = grpcClient(hooked.grpc, version);
    const id = taskIdIn((await asks.ask('SendMessage', words.send({ text: 'ask' }))).body);
    const isFlat = version === '1.0';
    const config = { id: 'mine', url: receiver.url(), token: 'the-token' };
    const parent = `tasks/${id}`;
    const one = isFlat
      ? { taskId: id, id: 'mine' }
      : { name: `${parent}/pushNotificationConfigs/mine` };
    const secret = {
      authentication: isFlat
        ? { scheme: 'Bearer', credentials: 'the-secret' }
        : { schemes: ['Bearer'], credentials: 'the-secret' },
    };
    const made = await asks.ask(
      'CreateTaskPushNotificationConfig',
      isFlat
        ? { taskId: id, ...config, ...secret }
        : {
            parent,
            configId: 'mine',
            config: { pushNotificationConfig: { ...config, ...secret } },
          },
    );
    expect([made.status, JSON.stringify(made.body).includes('the-secret')]).toEqual(['OK', false]);
    const got = await asks.ask('GetTaskPushNotificationConfig', one);
    expect(at(got.body, isFlat ? 'url' : 'pushNotificationConfig.url')).toBe(receiver.url());
    const listed = await asks.ask(list, isFlat ? { taskId: id, pageSize: 0 } : { parent });
    expect((at(listed.body, 'configs') as readonly Json[]).length).toBe(1);
    await asks.ask('SendMessage', words.send({ text: 'red', id }));
    await receiver.until((all) => all.some(isEnd));
    expect(kindOf(receiver.all[0]!)).toBe('task');
    expect(receiver.all[0]!.headers.authorization).toBe('Bearer the-secret');
    for (let time = 0; time < 2; time += 1) {
      expect((await asks.ask('DeleteTaskPushNotificationConfig', one)).status).toBe('OK');
    }
    expect((await asks.ask('GetTaskPushNotificationConfig', one)).reason).toBe('TASK_NOT_FOUND');
  });

  test('web hooks are not there where they are turned off', async () => {
    const without = await grpcAgentFor({ face: { pushNotifications: false } });
    const asks = grpcClient(without.grpc, version);
    for (const method of [
      'CreateTaskPushNotificationConfig',
      'GetTaskPushNotificationConfig',
      'DeleteTaskPushNotificationConfig',
      list,
    ]) {
      const { status, reason } = await asks.ask(method, {});
      expect([method, reason]).toEqual([method, 'PUSH_NOTIFICATION_NOT_SUPPORTED']);
      expect(status).toBe(version === '1.0' ? 'FAILED_PRECONDITION' : 'UNIMPLEMENTED');
    }
  });

  test('a method that there is not is not implemented', async () => {
    const { raw } = client();
    const path = `/${version === '1.0' ? 'lf.a2a.v1' : 'a2a.v1'}.A2AService/Nothing`;
    const error = await new Promise<{ code: number } | null>((resolve) => {
      const same = (bytes: Buffer): Buffer => bytes;
      raw.makeUnaryRequest(path, same, same, Buffer.alloc(0), resolve);
    });
    expect(error?.code).toBe(12);
  });
});

describe('lists over gRPC #a2a-lists', () => {
  test('tell the last status first, page by page, artifacts only on request', async () => {
    const { grpc } = await grpcAgentFor();
    const asks = grpcClient(grpc);
    const [words] = GRPC_WORDS;
    for (const text of ['one', 'two', 'three'])
      await asks.ask('SendMessage', words!.send({ text }));
    const page = async (request: Json): Promise<Json | undefined> =>
      (await asks.ask('ListTasks', request)).body;
    const first = await page({ pageSize: 2, includeArtifacts: true, historyLength: 1 });
    expect(at(first, 'tasks.0.artifacts.0.parts.0.text')).toBe('done three');
    expect(at(first, 'tasks.1.history.0.parts.0.text')).toBe('two');
    expect([at(first, 'pageSize'), at(first, 'totalSize')]).toEqual([2, 3]);
    const second = await page({ pageSize: 2, pageToken: textAt(first, 'nextPageToken') });
    expect((at(second, 'tasks') as readonly Json[]).length).toBe(1);
    expect(at(second, 'tasks.0.artifacts')).toBeUndefined();
    expect(at(await page({ status: 'TASK_STATE_FAILED' }), 'totalSize')).toBeUndefined();
    const statusTimestampAfter = textAt(first, 'tasks.0.status.timestamp');
    expect(at(await page({ statusTimestampAfter }), 'tasks.0.id')).toBe(at(first, 'tasks.0.id'));
    // Clients that know no presence send 0 for nothing.
    expect(at(await page({ pageSize: 0 }), 'pageSize')).toBe(50);
    for (const wrong of [{ pageSize: 101 }, { pageSize: -1 }, { pageToken: 'made-up' }]) {
      expect((await asks.ask('ListTasks', wrong)).reason).toBe('INVALID_PARAMS');
    }
  });
});

describe('versions #a2a-grpc', () => {
  test.each([
    ['1.0.1', 'FAILED_PRECONDITION'],
    ['1.0.0', 'UNIMPLEMENTED'],
  ] as const)('profile %s: one that the package is not is refused', async (profile, expected) => {
    const { grpc } = await grpcAgentFor({ face: { profile } });
    for (const { version, send } of GRPC_WORDS) {
      const asks = grpcClient(grpc, version);
      const asking = (said: string) =>
        asks.ask('SendMessage', send(), { metadata: { 'a2a-version': said } });
      for (const said of ['', version, `${version}.7`])
        expect((await asking(said)).status).toBe('OK');
      const other = version === '1.0' ? '0.3' : '1.0';
      for (const said of ['99.0', other, 'nonsense']) {
        const { status, details } = await asking(said);
        expect(status).toBe(expected);
        expect(details[0]).toMatchObject({
          reason: 'VERSION_NOT_SUPPORTED',
          metadata: { supportedVersions: version },
        });
      }
    }
  });
});

test('extensions: a required one must be asked for, and known ones are told back #a2a-options', async () => {
  const uri = 'https://example.com/ext/v1';
  const { grpc } = await grpcAgentFor({ face: { extensions: [{ uri, required: true }] } });
  for (const { version, send } of GRPC_WORDS) {
    const asks = grpcClient(grpc, version);
    const without = await asks.ask('SendMessage', send());
    expect([without.status, without.reason]).toEqual([
      'FAILED_PRECONDITION',
      'EXTENSION_SUPPORT_REQUIRED',
    ]);
    const name = version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';
    const metadata = { [name]: `https://example.com/unknown, ${uri}` };
    const asked = await asks.ask('SendMessage', send(), { metadata });
    expect([asked.status, asked.initial.get('a2a-extensions')]).toEqual(['OK', [uri]]);
    const stream = asks.stream('SendStreamingMessage', send(), { metadata });
    await framesOf(stream);
    expect((await stream.initial).get('a2a-extensions')).toEqual([uri]);
  }
});
