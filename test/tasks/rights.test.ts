// Proves that a task goes on only while it may: asked before each attempt, for a reply, by recovery, and at once when
// something was taken away.

import { expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { TaskError } from '../../src/tasks/error.ts';
import { alice } from '../support/wire/envelopes.ts';
import { Gate, finished, said, start, testEngine } from '../support/agents/tasks.ts';

const ME = { owner: alice.agent_id };

test('#grant what is at work, waits or stands in the queue ends when it may not go on any more', async () => {
  let isAllowed = true;
  const begun: string[] = [];
  const { engine } = testEngine(
    async ({ id }, ctx) => {
      begun.push(id);
      if (id === 'asks') await ctx.ask('?');
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    },
    { maxConcurrent: 2, isAllowed: () => isAllowed },
  );
  for (const id of ['asks', 'works']) await start(engine, { id });
  for await (const { task } of engine.follow(ME, 'asks', undefined)) {
    if (task.status.state === 'input-required') break;
  }
  for (const id of ['also', 'queued']) await start(engine, { id });
  isAllowed = false;
  await engine.endDisallowed();
  for (const id of ['asks', 'works', 'also', 'queued']) {
    expect((await engine.get(ME, id))?.status.state).toBe('canceled');
  }
  expect(begun).not.toContain('queued');
});

test('#grant no attempt begins, from the queue, after an error or at a start, that may not', async () => {
  let allowed = new Set<string>();
  const gate = new Gate();
  const begun: string[] = [];
  const { engine, time } = testEngine(
    async ({ id, attempt }) => {
      begun.push(`${id} ${attempt}`);
      if (id === 'first') await gate.opened;
      throw new TaskError('again', { retryable: true });
    },
    { maxConcurrent: 1, isAllowed: ({ authority }) => allowed.has(authority.caller!) },
  );
  allowed = new Set(['first', 'second']);
  const by = (id: string) => start(engine, { id, authority: { scheme: 'jwt', caller: id } });
  const [first, second, never] = [await by('first'), await by('second'), await by('never')];
  allowed = new Set(['first']);
  gate.open();
  for (const started of [second, never]) {
    expect((await finished(engine, started)).task.status.state).toBe('canceled');
  }
  allowed = new Set();
  time.pass(1_000);
  expect((await finished(engine, first)).task.status.state).toBe('canceled');
  expect(begun).toEqual(['first 1']);
});

test('#grant recovery and a reply cancel instead of running', async () => {
  const store = createMemoryStore({ now: () => 1_000_000 });
  const options = { store, node: 'n', isNodeExclusive: true };
  const before = testEngine(async ({ id }, ctx) => {
    if (id === 'asks') await ctx.ask('?');
    await new Promise(() => undefined);
  }, options);
  for (const id of ['works', 'asks']) await start(before.engine, { id });
  for await (const { task } of before.engine.follow(ME, 'asks', undefined)) {
    if (task.status.state === 'input-required') break;
  }
  const { engine } = testEngine(() => Promise.reject(new Error('never')), {
    ...options,
    isAllowed: ({ owner }) => owner !== alice.agent_id,
  });
  await expect(engine.message(ME, 'asks', said('yes'))).rejects.toThrow('TASK_ENDED');
  await engine.open();
  for (const id of ['works', 'asks']) {
    expect((await engine.get(ME, id))?.status.state).toBe('canceled');
  }
});
