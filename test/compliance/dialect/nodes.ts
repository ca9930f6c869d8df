// Cases 37 to 39: several nodes of one agent on one store, and one of them dies.

import { expect } from 'vitest';

import { outputOf } from '../../support/dialect/caller.ts';
import { cuttable } from '../../support/dialect/stores.ts';
import { aborted, doing, newGate } from '../../support/dialect/works.ts';
import type { Bench, Case } from './case.ts';
import { allOf, watching } from './case.ts';

/** A node that falls silent is missed soon. */
const SOON = { leaseMs: 500, recoverEveryMs: 50, retryDelayMs: 1 };

export const NODES: readonly Case[] = [
  {
    number: 37,
    title: 'who watches at another node sees the same',
    run: async (bench) => {
      const { near, far } = await twoNodes(bench);
      const gate = newGate();
      const text = doing(async function* work(_task, ctx) {
        yield ctx.progress('begun');
        await gate.opened;
        yield ctx.artifact({ text: 'made elsewhere' });
      });
      const { id } = await near.start(text);
      const streams = [
        watching((signal) => near.follow(id, 0, signal)),
        watching((signal) => far.follow(id, 0, signal)),
      ];
      await Promise.all(streams.map((stream) => stream.until(({ state }) => state === 'working')));
      gate.open();
      await Promise.all(streams.map(({ end }) => end));
      expect(streams[0]!.told.at(-1)).toMatchObject({ state: 'completed' });
      expect(streams[1]!.told).toEqual(streams[0]!.told);
      expect(outputOf(await far.get(id))).toBe('made elsewhere');
    },
  },
  {
    number: 38,
    title: 'a node is killed: the next attempt announces the whole task to who has seen more',
    run: async (bench) => {
      const { near, far, store } = await twoNodes(bench);
      const text = doing(async (_task, ctx) => {
        await ctx.artifact({ id: 'log', text: `attempt ${ctx.attempt}` });
        if (ctx.attempt === 1) await aborted(ctx.signal);
      });
      const { id } = await near.start(text);
      const stream = watching((signal) => far.follow(id, 0, signal));
      await stream.until((told) => told.text === 'attempt 1');
      store.cut();
      await stream.end;
      const { told } = stream;
      const dropped = told.findLastIndex(({ type }) => type === 'whole');
      expect(dropped).toBeGreaterThan(0);
      expect(told[dropped]).toMatchObject({ text: '' });
      expect(
        told
          .slice(dropped + 1)
          .map((step) => step.text ?? '')
          .join(''),
      ).toBe('attempt 2');
      expect(told.at(-1)).toMatchObject({ state: 'completed' });
      expect(outputOf(await far.get(id))).toBe('attempt 2');
    },
  },
  {
    number: 39,
    title: 'a node is killed between storing and telling: what was stored is told by another',
    run: async (bench) => {
      const { near, far, store } = await twoNodes(bench);
      const text = doing(async (_task, ctx) => {
        if (ctx.attempt > 1) return;
        store.onStored = () => store.cut();
        await ctx.artifact({ id: 'log', text: 'stored' }).catch(() => undefined);
        await aborted(ctx.signal);
      });
      const id = 'killed';
      // Its node may be gone before it has told that it has begun.
      await near.start({ text, id }).catch(() => undefined);
      const told = await allOf(far.follow(id, 0));
      expect(told.some((step) => step.type === 'output' && step.text === 'stored')).toBe(true);
      const placed = told.map(({ generation }) => generation);
      expect(placed).toEqual([...new Set(placed)].toSorted((one, other) => one - other));
      expect(told.at(-1)).toMatchObject({ state: 'completed' });
    },
  },
];

/** One owner at two nodes; the store of the near one can be cut off. */
async function twoNodes({ face, newAgent, newPlace }: Bench): Promise<{
  readonly near: Awaited<ReturnType<typeof face.caller>>;
  readonly far: Awaited<ReturnType<typeof face.caller>>;
  readonly store: ReturnType<typeof cuttable>;
}> {
  const place = newPlace();
  const store = cuttable(await place.connect());
  const first = await newAgent({ store, tasks: { ...SOON, node: 'one' } });
  const second = await newAgent(
    { store: await place.connect(), tasks: { ...SOON, node: 'two' } },
    first,
  );
  const near = await face.caller(first);
  return { near, far: await face.link(second, near), store };
}
