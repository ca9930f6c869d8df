// Proves that the engine runs each task once, records what happens, and ends it whatever its author does.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { SdlError } from '../../src/errors.ts';
import type { Artifact } from '../../src/tasks/artifact.ts';
import { TaskError } from '../../src/tasks/error.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { alice, bob } from '../support/wire/envelopes.ts';
import {
  Gate,
  eventsOf,
  finished,
  namesOf,
  outputOf,
  start,
  testEngine,
} from '../support/agents/tasks.ts';

async function outcomeOf(onTask: OnTask) {
  const { engine, errors } = testEngine(onTask);
  const { task, events } = await finished(engine, await start(engine));
  return { task, names: namesOf(events), errors };
}

describe('#exchange what an author reports', () => {
  test('an async generator yields its reports', async () => {
    const { task, names } = await outcomeOf(async function* (_task, ctx) {
      yield ctx.progress('reading');
      yield ctx.artifact({ name: 'answer', text: '42' });
    });
    expect(names).toEqual(['submitted', 'working', 'reading', 'answer', 'completed']);
    expect(task).toMatchObject({
      status: { state: 'completed' },
      generation: 5,
      artifacts: [{ id: 'answer', name: 'answer', text: '42' }],
    });
  });

  test('an async function calls them', async () => {
    const { names } = await outcomeOf(async (_task, ctx) => {
      void ctx.progress({ message: 'half', fraction: 0.5 });
      await Promise.resolve();
      void ctx.artifact({ name: 'bytes', bytes: new Uint8Array([1]) });
    });
    expect(names).toEqual(['submitted', 'working', 'half', 'bytes', 'completed']);
  });

  test.each<[string, JsonValue, Partial<Artifact>]>([
    ['text', 'done', { parts: [{ text: 'done' }] }],
    ['an object', { sum: 6 }, { data: { sum: 6 } }],
    ['null', null, { parts: [{ data: null }] }],
    ['an exact number', new LosslessNumber('1.0'), { data: new LosslessNumber('1.0') }],
  ])('what is returned, %s, is an artifact named result', async (_kind, result, wanted) => {
    const { task } = await outcomeOf(async () => result);
    expect(task.artifacts).toMatchObject([{ name: 'result', ...wanted }]);
  });

  test('what a generator returns is an artifact too', async () => {
    const { names } = await outcomeOf(async function* (_task, ctx) {
      yield ctx.progress('thinking');
      return 'done';
    });
    expect(names).toEqual(['submitted', 'working', 'thinking', 'result', 'completed']);
  });

  test('what a generator yields is an artifact as well, in its place; what ctx returned is not', async () => {
    const { task, names } = await outcomeOf(async function* (_task, ctx) {
      yield 'one';
      yield ctx.progress('thinking');
      yield { two: 2 };
      yield undefined;
      return 'three';
    });
    expect(names).toEqual([
      'submitted',
      'working',
      'result',
      'thinking',
      'result',
      'result',
      'completed',
    ]);
    expect(task.artifacts).toMatchObject([
      { id: 'result', text: 'one' },
      { id: 'result-2', data: { two: 2 } },
      { id: 'result-3', text: 'three' },
    ]);
  });

  test('several texts are one artifact that grows; JSON between them begins another', async () => {
    const { task, names } = await outcomeOf(async function* (_task, ctx) {
      yield 'one ';
      yield ctx.progress('thinking');
      yield 'two ';
      yield ctx.artifact({ name: 'other', text: 'x' });
      yield 'three';
      yield { n: 4 };
      yield 'five ';
      yield ctx.artifact({ name: 'result', text: 'six', last: true });
      yield 'seven';
      return ' eight';
    });
    expect(names.filter((name) => name === 'result')).toHaveLength(8);
    expect(task.artifacts.map(({ name }, at) => [name, outputOf(task)[at]])).toEqual([
      ['result', 'one two three'],
      ['other', 'x'],
      ['result', '{"n":4}'],
      ['result', 'five '],
      ['result', 'six'],
      ['result', 'seven eight'],
    ]);
  });

  test('what is yielded and cannot be output is thrown where it was yielded', async () => {
    const seen: string[] = [];
    const { task, errors } = await outcomeOf(async function* () {
      try {
        yield (() => 'no JSON') as unknown as JsonValue;
      } catch (thrown) {
        seen.push((thrown as Error).name);
        throw thrown;
      } finally {
        seen.push('closed');
      }
    });
    expect(seen).toEqual(['TaskError', 'closed']);
    expect(task.status.state).toBe('failed');
    expect(errors).toEqual([]);
  });

  test('returning a report does not report it again', async () => {
    const { task } = await outcomeOf(async (_task, ctx) => ctx.artifact({ name: 'a', text: 'x' }));
    expect(task.artifacts.map(({ name }) => name)).toEqual(['a']);
  });

  test('text that continues an artifact becomes part of it', async () => {
    const { task, names } = await outcomeOf(async (_task, ctx) => {
      for (const text of ['one ', 'two ', 'three'])
        void ctx.artifact({ name: 'log', text, append: true });
      void ctx.artifact({ name: 'log', text: 'another' });
    });
    expect(outputOf(task)).toEqual(['one two three', 'another']);
    expect(names.filter((name) => name === 'log')).toHaveLength(4);
  });

  test('the author gets the task, its deadline and no tools unless some are given', async () => {
    let seen: unknown;
    const { engine } = testEngine(
      async (task, ctx) => {
        seen = [task.text, task.owner, task.status.state, ctx.deadline, ctx.tools.list()];
        await ctx.tools.call('sys.ping', {});
      },
      { maxRunMs: 5_000 },
    );
    const { task } = await finished(engine, await start(engine));
    expect(seen).toEqual(['Do it', alice.agent_id, 'working', 1_005_000, []]);
    expect(task.status.failure).toEqual({
      code: 'TASK_FAILED',
      message: 'this agent has no tools',
      retryable: false,
    });
  });

  test('tools are called with the signal of the task', async () => {
    const calls: unknown[] = [];
    const { engine } = testEngine(async (_task, ctx) => ctx.tools.call('t', { a: 1 }), {
      toolsFor: () => ({
        has: (name) => name === 't',
        list: () => ['t'],
        call: async (name, args, signal) => {
          calls.push([name, args, signal.aborted]);
          return 7;
        },
      }),
    });
    const { task } = await finished(engine, await start(engine));
    expect(calls).toEqual([['t', { a: 1 }, false]]);
    expect(task.artifacts[0]?.data).toBe(7);
  });
});

describe('#task-ids one task an id', () => {
  test('an equal task of the same owner and id joins the first', async () => {
    let runs = 0;
    const gate = new Gate();
    const { engine } = testEngine(async () => {
      runs += 1;
      await gate.opened;
    });
    const first = await start(engine, { id: 'same' });
    const second = await start(engine, { id: 'same', authority: { scheme: 'other' } });
    gate.open();
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect(await eventsOf(engine, second.task)).toEqual(await eventsOf(engine, first.task));
    expect((await start(engine, { id: 'same' })).isNew).toBe(false);
    expect(runs).toBe(1);
  });

  test('a different task of the same owner and id is refused, also after the end', async () => {
    const { engine } = testEngine(async () => undefined);
    await finished(engine, await start(engine, { id: 'same' }));
    await expect(start(engine, { id: 'same', text: 'Other' })).rejects.toMatchObject({
      code: 'TASK_CONFLICT',
      details: {},
    });
  });

  test('another owner has a task of its own under the same id, and sees nothing of the first', async () => {
    const { engine } = testEngine(async (task) => task.owner);
    const first = await finished(engine, await start(engine, { id: 'same' }));
    const owner = bob.agent_id;
    expect(await engine.get({ owner }, 'same')).toBeUndefined();
    expect(await engine.cancel({ owner }, 'same')).toBeUndefined();
    await expect(eventsOf(engine, { owner, tenant: '', id: 'same' })).rejects.toThrow(
      'TASK_UNKNOWN',
    );
    const other = await start(engine, { owner, id: 'same', text: 'Other' });
    expect(other.isNew).toBe(true);
    expect((await finished(engine, other)).task.artifacts[0]?.text).toBe(owner);
    expect(await engine.get({ owner: alice.agent_id }, 'same')).toEqual(first.task);
  });

  test('a task without an id gets one', async () => {
    const { engine } = testEngine(async () => undefined);
    const ids = [(await start(engine)).task.id, (await start(engine)).task.id];
    expect(ids).toEqual(['task-1', 'task-2']);
    const real = testEngine(async () => undefined, { newId: undefined as never });
    expect((await start(real.engine)).task.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describe('#task-answer the end of a task', () => {
  test('an error that the author meant is told, in its words and with its code', async () => {
    const { task, errors } = await outcomeOf(async () => {
      throw new TaskError('the file is empty\uD800', { code: 'EMPTY', cause: new Error('secret') });
    });
    expect(task.status).toMatchObject({
      state: 'failed',
      failure: { code: 'EMPTY', message: 'the file is empty\uFFFD' },
    });
    expect(errors).toEqual([]);
  });

  test('an error that the author did not mean is told in fixed words, and goes to the log', async () => {
    const accident = new Error('password=hunter2');
    const { task, errors } = await outcomeOf(() => {
      throw accident;
    });
    expect(task.status.failure).toEqual({
      code: 'INTERNAL',
      retryable: false,
      message: 'the agent failed in a way that it did not expect',
    });
    expect(errors).toEqual([accident]);
  });

  test('an error of ours is told by its code and the words of the table', async () => {
    const { task } = await outcomeOf(async () => {
      throw new SdlError('LIMIT_RATE', 'inner detail');
    });
    expect(task.status.failure).toEqual({
      code: 'LIMIT_RATE',
      retryable: true,
      message: 'too many requests; try again later',
    });
  });

  test('wrong use of a report fails the task and goes to the log', async () => {
    const { task, errors } = await outcomeOf(async (_task, ctx) => {
      void ctx.artifact({ name: 'a', text: 'x', json: 1 });
    });
    expect(task.status.failure?.code).toBe('INTERNAL');
    const message = '"artifact" expected one of text, json, bytes, url and parts';
    expect(errors).toMatchObject([{ message }]);
  });

  test('a log that fails does not take the task with it', async () => {
    const { engine } = testEngine(
      async () => {
        throw new Error('accident');
      },
      {
        onError: () => {
          throw new Error('disk full');
        },
      },
    );
    expect((await finished(engine, await start(engine))).task.status.state).toBe('failed');
  });

  test('canceling ends the task at once, aborts its work and keeps what it had', async () => {
    const gate = new Gate();
    let aborted: unknown;
    const { engine, errors } = testEngine(async (_task, ctx) => {
      void ctx.artifact({ name: 'part', text: 'x' });
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      aborted = ctx.signal.reason;
      expect(await ctx.progress('too late')).toBeUndefined();
      gate.open();
      throw new Error('torn down');
    });
    const started = await start(engine, { id: 'c' });
    const canceled = await engine.cancel({ owner: alice.agent_id }, 'c');
    await gate.opened;
    await engine.close();
    const { task, events } = await finished(engine, started);
    expect(canceled).toEqual({ task, hasEnded: false });
    expect(task).toMatchObject({ status: { state: 'canceled' }, artifacts: [{ name: 'part' }] });
    expect(task.status.failure).toBeUndefined();
    expect(namesOf(events)).toEqual(['submitted', 'working', 'part', 'canceled']);
    expect(aborted).toMatchObject({ message: 'the task is canceled' });
    expect(errors).toEqual([]);
  });

  test('canceling a task that has ended changes nothing', async () => {
    const { engine } = testEngine(async () => 'x');
    const { task } = await finished(engine, await start(engine, { id: 'c' }));
    const canceled = await engine.cancel({ owner: alice.agent_id }, 'c');
    expect(canceled).toEqual({ task, hasEnded: true });
  });

  test('a generator that does not look at the signal is ended at its next yield', async () => {
    const gate = new Gate();
    let cleaned = false;
    const { engine } = testEngine(async function* (_task, ctx) {
      try {
        await gate.opened;
        for (;;) yield ctx.progress('on and on');
      } finally {
        cleaned = true;
      }
    });
    await start(engine, { id: 'g' });
    await engine.cancel({ owner: alice.agent_id }, 'g');
    gate.open();
    await engine.close();
    expect(cleaned).toBe(true);
  });

  test('a task that runs too long fails and is told to stop', async () => {
    const { engine, time } = testEngine(
      async (_task, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { maxRunMs: 1_000 },
    );
    const started = await start(engine);
    time.pass(999);
    expect((await engine.get({ owner: alice.agent_id }, started.task.id))?.status.state).toBe(
      'working',
    );
    time.pass(1);
    const { task } = await finished(engine, started);
    expect(task.status).toMatchObject({
      state: 'failed',
      failure: { code: 'DEADLINE', message: 'the task ran longer than 1000 ms' },
    });
  });

  test('closing lets work go on for the grace, then cancels it, and takes nothing new', async () => {
    const gate = new Gate();
    const { engine, time } = testEngine(async (task, { signal }) => {
      if (task.id === 'quick') return gate.opened;
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    const quick = await start(engine, { id: 'quick' });
    const slow = await start(engine, { id: 'slow' });
    const closing = engine.close(2_000);
    await expect(start(engine, { id: 'new' })).rejects.toThrow('DRAINING');
    expect((await start(engine, { id: 'slow' })).isNew).toBe(false);
    gate.open();
    expect((await finished(engine, quick)).task.status.state).toBe('completed');
    time.pass(2_000);
    await closing;
    expect((await finished(engine, slow)).task.status.state).toBe('canceled');
    expect(time.waiting).toBe(0);
  });

  test('closing does not wait for ever for work that ignores its signal', async () => {
    const { engine, time } = testEngine(() => new Promise(() => undefined), { stopGraceMs: 500 });
    const started = await start(engine);
    const closing = engine.close();
    expect((await finished(engine, started)).task.status.state).toBe('canceled');
    time.pass(500);
    await closing;
  });
});
