// Cases 1 to 14: the life of a task, from what is asked to its only end.

import { expect } from 'vitest';

import { TaskError } from '../../../src/tasks/error.ts';
import { asOperator } from '../../support/dialect/agent.ts';
import type { Caller, Told } from '../../support/dialect/caller.ts';
import { outputOf, textOf } from '../../support/dialect/caller.ts';
import { aborted, doing, newGate } from '../../support/dialect/works.ts';
import type { Bench, Case } from './case.ts';
import { allOf, ended, reached, refusalOf } from './case.ts';

export const LIFECYCLE: readonly Case[] = [
  {
    number: 1,
    title: 'a task is completed with its output',
    run: async ({ caller }) => {
      const view = await (await caller()).run(doing(async () => 'done'));
      expect(view).toMatchObject({ state: 'completed' });
      expect(outputOf(view)).toBe('done');
    },
  },
  {
    number: 2,
    title: 'a task fails with its code and its safe words',
    run: async ({ caller }) => {
      const text = doing(async () => {
        throw new TaskError('there is no paper', { code: 'NO_PAPER' });
      });
      expect(await (await caller()).run(text)).toMatchObject({
        state: 'failed',
        failure: { code: 'NO_PAPER', message: 'there is no paper' },
      });
    },
  },
  {
    number: 3,
    title: 'a task is rejected by its author',
    run: async ({ caller }) => {
      const text = doing(async () => {
        throw new TaskError('not on Sundays', { code: 'SUNDAY', rejects: true });
      });
      expect(await (await caller()).run(text)).toMatchObject({
        state: 'rejected',
        failure: { code: 'SUNDAY', message: 'not on Sundays' },
      });
    },
  },
  {
    number: 4,
    title: 'a task asks, is told, and is completed',
    run: async (bench) => asks(bench, 'input', 'input-required'),
  },
  {
    number: 5,
    title: 'a task asks for leave, gets it, and is completed',
    run: async (bench) => asks(bench, 'auth', 'auth-required'),
  },
  {
    number: 6,
    title: 'two rounds of questions stand in the history in their order, each message once',
    run: async ({ caller }) => {
      const owner = await caller();
      const text = doing(async (_task, ctx) => {
        const first = await ctx.ask('which colour?');
        const second = await ctx.ask(`${first.text}: how dark?`);
        return `${first.text} ${second.text}`;
      });
      const { id } = await owner.run(text);
      await owner.say(id, 'blue');
      await reached(owner, id, 'input-required');
      await owner.say(id, 'very');
      const view = await ended(owner, id);
      expect(outputOf(view)).toBe('blue very');
      expect(view.history.map(({ role, parts }) => [role, textOf(parts)])).toEqual([
        ['user', text],
        ['agent', 'which colour?'],
        ['user', 'blue'],
        ['agent', 'blue: how dark?'],
        ['user', 'very'],
      ]);
      expect(new Set(view.history.map(({ id: of }) => of)).size).toBe(5);
    },
  },
  {
    number: 7,
    title: 'a message to a running task reaches its author',
    run: async ({ caller }) => {
      const owner = await caller();
      const text = doing(async (_task, ctx) => (await ctx.next()).text);
      const { id } = await owner.start(text);
      await reached(owner, id, 'working');
      await owner.say(id, 'one more thing');
      const view = await ended(owner, id);
      expect(outputOf(view)).toBe('one more thing');
      expect(view.history.map(({ parts }) => textOf(parts))).toEqual([text, 'one more thing']);
    },
  },
  {
    number: 8,
    title: 'a message to a task that has ended is refused, and changes nothing',
    run: async ({ face, caller }) => {
      const owner = await caller();
      const before = await owner.run(doing(async () => 'done'));
      const { code, retryable } = await refusalOf(owner.say(before.id, 'too late'));
      expect([code, retryable]).toEqual([face.codeOf('TASK_ENDED'), false]);
      expect(await owner.get(before.id)).toEqual(before);
    },
  },
  {
    number: 9,
    title: 'every operation on a task that is not there says so',
    run: async ({ face, caller }) => {
      const owner = await caller();
      const refusals = [
        await refusalOf(owner.get('nothing')),
        await refusalOf(owner.say('nothing', 'hello')),
        await refusalOf(allOf(owner.follow('nothing'))),
        await refusalOf(allOf(owner.follow('nothing', 0))),
        await refusalOf(owner.cancel('nothing')),
      ];
      expect(refusals.map(({ code }) => code)).toEqual(Array(5).fill(face.codeOf('TASK_UNKNOWN')));
    },
  },
  {
    number: 10,
    title: 'canceling ends the task at once and stops the work',
    run: async ({ caller }) => {
      const owner = await caller();
      const stopped = newGate();
      const text = doing(async (_task, ctx) => {
        await aborted(ctx.signal);
        stopped.open();
      });
      const { id } = await owner.start(text);
      await reached(owner, id, 'working');
      expect(await owner.cancel(id)).toMatchObject({ id, state: 'canceled' });
      await stopped.opened;
      expect(await owner.get(id)).toMatchObject({ state: 'canceled' });
    },
  },
  {
    number: 11,
    title: 'canceling a task that has ended is told as the face tells it, and changes nothing',
    run: async ({ face, caller }) => {
      const owner = await caller();
      const before = await owner.run(doing(async () => 'done'));
      if (face.cancelOfEnded === 'unchanged') {
        expect(await owner.cancel(before.id)).toEqual(before);
      } else {
        const { code } = await refusalOf(owner.cancel(before.id));
        expect(code).toBe(face.notCancelable ?? face.codeOf('TASK_ENDED'));
      }
      expect(await owner.get(before.id)).toEqual(before);
    },
  },
  {
    number: 12,
    title: 'cancel against completion: exactly one end, and all streams agree',
    run: async ({ agent, races, caller }) => {
      const owner = await caller();
      for (let race = 0; race < races; race += 1) {
        const gate = newGate();
        const { id } = await owner.start(doing(async () => gate.opened));
        const own = stepsIn(agent, owner, id);
        const streams = [allOf(owner.follow(id, 0)), own];
        if (race % 2 === 0) gate.open();
        const canceled = owner.cancel(id).catch(() => undefined);
        if (race % 2 === 1) gate.open();
        await canceled;
        const [told, inside] = await Promise.all(streams);
        const ends = told!.filter(({ state }) => state === 'canceled' || state === 'completed');
        expect([ends.length, ends[0]]).toEqual([1, told!.at(-1)]);
        expect(inside!.at(-1)).toMatchObject({
          state: ends[0]!.state,
          generation: ends[0]!.generation,
        });
      }
    },
  },
  {
    number: 13,
    title: 'a task that has not ended by its deadline fails, and its work is stopped',
    run: async ({ agent, caller }) => {
      const owner = await caller();
      const stops: ReturnType<typeof newGate>[] = [];
      // Where the machine is busy, its time may be over before the work has begun: then it is given more.
      for (let allowedMs = 300; stops.length === 0; allowedMs *= 2) {
        const text = doing(async (_task, ctx) => {
          const stopped = newGate();
          stops.push(stopped);
          await aborted(ctx.signal);
          stopped.open();
        });
        const view = await owner.run({ text, deadline: agent.shared.now() + allowedMs });
        expect(view).toMatchObject({ state: 'failed', failure: { code: 'DEADLINE' } });
      }
      await stops[0]!.opened;
    },
  },
  {
    number: 14,
    title:
      'who waits gets the rest, who does not the state of now, and time over the state reached',
    run: async ({ caller }) => {
      const owner = await caller();
      const gate = newGate();
      const text = doing(async () => {
        await gate.opened;
        return 'done';
      });
      const { id, state } = await owner.start({ text, id: 'waited-for' });
      expect(['submitted', 'working']).toContain(state);
      expect(await owner.run({ text: doing(async () => gate.opened) }, 50)).toMatchObject({
        state: 'working',
      });
      const whole = ended(owner, id);
      gate.open();
      expect(await whole).toMatchObject({ state: 'completed' });
      expect(await owner.run(doing(async (_task, ctx) => (await ctx.ask()).text))).toMatchObject({
        state: 'input-required',
      });
    },
  },
];

/** The same task as somebody in the same process sees it. */
async function stepsIn(
  { runtime }: Bench['agent'],
  { owner }: Caller,
  id: string,
): Promise<readonly Pick<Told, 'generation' | 'state'>[]> {
  const steps: Pick<Told, 'generation' | 'state'>[] = [];
  for await (const { task } of runtime.tasks.follow(asOperator(), id, 0, { owner })) {
    steps.push({ generation: task.generation, state: task.status.state });
  }
  return steps;
}

async function asks(
  { caller }: Bench,
  kind: 'input' | 'auth',
  state: 'input-required' | 'auth-required',
): Promise<void> {
  const owner = await caller();
  const text = doing(async (_task, ctx) => {
    const reply = await ctx.ask('what now?', { kind });
    return `told ${reply.text}`;
  });
  const waiting = await owner.run(text);
  expect(waiting).toMatchObject({ state, words: 'what now?' });
  const replied = await owner.say(waiting.id, 'go on');
  expect(replied.generation).toBeGreaterThan(waiting.generation);
  expect(outputOf(await ended(owner, waiting.id))).toBe('told go on');
}
