// Case 50: what was started through one face is seen, answered and canceled through another, by who is the same.

import { expect } from 'vitest';

import type { Caller } from '../../support/dialect/caller.ts';
import { outputOf, textOf } from '../../support/dialect/caller.ts';
import type { Face } from '../../support/dialect/faces.ts';
import { FACES, SDL_FACES } from '../../support/dialect/faces.ts';
import { aborted, doing, newGate } from '../../support/dialect/works.ts';
import type { Bench, Case } from './case.ts';
import { allOf, ended, reached, watching } from './case.ts';

export const PAIRS: readonly Case[] = [
  {
    number: 50,
    title: 'started here, seen, answered and canceled there, in every pair of faces',
    run: async ({ face, agent }) => {
      for (const other of FACES) {
        const [here, there] = await sameOwner(face, other, agent);
        await startedHere(here, there);
        await canceledThere(here, there);
      }
    },
  },
];

/** The peer itself, or a caller that the operator says is this peer. */
async function sameOwner(
  here: Face,
  there: Face,
  agent: Bench['agent'],
): Promise<readonly [Caller, Caller]> {
  const sdl = [here, there].find((face) => SDL_FACES.includes(face)) ?? SDL_FACES[0]!;
  const peer = await sdl.caller(agent);
  return [await here.link(agent, peer), await there.link(agent, peer)];
}

async function startedHere(here: Caller, there: Caller): Promise<void> {
  const text = doing(async (task, ctx) => {
    const reply = await ctx.ask([{ text: 'which?' }, { data: { of: ['a', 'b'] } }]);
    await ctx.artifact({
      name: 'echo',
      parts: [...task.history[0]!.parts.slice(1), ...reply.parts],
    });
  });
  const part = { text: 'see this', mediaType: 'text/markdown', filename: 'this.md' };
  const { id } = await here.run({ text, parts: [{ text }, part] });
  const seen = await there.get(id);
  expect(seen).toMatchObject({ state: 'input-required', words: 'which?' });
  expect(seen.history[0]!.parts).toEqual([{ text }, part]);
  expect((await there.list()).tasks.map((task) => task.id)).toEqual([id]);
  const answer = { bytes: new Uint8Array([1, 2, 3]), mediaType: 'image/png' };
  await there.say(id, [answer]);
  const [mine, theirs] = [await ended(here, id), await there.get(id)];
  expect(mine.artifacts.map(({ parts }) => parts)).toEqual([[part, answer]]);
  expect(theirs).toEqual(mine);
  expect(outputOf(theirs)).toBe('see this');
  expect(theirs.history.map(({ parts }) => textOf(parts))).toEqual([
    `${text}see this`,
    'which?',
    '',
  ]);
  const told = async (caller: Caller): Promise<unknown> =>
    (await allOf(caller.follow(id, 0))).map(({ generation, text: said }) => [
      generation,
      said ?? '',
    ]);
  expect(await told(there)).toEqual(await told(here));
}

async function canceledThere(here: Caller, there: Caller): Promise<void> {
  const stopped = newGate();
  const text = doing(async (_task, ctx) => {
    await aborted(ctx.signal);
    stopped.open();
  });
  const { id } = await here.start(text);
  const stream = watching((signal) => here.follow(id, 0, signal));
  await reached(here, id, 'working');
  expect(await there.cancel(id)).toMatchObject({ id, state: 'canceled' });
  await stopped.opened;
  await stream.end;
  expect(stream.told.at(-1)).toMatchObject({ state: 'canceled' });
}
