// Cases 23 to 27: the same start twice is one task, where the wire has a name for it.

import { expect } from 'vitest';

import { TaskError } from '../../../src/tasks/error.ts';
import { outputOf } from '../../support/dialect/caller.ts';
import { PLAIN } from '../../support/dialect/faces.ts';
import { doing, newGate } from '../../support/dialect/works.ts';
import type { Case } from './case.ts';
import { ended, refusalOf } from './case.ts';

export const IDEMPOTENCY: readonly Case[] = [
  {
    number: 23,
    title: 'an equal duplicate joins, while the task runs and when it has ended',
    run: async ({ caller }) => {
      const owner = await caller();
      const gate = newGate();
      let runs = 0;
      const text = doing(async () => {
        runs += 1;
        await gate.opened;
        return 'once';
      });
      const ask = { text, id: 'twice' };
      const first = owner.run(ask);
      await expect.poll(() => runs).toBe(1);
      const joined = owner.run(ask);
      gate.open();
      expect([outputOf(await first), outputOf(await joined)]).toEqual(['once', 'once']);
      const again = await owner.run(ask);
      expect(again).toMatchObject({ id: 'twice', state: 'completed' });
      expect([outputOf(again), runs]).toEqual(['once', 1]);
    },
  },
  {
    number: 24,
    title: 'a conflicting duplicate is refused, and the original is as it was',
    run: async ({ face, caller }) => {
      const owner = await caller();
      const first = await owner.run({ text: doing(async () => 'first'), id: 'taken' });
      const other = doing(async () => 'other');
      const refusal = await refusalOf(owner.start({ text: other, id: 'taken' }));
      expect([refusal.code, refusal.retryable]).toEqual([face.codeOf('TASK_CONFLICT'), false]);
      // The names of one wire mean nothing on another.
      if (face === PLAIN) expect(refusal.text).not.toContain('/context');
      expect(await owner.get('taken')).toEqual(first);
    },
  },
  {
    number: 25,
    title: 'a hundred equal starts at once run once',
    run: async ({ caller }) => {
      const owner = await caller();
      let runs = 0;
      const text = doing(async () => String((runs += 1)));
      const views = await Promise.all(
        Array.from({ length: 100 }, () => owner.run({ text, id: 'hundred' })),
      );
      expect(new Set(views.map(({ id }) => id))).toEqual(new Set(['hundred']));
      expect(new Set(views.map(outputOf))).toEqual(new Set(['1']));
      expect(runs).toBe(1);
    },
  },
  {
    number: 26,
    title: 'an equal start after a failure that may pass begins the task anew',
    run: async ({ face, newAgent }) => {
      const owner = await face.caller(await newAgent({ tasks: { maxAttempts: 1 } }));
      let runs = 0;
      const text = doing(async () => {
        if ((runs += 1) === 1) throw new TaskError('not yet', { retryable: true });
        return 'now';
      });
      const ask = { text, id: 'again' };
      expect(await owner.run(ask)).toMatchObject({ state: 'failed' });
      expect(outputOf(await owner.run(ask))).toBe('now');
      // What has not failed is joined.
      expect(outputOf(await owner.run(ask))).toBe('now');
      expect(runs).toBe(2);
    },
  },
  {
    number: 27,
    title: 'two starts without a name of their own are two tasks',
    run: async ({ caller }) => {
      const owner = await caller();
      const text = doing(async () => 'each');
      const [one, other] = [await owner.start(text), await owner.start(text)];
      expect(one.id).not.toBe(other.id);
      await ended(owner, one.id);
      await ended(owner, other.id);
      expect((await owner.list()).total).toBe(2);
    },
  },
];
