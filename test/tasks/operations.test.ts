// Proves what an owner can do with its tasks over `toolcall.v1`, and that it sees nothing of those of others.

import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/codec/value.ts';
import type { Answer, RequestContext } from '../../src/content.ts';
import { createTaskHandler } from '../../src/handlers/task/handler.ts';
import { createTaskTools } from '../../src/handlers/task/operations.ts';
import { createLaterTools } from '../../src/handlers/task/tools.ts';
import { createToolCallHandler } from '../../src/handlers/tools/toolcall.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { INITIAL_STATE, applyState } from '../../src/state/document.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { alice, bob } from '../support/wire/envelopes.ts';
import { makePeer } from '../support/trust/peers.ts';
import {
  answersOf,
  collect,
  contextWith,
  documentIn,
  payloadWith,
  start,
  testEngine,
} from '../support/agents/tasks.ts';

const asker: OnTask = async function* (_task, ctx) {
  yield ctx.progress('asking');
  yield ctx.artifact({ name: 'log', text: 'a', append: true });
  const reply = await ctx.ask('colour?');
  yield ctx.artifact({ name: 'log', text: 'b', append: true, lastChunk: true });
  return reply;
};

const stranger = contextWith({ peer: makePeer(bob.agent_id) });

function operations(onTask: OnTask) {
  const { engine, time } = testEngine(onTask);
  const tools = new ToolRegistry();
  for (const tool of createTaskTools(engine)) tools.add(tool);
  const handler = createToolCallHandler({ tools });
  const call = async (tool: string, args: JsonObject, context?: RequestContext) => {
    const payload = { tool, call_id: 'c', args, expect: {} };
    const answers = await answersOf(handler, payload, context);
    return { events: answers.slice(0, -1), last: answers.at(-1)!.payload };
  };
  const result = async (tool: string, args: JsonObject, context?: RequestContext) =>
    (await call(tool, args, context)).last['result'] as JsonObject;
  return { engine, call, result, tools, time };
}

describe('#task-ids tools for tasks', () => {
  test('a task is watched to its question, answered, and watched to its end', async () => {
    const { engine, call, result } = operations(asker);
    await start(engine, { id: 't' });
    const first = await call('task.watch', { id: 't' });
    expect(first.events.map(({ ct, generation }) => [ct, generation])).toEqual([
      ['state.v1', 1],
      ['state.v1', 2],
      ['state.v1', 3],
      ['artifact.v1', 4],
      ['state.v1', 5],
    ]);
    expect(first.last['result']).toMatchObject({
      status: 'input-required',
      question: { content: 'colour?', generation: 5 },
      artifacts: [{ name: 'log', text: 'a' }],
    });
    expect(await result('task.get', { id: 't' })).toEqual(first.last['result']);
    expect(await result('task.reply', { id: 't', reply: 'blue', generation: 5 })).toMatchObject({
      task: { id: 't' },
    });
    const rest = await call('task.watch', { id: 't', after: 5 });
    expect(rest.events.map(({ generation }) => generation)).toEqual([6, 7, 8, 9]);
    expect(rest.events[1]?.payload).toMatchObject({ items: [{ append: true, last: true }] });
    expect(rest.last['result']).toMatchObject({
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
    const { engine, call } = operations(async () => 'done');
    const started = await start(engine, { id: 't' });
    for await (const event of started.events(0)) void event;
    for (const after of [4, 5, 9_000_000]) {
      const { events, last } = await call('task.watch', { id: 't', after });
      expect(events).toEqual([]);
      expect(last['result']).toMatchObject({ status: 'completed' });
    }
  });

  test('a caller that takes no events gets the result of a watch', async () => {
    const { engine, call } = operations(asker);
    await start(engine, { id: 't' });
    const { events, last } = await call(
      'task.watch',
      { id: 't' },
      contextWith({ wantsStream: false }),
    );
    expect(events).toEqual([]);
    expect(last['result']).toMatchObject({ status: 'input-required' });
  });

  test('a watch whose task goes before it was told of is told that there is none', async () => {
    const { engine, result, time } = operations(async () => 'x');
    await collect((await start(engine, { id: 't' })).events(0));
    const get = vi.spyOn(engine, 'get').mockImplementation(async (owner, id) => {
      get.mockRestore();
      const task = await engine.get(owner, id);
      time.pass(3_600_000);
      await engine.purge();
      return task;
    });
    expect(await result('task.watch', { id: 't' })).toMatchObject({
      error: { code: 'BAD_REQUEST', message: 'there is no such task' },
    });
  });

  test('a task is canceled, and listed by what it is', async () => {
    const { engine, result } = operations(asker);
    for (const id of ['a', 'b', 'c']) await start(engine, { id });
    expect(await result('task.cancel', { id: 'b' })).toMatchObject({ status: 'canceled' });
    expect(await result('task.list', { state: 'canceled' })).toMatchObject({
      tasks: [{ id: 'b', status: 'canceled', goal: 'Return short status' }],
    });
    const page = await result('task.list', { limit: 2 });
    expect(page).toMatchObject({ tasks: [{ id: 'c' }, { id: 'b' }] });
    expect(await result('task.list', { limit: 2, cursor: page['next']! })).toMatchObject({
      tasks: [{ id: 'a' }],
    });
  });

  test('the task of somebody else looks like none', async () => {
    const { engine, call, result } = operations(asker);
    await start(engine, { id: 't' });
    for (const [tool, args] of [
      ['task.get', {}],
      ['task.watch', {}],
      ['task.cancel', {}],
      ['task.reply', { reply: 1 }],
    ] as const) {
      const theirs = await call(tool, { id: 't', ...args }, stranger);
      const none = await call(tool, { id: 'none', ...args });
      expect(theirs.last).toMatchObject({
        ok: false,
        result: { error: { code: 'BAD_REQUEST', details: { reason: 'TASK_UNKNOWN' } } },
      });
      expect(none.last['result']).toEqual(theirs.last['result']);
    }
    expect(await result('task.list', {}, stranger)).toEqual({ tasks: [] });
    expect((await engine.get(alice.agent_id, 't'))?.state).not.toBe('canceled');
  });

  test.each([
    ['task.get', {}],
    ['task.get', { id: '' }],
    ['task.list', { state: 'busy' }],
    ['task.list', { limit: 0 }],
    ['task.list', { cursor: 'nonsense' }],
    ['task.watch', { id: 't', after: -1 }],
    ['task.reply', { id: 't' }],
  ])('%s refuses %j', async (tool, args) => {
    const { call } = operations(asker);
    const { last } = await call(tool, args);
    expect(last).toMatchObject({ ok: false, result: { error: { code: 'SCHEMA_INVALID' } } });
  });

  test('a reply that nobody waits for is a conflict', async () => {
    const { engine, call } = operations(async () => 'done');
    const started = await start(engine, { id: 't' });
    for await (const event of started.events(0)) void event;
    const { last } = await call('task.reply', { id: 't', reply: 1 });
    expect(last).toMatchObject({ result: { error: { details: { reason: 'TASK_CONFLICT' } } } });
  });
});

describe('#task-answer a task that asks', () => {
  test('is answered with its question', async () => {
    const { engine } = testEngine(asker);
    const answers = await answersOf(createTaskHandler({ engine }), payloadWith('t'));
    expect(documentIn(answers.at(-1) as Answer)).toMatchObject({
      status: 'input-required',
      question: { content: 'colour?', generation: 5 },
    });
  });
});

describe('#grant tools of a task after a restart', () => {
  const known = makePeer(alice.agent_id, { contentTypes: ['task.v1'] });
  const granted = { ct: ['toolcall.v1'], tools: ['sys.ping'], notAfterMs: 5_000 };
  const { signal } = new AbortController();

  /** The tools of a kept task, and a clock to move. */
  const kept = async (context: Partial<RequestContext>) => {
    const clock = { now: 0 };
    const { engine } = testEngine(async () => undefined);
    await answersOf(createTaskHandler({ engine }), payloadWith('t'), contextWith(context));
    const task = (await engine.get({ tenant: '', owner: alice.agent_id }, 't'))!;
    const later = createLaterTools({
      tools: new ToolRegistry(),
      agentId: bob.agent_id,
      peerOf: (agentId) => (agentId === alice.agent_id ? known : undefined),
      now: () => clock.now,
    });
    return { task, later, clock };
  };

  test('are those that its owner may call now, with what its grant allowed', async () => {
    const without = await kept({ peer: known });
    expect(without.later(without.task).list()).toEqual([]);
    const { task, later } = await kept({ peer: known, granted });
    expect(later(task).list()).toEqual(['sys.ping']);
    expect(later({ ...task, owner: 'did:key:gone' }).list()).toEqual([]);
    expect(await later(task).call('sys.ping', { n: 1 }, signal)).toMatchObject({ pong: true });
  });

  test('end with the grant, also those that the task had in its hands', async () => {
    const { task, later, clock } = await kept({ peer: known, granted });
    const box = later(task);
    clock.now = granted.notAfterMs;
    expect(box.list()).toEqual(['sys.ping']);
    clock.now += 1;
    expect([box, later(task)].map((each) => each.list())).toEqual([[], []]);
    await expect(box.call('sys.ping', {}, signal)).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  });

  test('are none of a grant that was kept without its end', async () => {
    const { task, later } = await kept({ peer: known });
    const grant = { ct: granted.ct, tools: granted.tools };
    expect(later({ ...task, metadata: { grant } }).list()).toEqual([]);
  });
});
