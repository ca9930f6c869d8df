// Proves every operation over every wire and binding, with plain requests of HTTP: what comes back, when, and how it is
// refused.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor, openAgent } from '../../support/a2a/agent.ts';
import type { Frame } from '../../support/a2a/ask.ts';
import { allFrames, at, framesOf, textAt } from '../../support/a2a/ask.ts';
import type { Cell } from '../../support/a2a/cells.ts';
import { CELLS } from '../../support/a2a/cells.ts';

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const idOf = async (cell: Cell, text: string, isWaiting = false): Promise<string> => {
  const answer = await cell.ask(agent, 'send', { text, isWaiting });
  return textAt(cell.taskOf(answer), 'id');
};

describe.each(CELLS)('$name #a2a-wires #a2a-semantics', (cell) => {
  test('a message that waits is answered with the task at its end', async () => {
    const answer = await cell.ask(agent, 'send', { text: 'hello' });
    expect(answer.status).toBe(cell.wire === 'v03' && cell.binding === 'rest' ? 201 : 200);
    const task = cell.taskOf(answer);
    expect(at(task, 'status.state')).toBe(cell.stateOf('completed'));
    expect(at(task, 'artifacts.0.parts.0.text')).toBe('done hello');
    expect(at(task, 'status.timestamp')).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    const said = at(task, 'history.0');
    expect(at(said, 'taskId')).toBe(at(task, 'id'));
    expect(at(said, 'contextId')).toBe(at(task, 'contextId'));
  });

  test('one that does not wait is answered with the task as it is', async () => {
    const answer = await cell.ask(agent, 'send', { text: 'hold', isWaiting: false });
    const task = cell.taskOf(answer);
    expect(['submitted', 'working'].map(cell.stateOf)).toContain(at(task, 'status.state'));
    await cell.ask(agent, 'cancel', { id: textAt(task, 'id') });
  });

  test.each([
    ['ask', 'input-required'],
    ['auth', 'auth-required'],
  ])('%s: it waits for its owner, and goes on by its id alone', async (text, state) => {
    const waiting = cell.taskOf(await cell.ask(agent, 'send', { text }));
    expect(at(waiting, 'status.state')).toBe(cell.stateOf(state));
    const id = textAt(waiting, 'id');
    const ended = cell.taskOf(await cell.ask(agent, 'send', { text: 'red', id }));
    expect(at(ended, 'status.state')).toBe(cell.stateOf('completed'));
    expect(at(ended, 'contextId')).toBe(at(waiting, 'contextId'));
    expect(at(ended, 'artifacts.0.parts.0.text')).toBe('told red');
  });

  test('a context that is not that of the task is refused, and nothing is said to the task', async () => {
    const id = await idOf(cell, 'ask', true);
    const wrong = await cell.ask(agent, 'send', { text: 'red', id, contextId: 'made-up' });
    expect(cell.reasonOf(wrong)).toBe('INVALID_PARAMS');
    expect(wrong.text).toContain('message.contextId');
    const task = cell.resultOf(await cell.ask(agent, 'get', { id }));
    expect(at(task, 'status.state')).toBe(cell.stateOf('input-required'));
    await cell.ask(agent, 'cancel', { id });
  });

  test.each([
    ['fail', 'failed', 'there is no paper', 'NO_PAPER'],
    ['reject', 'rejected', 'not on Sundays', 'SUNDAY'],
  ])('%s: it ends so, in the words of its author', async (text, state, words, code) => {
    const status = at(cell.taskOf(await cell.ask(agent, 'send', { text })), 'status');
    expect(at(status, 'state')).toBe(cell.stateOf(state));
    const content = cell.wire === 'v03' && cell.binding === 'rest' ? 'content' : 'parts';
    expect(at(status, `message.${content}.0.text`)).toBe(words);
    expect(at(status, 'message.metadata.failure.code')).toBe(code);
  });

  test('an answer without a task is a message that belongs nowhere', async () => {
    const answer = await cell.ask(agent, 'send', { text: 'answer' });
    const message = cell.messageOf(answer);
    expect(JSON.stringify(message)).toContain('answered at once');
    expect(at(message, 'taskId')).toBeUndefined();
    expect(at(message, 'contextId')).toBeUndefined();
  });

  test('a task that has ended takes no message, and cannot be canceled', async () => {
    const id = await idOf(cell, 'hello', true);
    const late = await cell.ask(agent, 'send', { text: 'late', id });
    expect(cell.reasonOf(late)).toBe('UNSUPPORTED_OPERATION');
    const canceled = await cell.ask(agent, 'cancel', { id });
    expect(cell.reasonOf(canceled)).toBe('TASK_NOT_CANCELABLE');
  });

  test('canceling stops the work, and again is the same', async () => {
    const id = await idOf(cell, 'hold');
    for (let time = 0; time < 2; time += 1) {
      const answer = await cell.ask(agent, 'cancel', { id });
      expect(at(cell.resultOf(answer), 'status.state')).toBe(cell.stateOf('canceled'));
    }
  });

  test('get tells as much of the history as was asked for', async () => {
    const id = await idOf(cell, 'ask', true);
    await cell.ask(agent, 'send', { text: 'red', id });
    const lengths = await Promise.all(
      [undefined, 1, 2, 100].map(async (historyLength) => {
        const wish = { id, ...(historyLength !== undefined && { historyLength }) };
        const task = cell.resultOf(await cell.ask(agent, 'get', wish));
        return (at(task, 'history') as readonly unknown[]).length;
      }),
    );
    expect(lengths).toEqual([3, 1, 2, 3]);
    const none = cell.resultOf(await cell.ask(agent, 'get', { id, historyLength: 0 }));
    // Protobuf does not tell nothing and 0 apart in 0.3.
    const isAll = cell.wire === 'v03' && cell.binding === 'rest';
    expect(at(none, 'history') === undefined).toBe(!isAll);
    const wrong = await cell.ask(agent, 'get', { id, historyLength: -1 });
    expect(cell.reasonOf(wrong)).toBe('INVALID_PARAMS');
  });

  test('a task that is not there is not found by any operation', async () => {
    for (const operation of ['get', 'cancel', 'send'] as const) {
      const answer = await cell.ask(agent, operation, { id: 'nothing' });
      expect(cell.reasonOf(answer)).toBe('TASK_NOT_FOUND');
      expect(answer.status).toBe(cell.binding === 'rest' ? 404 : 200);
    }
  });

  test('a stream tells the task, what happens, and closes at the end #a2a-streams', async () => {
    const frames = await cell.frames(agent, 'stream', { text: 'chunks' });
    expect(at(cell.inFrame(frames[0]!, 'task'), 'status.state')).toBe(cell.stateOf('submitted'));
    const pieces = frames.flatMap((frame) => cell.inFrame(frame, 'artifactUpdate') ?? []);
    expect(pieces.map((piece) => at(piece, 'artifact.parts.0.text'))).toEqual(['one ', 'two']);
    expect(pieces.map((piece) => at(piece, 'append'))).toEqual([undefined, true]);
    expect(pieces.map((piece) => at(piece, 'lastChunk'))).toEqual([undefined, true]);
    const last = cell.inFrame(frames.at(-1)!, 'statusUpdate');
    expect(at(last, 'status.state')).toBe(cell.stateOf('completed'));
    const finals = frames.map((frame) => at(cell.inFrame(frame, 'statusUpdate'), 'final'));
    expect(finals.filter((final) => final === true)).toHaveLength(cell.wire === 'v1' ? 0 : 1);
    const ids = frames.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
  });

  test('a stream of a message closes where the task waits #a2a-streams', async () => {
    const frames = await cell.frames(agent, 'stream', { text: 'ask' });
    const last = cell.inFrame(frames.at(-1)!, 'statusUpdate');
    expect(at(last, 'status.state')).toBe(cell.stateOf('input-required'));
    expect(at(last, 'final')).toBe(cell.wire === 'v1' ? undefined : true);
    const id = textAt(last, 'taskId');
    const more = await cell.frames(agent, 'stream', { text: 'blue', id });
    expect(at(cell.inFrame(more[0]!, 'task'), 'status.state')).toBe(cell.stateOf('working'));
    expect(at(cell.inFrame(more.at(-1)!, 'statusUpdate'), 'status.state')).toBe(
      cell.stateOf('completed'),
    );
  });

  test('a subscription begins with the task and stays open while it waits #a2a-streams', async () => {
    const id = await idOf(cell, 'ask', true);
    const frames = framesOf(await cell.fetch(agent, 'subscribe', { id }));
    const first = await frames.next();
    expect(at(cell.inFrame(first.value as Frame, 'task'), 'status.state')).toBe(
      cell.stateOf('input-required'),
    );
    await cell.ask(agent, 'send', { text: 'green', id, isWaiting: false });
    const states: unknown[] = [];
    for await (const frame of frames) {
      const update = cell.inFrame(frame, 'statusUpdate');
      if (update !== undefined) states.push(at(update, 'status.state'));
    }
    expect(states).toEqual(['working', 'completed'].map(cell.stateOf));
  });

  test('who has seen a part of a stream is told the rest, also after the end #a2a-streams', async () => {
    const whole = await cell.frames(agent, 'stream', { text: 'chunks' });
    const id = textAt(cell.inFrame(whole[0]!, 'task'), 'id');
    for (const [index, { id: seen }] of whole.slice(0, -1).entries()) {
      const headers = { 'last-event-id': seen! };
      const rest = await cell.frames(agent, 'subscribe', { id, headers });
      expect(rest.map((frame) => frame.id)).toEqual(
        whole.slice(index + 1).map((frame) => frame.id),
      );
      expect(cell.inFrame(rest[0]!, 'task')).toBeUndefined();
    }
    for (const seen of [whole.at(-1)!.id!, '999', 'nonsense', '', '01', '-1']) {
      const headers = { 'last-event-id': seen };
      const answer = await cell.fetch(agent, 'subscribe', { id, headers });
      expect(await answer.text()).toMatch(/UNSUPPORTED_OPERATION|unsupported-operation/);
    }
  });

  test('a stream that goes on from what nobody was told begins with the whole task', async () => {
    for (const seen of ['999', 'nonsense', '01']) {
      const id = await idOf(cell, 'hold');
      const response = await cell.fetch(agent, 'subscribe', {
        id,
        headers: { 'last-event-id': seen },
      });
      await cell.ask(agent, 'cancel', { id });
      const [first] = await allFrames(response);
      expect(textAt(cell.inFrame(first!, 'task'), 'id')).toBe(id);
    }
  });

  test('what is refused before the first event is an ordinary refusal, but to who goes on with a stream of 0.3 #a2a-streams', async () => {
    const isOld = cell.wire === 'v03' && cell.binding === 'jsonrpc';
    const ended = await idOf(cell, 'hello', true);
    for (const operation of ['stream', 'subscribe'] as const) {
      for (const id of ['nothing', ended]) {
        const response = await cell.fetch(agent, operation, { id });
        const type = response.headers.get('content-type');
        const isStream = isOld && operation === 'subscribe';
        expect([operation, type === 'text/event-stream']).toEqual([operation, isStream]);
        expect(await response.text()).toMatch(/task.not.found|unsupported.operation/i);
      }
      const closed = await agentFor({ isOpen: false });
      const { status, type } = await cell.ask(closed, operation, { id: ended });
      expect([status, type === 'text/event-stream']).toEqual([401, false]);
    }
  });

  test('web hooks and the extended card are not there, and are told apart', async () => {
    const without = await agentFor({ face: { pushNotifications: false } });
    const push = { url: 'https://example.com/hook' };
    for (const operation of ['createPush', 'getPush', 'listPush', 'deletePush', 'send'] as const) {
      const answer = await cell.ask(without, operation, { id: 'x', push });
      expect([operation, cell.reasonOf(answer)]).toEqual([
        operation,
        'PUSH_NOTIFICATION_NOT_SUPPORTED',
      ]);
    }
    const stream = await cell.fetch(without, 'stream', { push });
    expect(await stream.text()).toMatch(/push.notification.not.supported/i);
    const card = await cell.ask(agent, 'extendedCard');
    expect(cell.reasonOf(card)).toBe('UNSUPPORTED_OPERATION');
  });

  test('without streams both are refused', async () => {
    const without = await agentFor({ face: { streaming: false } });
    for (const operation of ['stream', 'subscribe'] as const) {
      const response = await cell.fetch(without, operation, { id: 'any' });
      expect(await response.text()).toMatch(/unsupported.operation/i);
    }
  });
});

describe.each(CELLS.filter(({ wire }) => wire !== 'v03'))('$name: lists #a2a-lists', (cell) => {
  test('tell the last status first, page by page, artifacts only on request', async () => {
    const lists = await agentFor();
    for (const text of ['one', 'two', 'three']) await cell.ask(lists, 'send', { text });
    const page = async (filter: Readonly<Record<string, string | number | boolean>>) =>
      cell.resultOf(await cell.ask(lists, 'list', { filter }));
    const first = await page({ pageSize: 2, includeArtifacts: true, historyLength: 1 });
    expect(at(first, 'tasks.0.artifacts.0.parts.0.text')).toBe('done three');
    expect(at(first, 'tasks.1.history.0.parts.0.text')).toBe('two');
    expect([at(first, 'pageSize'), at(first, 'totalSize')]).toEqual([2, 3]);
    await cell.ask(lists, 'send', { text: 'four' });
    const second = await page({ pageSize: 2, pageToken: textAt(first, 'nextPageToken') });
    expect((at(second, 'tasks') as readonly unknown[]).length).toBe(1);
    expect(at(second, 'tasks.0.artifacts')).toBeUndefined();
    expect([at(second, 'nextPageToken'), at(second, 'totalSize')]).toEqual(['', 4]);
    const done = await page({ status: cell.stateOf('completed') });
    expect(at(done, 'totalSize')).toBe(4);
    const failed = await page({ status: cell.stateOf('failed') });
    expect([at(failed, 'totalSize'), at(failed, 'nextPageToken')]).toEqual([0, '']);
    const contextId = textAt(done, 'tasks.0.contextId');
    expect(at(await page({ contextId }), 'totalSize')).toBe(1);
    const since = cell.wire === 'v1' ? 'statusTimestampAfter' : 'lastUpdatedAfter';
    const newest = textAt(done, 'tasks.0.status.timestamp');
    const from = cell.wire === 'v1' ? newest : Date.parse(newest);
    expect(at(await page({ [since]: from }), 'tasks.0.id')).toBe(at(done, 'tasks.0.id'));
    const later = cell.wire === 'v1' ? '2100-01-01T00:00:00Z' : Date.parse('2100-01-01');
    expect(at(await page({ [since]: later }), 'totalSize')).toBe(0);
  });

  test.each([
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: -1 },
    { pageToken: 'made-up' },
    { status: 'nothing' },
    { historyLength: -1 },
  ])('refuse %j', async (filter) => {
    const answer = await cell.ask(agent, 'list', { filter });
    expect(cell.reasonOf(answer)).toBe('INVALID_PARAMS');
    expect(answer.status).toBe(cell.binding === 'rest' ? 400 : 200);
  });
});
