// Proves that canceling really ends the work, once, whoever else wants to end it at that moment.

import { describe, expect, test } from 'vitest';

import type { OnTask } from '../../../src/tasks/context.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { at, framesOf, textAt } from '../../support/a2a/ask.ts';
import type { Cell } from '../../support/a2a/cells.ts';
import { CELLS } from '../../support/a2a/cells.ts';

const RACES = 100;

/** Work that ends when its signal fires or when it is told to, with how often each happened. */
function workshop(): {
  readonly onTask: OnTask;
  readonly aborted: string[];
  readonly end: (id: string) => void;
} {
  const aborted: string[] = [];
  const ends = new Map<string, () => void>();
  const onTask: OnTask = async ({ id }, ctx) => {
    await new Promise<void>((resolve) => {
      ends.set(id, resolve);
      ctx.signal.addEventListener('abort', () => {
        aborted.push(id);
        resolve();
      });
    });
    return 'made in time';
  };
  return { onTask, aborted, end: (id) => ends.get(id)?.() };
}

async function begun(cell: Cell, agent: TestAgent): Promise<string> {
  const frames = framesOf(await cell.fetch(agent, 'stream', { text: 'work' }));
  let id = '';
  for await (const frame of frames) {
    id ||= textAt(cell.inFrame(frame, 'task'), 'id');
    if (JSON.stringify(frame).includes(cell.stateOf('working'))) break;
  }
  return id;
}

function stateIn(cell: Cell, answer: Answer): Json | undefined {
  return at(cell.resultOf(answer), 'status.state');
}

describe.each(CELLS)('$name #a2a-semantics', (cell) => {
  test('cancel fires the signal of the work, ends its streams, and says the same when it is asked again', async () => {
    const { onTask, aborted } = workshop();
    const agent = await agentFor({ runtime: { onTask } });
    const id = await begun(cell, agent);
    const stream = framesOf(await cell.fetch(agent, 'subscribe', { id }));
    await stream.next();
    expect(stateIn(cell, await cell.ask(agent, 'cancel', { id }))).toBe(cell.stateOf('canceled'));
    await expect.poll(() => aborted).toEqual([id]);
    const told: Json[] = [];
    for await (const { data } of stream) told.push(data);
    expect(JSON.stringify(told.at(-1))).toContain(cell.stateOf('canceled'));
    const once = await cell.ask(agent, 'cancel', { id });
    const twice = await cell.ask(agent, 'cancel', { id });
    expect(stateIn(cell, once)).toBe(cell.stateOf('canceled'));
    expect(twice.text).toBe(once.text);
    // What the work said after it was told to stop counts for nothing.
    const task = cell.resultOf(await cell.ask(agent, 'get', { id }));
    expect(JSON.stringify(task)).not.toContain('made in time');
    expect(aborted).toEqual([id]);
  });

  test('many at once are one, and a task that has ended otherwise cannot be canceled', async () => {
    const { onTask, aborted, end } = workshop();
    const agent = await agentFor({ runtime: { onTask } });
    const id = await begun(cell, agent);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => cell.ask(agent, 'cancel', { id })),
    );
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    await expect.poll(() => aborted).toEqual([id]);
    const done = await begun(cell, agent);
    end(done);
    await expect
      .poll(async () => stateIn(cell, await cell.ask(agent, 'get', { id: done })))
      .toBe(cell.stateOf('completed'));
    const late = await cell.ask(agent, 'cancel', { id: done });
    expect(cell.reasonOf(late)).toBe('TASK_NOT_CANCELABLE');
  });
});

test('cancel against completion: one of them counts, and everybody is told the same #a2a-semantics', async () => {
  const { onTask, end } = workshop();
  const agent = await agentFor({ runtime: { onTask } });
  const ends = new Map<string, number>();
  for (let race = 0; race < RACES; race += 1) {
    const cell = CELLS[race % CELLS.length]!;
    const id = await begun(cell, agent);
    const stream = framesOf(await cell.fetch(agent, 'subscribe', { id }));
    await stream.next();
    // The end comes first, a little later each time, and last of all.
    const turns = race % 20;
    if (turns === 0) end(id);
    const canceling = cell.ask(agent, 'cancel', { id });
    if (turns === 19) await canceling;
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    end(id);
    const canceled = await canceling;
    let last = '';
    for await (const { data } of stream) last = JSON.stringify(data);
    const state = stateIn(cell, await cell.ask(agent, 'get', { id })) as string;
    expect([cell.stateOf('canceled'), cell.stateOf('completed')]).toContain(state);
    expect(last).toContain(state);
    const wasCanceled = state === cell.stateOf('canceled');
    expect(stateIn(cell, canceled) === state).toBe(wasCanceled);
    if (!wasCanceled) expect(cell.reasonOf(canceled)).toBe('TASK_NOT_CANCELABLE');
    ends.set(String(wasCanceled), (ends.get(String(wasCanceled)) ?? 0) + 1);
  }
  // Both have happened, or nothing was raced.
  expect([...ends.keys()].sort()).toEqual(['false', 'true']);
});
