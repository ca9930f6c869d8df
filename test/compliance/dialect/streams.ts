// Cases 33 to 36 and 40: what a stream tells, to whoever comes when.

import { expect } from 'vitest';

import type { OnTask } from '../../../src/tasks/context.ts';
import type { Told } from '../../support/dialect/caller.ts';
import { doing, newGate } from '../../support/dialect/works.ts';
import type { Case } from './case.ts';
import { allOf, reached, refusalOf, watching } from './case.ts';

/** Ten pieces of output with progress between them. */
const tells: OnTask = async function* tells(_task, ctx) {
  for (let step = 1; step <= 10; step += 1) {
    yield ctx.progress(`step ${step}`);
    yield ctx.artifact({ id: 'log', text: `${step};`, append: true });
  }
};
const ALL_TEXT = '1;2;3;4;5;6;7;8;9;10;';

/** The text as who has seen these steps knows it. */
function textAfter(steps: readonly Told[]): string {
  return steps.reduce(
    (text, step) => (step.type === 'whole' ? step.text! : text + (step.text ?? '')),
    '',
  );
}

const generations = (steps: readonly Told[]): number[] => steps.map(({ generation }) => generation);

export const STREAMS: readonly Case[] = [
  {
    number: 33,
    title: 'a stream has the order of the log, and nothing follows the end',
    run: async ({ caller }) => {
      const owner = await caller();
      const { id } = await owner.start(doing(tells));
      const told = await allOf(owner.follow(id, 0));
      expect(generations(told)).toEqual(told.map((_, at) => at));
      expect(told[0]!.type).toBe('whole');
      expect(told.at(-1)).toMatchObject({ state: 'completed' });
      expect(textAfter(told)).toBe(ALL_TEXT);
    },
  },
  {
    number: 34,
    title: 'a stream goes on from any generation without loss and without repeat',
    run: async ({ caller }) => {
      const owner = await caller();
      const { id, generation: last } = await owner.run(doing(tells));
      const whole = await allOf(owner.follow(id, 0));
      for (let after = 0; after < last; after += 1) {
        const told = await allOf(owner.follow(id, after));
        expect(generations(told)).toEqual(generations(whole).slice(after));
        expect(textAfter(told)).toBe(ALL_TEXT);
      }
      const over = await allOf(owner.follow(id, last));
      expect(over).toHaveLength(1);
      expect(over[0]).toMatchObject({ type: 'whole', state: 'completed', text: ALL_TEXT });
    },
  },
  {
    number: 35,
    title: 'ten watchers see the same, and one that leaves disturbs none',
    run: async ({ caller }) => {
      const owner = await caller();
      const gate = newGate();
      const text = doing(async function* work(task, ctx) {
        yield ctx.progress('begun');
        await gate.opened;
        yield* tells(task, ctx) as AsyncGenerator<never>;
      });
      const { id } = await owner.start(text);
      const streams = Array.from({ length: 10 }, () =>
        watching((signal) => owner.follow(id, 0, signal)),
      );
      const leaver = watching((signal) => owner.follow(id, 0, signal));
      await Promise.all([...streams, leaver].map((stream) => stream.until(() => true)));
      leaver.leave();
      gate.open();
      await Promise.all(streams.map(({ end }) => end));
      const [first, ...others] = streams.map(({ told }) => told);
      expect(first!.at(-1)).toMatchObject({ state: 'completed' });
      for (const told of others) expect(told).toEqual(first);
    },
  },
  {
    number: 36,
    title: 'a reader that stops holds nothing, and has all of it when it reads on',
    run: async ({ face, agent, caller }) => {
      const owner = await caller();
      const other = await face.link(agent, owner);
      const gate = newGate();
      const big = 'x'.repeat(20_000);
      const text = doing(async function* work(_task, ctx) {
        yield ctx.progress('begun');
        await gate.opened;
        for (let piece = 0; piece < 20; piece += 1) {
          yield ctx.artifact({ id: 'log', text: big, append: true });
        }
      });
      const { id } = await owner.start(text);
      const slow = owner.follow(id, 0)[Symbol.asyncIterator]();
      const seen = [(await slow.next()).value as Told];
      gate.open();
      const told = await allOf(other.follow(id, 0));
      expect(textAfter(told)).toHaveLength(20 * big.length);
      for (let step = await slow.next(); step.done !== true; step = await slow.next()) {
        seen.push(step.value);
      }
      expect(seen).toEqual(told);
    },
  },
  {
    number: 40,
    title: 'when the agent stops, a stream is told to come back',
    run: async ({ face, newAgent, newPlace }) => {
      const place = newPlace();
      const agent = await newAgent({ store: await place.connect() });
      const owner = await face.caller(agent);
      const { id } = await owner.start(doing(async (_task, ctx) => (await ctx.next()).text));
      const stream = watching((signal) => owner.follow(id, undefined, signal));
      await reached(owner, id, 'working');
      await stream.until(() => true);
      const closing = agent.close();
      const refusal = await refusalOf(
        stream.end.then((cause) => {
          if (cause !== undefined) throw cause;
        }),
      );
      expect([refusal.code, refusal.retryable]).toEqual([face.codeOf(face.stopCode), true]);
      await closing;
    },
  },
];
