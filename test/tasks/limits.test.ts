// Proves that tasks cost a bounded amount, that no owner uses up the room of another, and that ended tasks go.

import { describe, expect, test } from 'vitest';
import { TaskError } from '../../src/tasks/error.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../src/tasks/engine/contract.ts';
import type { StartedTask } from '../../src/tasks/request.ts';
import type { TaskEngineOptions } from '../../src/tasks/engine/options.ts';
import { alice } from '../support/wire/envelopes.ts';
import { Gate, eventsOf, finished, namesOf, start, testEngine } from '../support/agents/tasks.ts';
import type { TestEngine } from '../support/agents/tasks.ts';

/** Tasks that run until the test lets each of them end. */
function gated(options: Partial<TaskEngineOptions> = {}): TestEngine & {
  readonly running: Map<string, Gate>;
} {
  const running = new Map<string, Gate>();
  const made = testEngine(async ({ id }) => {
    const gate = new Gate();
    running.set(id, gate);
    await gate.opened;
    running.delete(id);
  }, options);
  return { ...made, running };
}

async function untilWorking(
  engine: TaskEngine,
  { task: { owner, id } }: StartedTask,
): Promise<void> {
  for await (const { task } of engine.follow({ owner }, id, undefined)) {
    if (task.status.state === 'working') return;
  }
  throw new Error('it never began');
}

describe('#admit tasks at once', () => {
  test('a task beyond the limit waits as submitted and can be canceled there', async () => {
    const { engine, running } = gated({ maxConcurrent: 1 });
    const first = await start(engine, { id: 'a' });
    const second = await start(engine, { id: 'b' });
    const third = await start(engine, { id: 'c' });
    expect([...running.keys()]).toEqual(['a']);
    expect(second.task.status.state).toBe('submitted');
    const canceled = await engine.cancel({ owner: alice.agent_id }, 'b');
    expect(canceled?.task.status.state).toBe('canceled');
    running.get('a')!.open();
    await finished(engine, first);
    await untilWorking(engine, third);
    expect([...running.keys()]).toEqual(['c']);
    expect(namesOf((await finished(engine, second)).events)).toEqual(['submitted', 'canceled']);
  });

  test('one owner gets only its share, and a newcomer goes before those that have some running', async () => {
    const { engine, running } = gated({ maxConcurrent: 3, maxConcurrentPerOwner: 2 });
    for (const id of ['a1', 'a2', 'a3']) await start(engine, { owner: 'a', id });
    expect([...running.keys()]).toEqual(['a1', 'a2']);
    await start(engine, { owner: 'b', id: 'b1' });
    const waiting = await start(engine, { owner: 'c', id: 'c1' });
    expect([...running.keys()]).toEqual(['a1', 'a2', 'b1']);
    running.get('a1')!.open();
    await untilWorking(engine, waiting);
    expect([...running.keys()]).toEqual(['a2', 'b1', 'c1']);
  });

  test('a canceled task keeps its place until its work has really stopped', async () => {
    const { engine, running } = gated({ maxConcurrent: 1 });
    await start(engine, { id: 'a' });
    const next = await start(engine, { id: 'b' });
    await engine.cancel({ owner: alice.agent_id }, 'a');
    expect((await engine.get({ owner: alice.agent_id }, 'b'))?.status.state).toBe('submitted');
    running.get('a')!.open();
    await untilWorking(engine, next);
    expect([...running.keys()]).toEqual(['b']);
  });
});

describe('#admit tasks that are held', () => {
  test('an ended task can be asked for until its time is over', async () => {
    const { engine, time } = testEngine(async () => 'x', { retentionMs: 1_000 });
    await finished(engine, await start(engine, { id: 'a' }));
    time.pass(999);
    expect((await engine.get({ owner: alice.agent_id }, 'a'))?.status.state).toBe('completed');
    time.pass(1);
    expect(await engine.get({ owner: alice.agent_id }, 'a')).toBeUndefined();
    expect((await start(engine, { id: 'a' })).isNew).toBe(true);
  });

  test('a running task is held however long it runs', async () => {
    const { engine, time } = gated({ retentionMs: 1, maxRunMs: 10_000_000 });
    await start(engine, { id: 'a' });
    time.pass(1_000_000);
    expect((await engine.get({ owner: alice.agent_id }, 'a'))?.status.state).toBe('working');
  });

  test('what follows a task goes on when the engine no longer holds it', async () => {
    const { engine } = testEngine(async () => 'x', { retentionMs: 0 });
    const started = await start(engine, { id: 'a' });
    const events = await eventsOf(engine, started.task);
    expect(await engine.get({ owner: alice.agent_id }, 'a')).toBeUndefined();
    expect(namesOf(events)).toEqual(['submitted', 'working', 'result', 'completed']);
  });

  test('an owner with too many tasks loses its oldest ended one, and is refused when all are running', async () => {
    const { engine, running } = gated({ maxTasksPerOwner: 2 });
    const first = await start(engine, { owner: 'o', id: 'a' });
    await start(engine, { owner: 'o', id: 'b' });
    await expect(start(engine, { owner: 'o', id: 'c' })).rejects.toMatchObject({
      code: 'LIMIT_RATE',
    });
    await start(engine, { owner: 'other', id: 'c' });
    running.get('a')!.open();
    await finished(engine, first);
    await start(engine, { owner: 'o', id: 'c' });
    expect(await engine.get({ owner: 'o' }, 'a')).toBeUndefined();
    expect((await engine.get({ owner: 'o' }, 'b'))?.status.state).toBe('working');
  });

  test('A4 when all room is taken only own ended tasks make place, never those of others', async () => {
    const { engine } = testEngine(async () => undefined, { maxTasks: 3 });
    for (const [owner, id] of [
      ['x', 'x1'],
      ['o', 'o1'],
      ['o', 'o2'],
    ] as const) {
      await finished(engine, await start(engine, { owner, id }));
    }
    await finished(engine, await start(engine, { owner: 'o', id: 'o3' }));
    expect(await engine.get({ owner: 'o' }, 'o1')).toBeUndefined();
    expect(await engine.get({ owner: 'x' }, 'x1')).toBeDefined();
    await expect(start(engine, { owner: 'new', id: 'n' })).rejects.toThrow('LIMIT_RATE');
    expect(await engine.get({ owner: 'x' }, 'x1')).toBeDefined();
  });

  test('requests and output are counted in bytes, and ended tasks make room for both', async () => {
    const text = 'x'.repeat(6_000);
    const { engine, running } = gated({ maxHeldBytes: 50_000, maxHeldBytesPerOwner: 10_000 });
    const first = await start(engine, { id: 'a', text });
    await expect(start(engine, { id: 'b', text })).rejects.toThrow('too many bytes');
    running.get('a')!.open();
    await finished(engine, first);
    await start(engine, { id: 'b', text });
    expect(await engine.get({ owner: alice.agent_id }, 'a')).toBeUndefined();
  });

  test('output that finds no room fails its task, not those that run beside it', async () => {
    const told = new Gate();
    const { engine } = testEngine(
      async ({ id }, ctx) => {
        if (id === 'beside') await told.opened;
        else void ctx.artifact({ name: 'big', text: 'x'.repeat(9_900) });
      },
      { maxHeldBytes: 20_000, maxHeldBytesPerOwner: 10_000 },
    );
    const beside = await start(engine, { id: 'beside', owner: 'other' });
    const { task } = await finished(engine, await start(engine));
    expect(task.status.failure).toEqual({
      code: 'OUTPUT_TOO_LARGE',
      retryable: false,
      message: 'the agent holds too much output',
    });
    told.open();
    expect((await finished(engine, beside)).task.status.state).toBe('completed');
  });
});

describe('#exchange how much a task may say', () => {
  test('more output than fits into one answer fails the task', async () => {
    let pieces = 0;
    const { engine } = testEngine(
      async (_task, ctx) => {
        for (;;) {
          void ctx.artifact({ name: 'log', text: '"'.repeat(1_000), append: true });
          pieces += 1;
        }
      },
      { maxOutputBytes: 20_000 },
    );
    const { task } = await finished(engine, await start(engine));
    expect(task.status.failure).toEqual({
      code: 'OUTPUT_TOO_LARGE',
      retryable: false,
      message: 'the output is larger than 20000 bytes',
    });
    // Each quote takes two bytes on the wire.
    expect(pieces).toBe(8);
  });

  test('progress that comes too often is not recorded, and output still is', async () => {
    const { engine } = testEngine(
      async (_task, ctx) => {
        for (let step = 0; step < 1_000; step += 1) void ctx.progress(`${step}`);
        void ctx.artifact({ name: 'answer', text: '42' });
      },
      { maxEvents: 20 },
    );
    const { task, events } = await finished(engine, await start(engine));
    expect(task.status.state).toBe('completed');
    expect(namesOf(events).slice(-3)).toEqual(['9', 'answer', 'completed']);
    expect(events.at(-1)?.generation).toBe(14);
  });

  test('output in too many pieces fails the task', async () => {
    const { engine } = testEngine(
      async (_task, ctx) => {
        for (;;) void ctx.artifact({ name: 'log', text: 'x', append: true });
      },
      { maxEvents: 20 },
    );
    const { task } = await finished(engine, await start(engine));
    expect(task.status.failure?.message).toBe('the output comes in more than 20 pieces');
  });

  test('output that comes faster than it is stored fails the task; progress is left out', async () => {
    const { engine } = testEngine(
      async ({ id }, ctx) => {
        for (let step = 0; step < 10; step += 1) {
          if (id === 'output') void ctx.artifact({ name: 'log', text: 'x', append: true });
          else void ctx.progress(`${step}`);
        }
      },
      { maxPendingReports: 5 },
    );
    const { task } = await finished(engine, await start(engine, { id: 'output' }));
    expect(task.status.failure?.code).toBe('OUTPUT_TOO_FAST');
    const { events } = await finished(engine, await start(engine, { id: 'progress' }));
    expect(namesOf(events)).toEqual(['submitted', 'working', '0', '1', '2', '3', '4', 'completed']);
  });

  test('a checkpoint is bounded by its bytes alone', async () => {
    const restored: unknown[] = [];
    const value = Array.from({ length: 20_000 }, () => 0);
    const { engine, time } = testEngine(
      async ({ id }, ctx) => {
        if (id === 'large') return ctx.checkpoint('x'.repeat(50_000));
        if (ctx.attempt > 1) restored.push(ctx.restored);
        await ctx.checkpoint(value);
        if (ctx.attempt === 1) throw new TaskError('again', { retryable: true });
        return undefined;
      },
      { maxCheckpointBytes: 45_000 },
    );
    const large = await finished(engine, await start(engine, { id: 'large' }));
    expect(large.task.status.failure?.code).toBe('CHECKPOINT_TOO_LARGE');
    const started = await start(engine, { id: 'kept' });
    const timers = time.waiting;
    while (time.waiting === timers) await new Promise((resolve) => setImmediate(resolve));
    time.pass(1_000);
    await finished(engine, started);
    expect(restored).toEqual([value]);
  });

  test('a question is bounded as output is, and finds room or fails the task', async () => {
    const { engine } = testEngine(
      async ({ id }, ctx) => ctx.ask('x'.repeat(id === 'large' ? 20_000 : 9_900)),
      { maxOutputBytes: 20_000, maxHeldBytes: 50_000, maxHeldBytesPerOwner: 10_000 },
    );
    const large = await finished(engine, await start(engine, { id: 'large' }));
    expect(large.task.status.failure).toEqual({
      code: 'QUESTION_TOO_LARGE',
      retryable: false,
      message: 'the question is larger than 20000 bytes',
    });
    const { task } = await finished(engine, await start(engine, { id: 'no room' }));
    expect(task.status.failure?.message).toBe('the agent holds too much output');
  });

  test('long words are cut, and half characters replaced', async () => {
    const { engine } = testEngine(async (_task, ctx) => {
      void ctx.progress(`\uD800${'x'.repeat(5_000)}`);
    });
    const { events } = await finished(engine, await start(engine));
    expect(namesOf(events)[2]).toBe(`\uFFFD${'x'.repeat(998)}…`);
  });
});

describe('options of the engine', () => {
  const onTask = async (): Promise<void> => undefined;

  test.each(['maxConcurrent', 'maxTasks', 'maxEvents', 'maxRunMs'] as const)(
    '%s must be at least 1',
    (name) => {
      expect(() => createTaskEngine({ onTask, [name]: 0 })).toThrow(`"${name}" expected`);
    },
  );

  test('a duration must be a whole number, and onTask a function', () => {
    expect(() => createTaskEngine({ onTask, retentionMs: 0.5 })).toThrow('"retentionMs" expected');
    expect(() => createTaskEngine({ onTask: undefined as never })).toThrow('"onTask" expected');
  });
});
