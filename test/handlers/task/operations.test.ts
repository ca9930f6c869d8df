// Proves what an owner can do with its tasks over `toolcall.v1`, and that it sees nothing of those of others.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import { formatTimestamp } from '../../../src/envelope/timestamp.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { documentIn, payloadWith, taskFace } from '../../support/agents/task-face.ts';
import { makePeer } from '../../support/trust/peers.ts';
import { bob } from '../../support/wire/envelopes.ts';

const asker: OnTask = async function* (_task, ctx) {
  yield ctx.progress('asking');
  yield ctx.artifact({ name: 'log', text: 'a', append: true });
  const reply = await ctx.ask('colour?');
  yield ctx.artifact({ name: 'log', text: 'b', append: true, last: true });
  return reply.text;
};

const stranger = { peer: makePeer(bob.agent_id) };
const AT_ONCE = { constraints: { time_budget_s: 0, compute_budget: 'low', safety: {} } };

describe('#task-ids tools for tasks', () => {
  test('a task is watched to its question, answered, and watched to its end', async () => {
    const { give, call } = taskFace(asker);
    await give(payloadWith('t', AT_ONCE));
    const first = await call('task.watch', { id: 't' });
    expect(first.events.map(({ ct, generation }) => [ct, generation])).toEqual([
      ['state.v1', 1],
      ['state.v1', 2],
      ['state.v1', 3],
      ['artifact.v1', 4],
      ['state.v1', 5],
    ]);
    expect(first.result).toMatchObject({
      status: 'input-required',
      question: { content: 'colour?', generation: 5 },
      artifacts: [{ name: 'log', text: 'a' }],
    });
    const { progress: _said, ...told } = first.result;
    expect((await call('task.get', { id: 't' })).result).toEqual(told);
    const replied = await call('task.reply', { id: 't', reply: 'blue', generation: 5 });
    expect(replied.result).toMatchObject({ task: { id: 't' } });
    const rest = await call('task.watch', { id: 't', after: 5 });
    expect(rest.events.map(({ generation }) => generation)).toEqual([6, 7, 8, 9]);
    expect(rest.events[1]?.payload).toMatchObject({ items: [{ append: true, last: true }] });
    expect(rest.result).toMatchObject({
      status: 'completed',
      artifacts: [{ text: 'ab' }, { name: 'result', text: 'blue' }],
    });
    const patches = [...first.events, ...rest.events].filter(({ ct }) => ct === 'state.v1');
    const document = patches.reduce(
      (state, { payload }) => applyState(state, payload),
      INITIAL_STATE,
    );
    expect(document.value).toMatchObject({ status: 'completed', task: { generation: 9 } });
    expect((document.value as JsonObject)['question']).toBeUndefined();
  });

  test('a watch that begins after the end gives the end alone', async () => {
    const { give, call } = taskFace(async () => 'done');
    await give(payloadWith('t'));
    for (const after of [4, 5, 9_000_000]) {
      for (const whole of [false, true]) {
        const { events, result } = await call('task.watch', { id: 't', after, whole });
        expect(events).toEqual([]);
        expect(result).toMatchObject({ status: 'completed', artifacts: [{ text: 'done' }] });
      }
    }
  });

  test('a caller that takes no events gets the result of a watch', async () => {
    const { give, call } = taskFace(asker);
    await give(payloadWith('t'));
    const { events, result } = await call('task.watch', { id: 't' }, { wantsStream: false });
    expect(events).toEqual([]);
    expect(result).toMatchObject({ status: 'input-required' });
  });

  test('a watch whose task goes before it was told of is told that there is none', async () => {
    const { give, call, door, engine, time } = taskFace(async () => 'x');
    await give(payloadWith('t'));
    const get = door.get.bind(door);
    door.get = async (...args) => {
      const task = await get(...args);
      time.pass(3_600_000);
      await engine.purge();
      return task;
    };
    expect((await call('task.watch', { id: 't' })).result).toMatchObject({
      error: { code: 'BAD_REQUEST', message: 'there is no such task' },
    });
  });

  test('a task is canceled, and listed by what it is', async () => {
    const { give, call, time } = taskFace(asker);
    for (const id of ['a', 'b', 'c']) {
      await give(payloadWith(id));
      time.pass(1_000);
    }
    const canceled = await call('task.cancel', { id: 'b' });
    expect(canceled.result).toMatchObject({ status: 'canceled' });
    const { result } = await call('task.list', { state: 'canceled' });
    expect(result).toMatchObject({
      tasks: [{ id: 'b', status: 'canceled', goal: 'Return short status' }],
      total: 1,
    });
    const page = (await call('task.list', { limit: 2 })).result;
    expect(page).toMatchObject({ tasks: [{ id: 'b' }, { id: 'c' }], total: 3 });
    const rest = await call('task.list', { limit: 2, cursor: page['next']! });
    expect(rest.result).toMatchObject({ tasks: [{ id: 'a' }] });
    expect(rest.result).not.toHaveProperty('next');
    const since = formatTimestamp(time.now - 1_000);
    expect((await call('task.list', { since })).result).toMatchObject({
      tasks: [{ id: 'b' }, { id: 'c' }],
      total: 2,
    });
  });

  test('a cursor of an earlier version is refused in words', async () => {
    const { call } = taskFace(asker);
    const { result } = await call('task.list', { cursor: 'c1' });
    expect(result).toMatchObject({
      error: {
        code: 'SCHEMA_INVALID',
        details: { path: '/args/cursor', message: expect.stringContaining('first page') },
      },
    });
  });

  test('the task of somebody else looks like none', async () => {
    const { give, call, get } = taskFace(asker);
    await give(payloadWith('t'));
    for (const [tool, args] of [
      ['task.get', {}],
      ['task.watch', {}],
      ['task.cancel', {}],
      ['task.reply', { reply: 1 }],
      ['task.reply', { reply: 1, generation: 5 }],
      ['task.send', { message: { parts: [{ text: 'x' }] } }],
    ] as const) {
      const theirs = await call(tool, { id: 't', ...args }, stranger);
      const none = await call(tool, { id: 'none', ...args });
      expect(theirs.last).toMatchObject({
        ok: false,
        result: { error: { code: 'BAD_REQUEST', details: { reason: 'TASK_UNKNOWN' } } },
      });
      expect(none.result).toEqual(theirs.result);
    }
    expect((await call('task.list', {}, stranger)).result).toEqual({ tasks: [], total: 0 });
    expect((await get('t'))?.status.state).toBe('input-required');
  });

  test.each([
    ['task.get', {}],
    ['task.get', { id: '' }],
    ['task.get', { id: 't', history_length: -1 }],
    ['task.list', { state: 'busy' }],
    ['task.list', { limit: 0 }],
    ['task.list', { cursor: 'nonsense' }],
    ['task.list', { since: 'yesterday' }],
    ['task.watch', { id: 't', after: -1 }],
    ['task.reply', { id: 't' }],
    ['task.send', { id: 't', message: 'hello' }],
    ['task.send', { id: 't', message: { parts: [{ bytes: '=' }] } }],
  ])('%s refuses %j', async (tool, args) => {
    const { call, give } = taskFace(asker);
    await give(payloadWith('t'));
    const { last } = await call(tool, args);
    expect(last).toMatchObject({ ok: false, result: { error: { code: 'SCHEMA_INVALID' } } });
  });

  test('a reply that nobody waits for is a conflict, and never a further message', async () => {
    const { give, call, get } = taskFace(async (_task, ctx) => (await ctx.next()).text);
    await give(payloadWith('t', AT_ONCE));
    const { result } = await call('task.reply', { id: 't', reply: 1 });
    expect(result).toMatchObject({ error: { details: { reason: 'TASK_CONFLICT' } } });
    expect((await get('t'))?.history).toHaveLength(1);
  });

  test('a reply to a task that has ended says so', async () => {
    const { give, call } = taskFace(async () => 'done');
    await give(payloadWith('t'));
    const { result } = await call('task.reply', { id: 't', reply: 1 });
    expect(result).toMatchObject({ error: { details: { reason: 'TASK_ENDED' } } });
  });
});

describe('#task-answer a task that asks', () => {
  test('is answered with its question', async () => {
    const { give } = taskFace(asker);
    const answers = await give(payloadWith('t'));
    expect(documentIn(answers.at(-1)!)).toMatchObject({
      status: 'input-required',
      question: { content: 'colour?', generation: 5 },
    });
  });
});
