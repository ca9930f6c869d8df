// Waiting for a task to rest: its end, its question, or the end of patience.

import { expect, test } from 'vitest';

import { untilRest } from '../../src/door/until-rest.ts';
import { ANN, asks, openDoor } from '../support/door/open-door.ts';

const waits = async (_task: unknown, ctx: { readonly signal: AbortSignal }): Promise<void> =>
  new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve()));

test('is over with the end of the task', async () => {
  const { door, callBy } = await openDoor(async () => 'done');
  const { task } = await door.start(callBy(ANN), asks('begin'));
  const rested = await untilRest(door.follow(callBy(ANN), task.id));
  expect(rested).toMatchObject({ status: { state: 'completed' } });
});

test('is over when the task waits for its owner, and at once if it does already', async () => {
  const { door, callBy } = await openDoor(async (_task, ctx) => (await ctx.ask('?')).text);
  const { task } = await door.start(callBy(ANN), asks('begin'));
  for (let look = 0; look < 2; look += 1) {
    const rested = await untilRest(door.follow(callBy(ANN), task.id));
    expect(rested).toMatchObject({ status: { state: 'input-required' } });
  }
});

test('with a time that is over already gives the task as it stands', async () => {
  const { door, callBy, outcomes } = await openDoor(waits);
  const { task } = await door.start(callBy(ANN), asks('begin'));
  const rested = await untilRest(door.follow(callBy(ANN), task.id), AbortSignal.abort());
  expect(rested).toMatchObject({ id: task.id });
  expect(['submitted', 'working']).toContain(rested!.status.state);
  expect(outcomes.filter(({ operation }) => operation === 'follow')).toHaveLength(1);
});

test('ends with its signal, and gives what was told last', async () => {
  const { door, callBy } = await openDoor(async (_task, ctx) => {
    await ctx.progress('half');
    await waits(_task, ctx);
  });
  const { task } = await door.start(callBy(ANN), asks('begin'));
  const patience = new AbortController();
  for await (const step of door.follow(callBy(ANN), task.id)) {
    if (step.task.status.message?.text === 'half') break;
  }
  const resting = untilRest(door.follow(callBy(ANN), task.id), patience.signal);
  setImmediate(() => patience.abort());
  expect(await resting).toMatchObject({ status: { state: 'working', message: { text: 'half' } } });
});

test('fails as the stream does', async () => {
  const { door, callBy } = await openDoor(waits);
  await expect(untilRest(door.follow(callBy(ANN), 'none'))).rejects.toMatchObject({
    code: 'TASK_UNKNOWN',
  });
});

test('of nothing told gives nothing', async () => {
  const none = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: true as const, value: undefined }),
    }),
  };
  expect(await untilRest(none)).toBeUndefined();
});
