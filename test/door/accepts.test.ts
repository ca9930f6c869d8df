// Before a task exists its agent may refuse it, or answer at once.

import { expect, test, vi } from 'vitest';

import { SdlError } from '../../src/errors.ts';
import { TaskError } from '../../src/tasks/error.ts';
import { ANN, asks, openDoor, readAll } from '../support/door/open-door.ts';

const key = { idempotency: { id: 'task', digest: 'd' } };

test('a TaskError refuses with its words, and no task is there', async () => {
  const run = vi.fn(async () => 'done');
  const { door, callBy } = await openDoor(run, {
    accepts: ({ text }) => {
      throw new TaskError(`no ${text}`, { code: 'NOT_TODAY' });
    },
  });
  await expect(door.start(callBy(ANN), asks('cake', key))).rejects.toMatchObject({
    code: 'TASK_REFUSED',
    details: { code: 'NOT_TODAY', message: 'no cake' },
  });
  expect(await door.list(callBy(ANN))).toMatchObject({ total: 0 });
  expect(run).not.toHaveBeenCalled();
});

test('another error keeps its code, or tells nothing of itself', async () => {
  const { door, callBy } = await openDoor(async () => 'done', {
    accepts: ({ text }) => {
      throw text === 'busy' ? new SdlError('UNAVAILABLE', 'later') : new Error('secret');
    },
  });
  await expect(door.start(callBy(ANN), asks('busy'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await expect(door.start(callBy(ANN), asks('other'))).rejects.toMatchObject({
    code: 'INTERNAL',
    reason: expect.not.stringContaining('secret'),
  });
});

test('words are the answer at once: nothing is run, and without a name nothing is kept', async () => {
  const run = vi.fn(async () => 'done');
  const { door, entries, callBy } = await openDoor(run, { accepts: ({ text }) => `hello ${text}` });
  const { task, isNew } = await door.start(callBy(ANN), asks('world'));
  expect([isNew, task.direct, task.status.state]).toEqual([true, true, 'completed']);
  expect(task.status.message!.text).toBe('hello world');
  expect(task.history.map(({ text }) => text)).toEqual(['world', 'hello world']);
  expect(await door.get(callBy(ANN), task.id)).toBeUndefined();
  expect(run).not.toHaveBeenCalled();
  expect(entries.map((entry) => 'operation' in entry && entry.operation)).toEqual(['start', 'get']);
});

test('words under a name are kept as a task that has ended, and are said once', async () => {
  const accepts = vi.fn(() => [{ text: 'hello' }, { data: { n: 1 } }]);
  const { door, callBy } = await openDoor(async () => 'done', { accepts });
  await door.start(callBy(ANN), asks('world', key));
  const again = await door.start(callBy(ANN), asks('world', key));
  expect(again).toMatchObject({ isNew: false, task: { direct: true } });
  expect(again.task.status.message!.data).toEqual({ n: 1 });
  expect(accepts).toHaveBeenCalledTimes(1);
  expect(await door.get(callBy(ANN), 'task')).toMatchObject({ status: { state: 'completed' } });
  expect(await door.list(callBy(ANN))).toMatchObject({ total: 0 });
  await expect(
    door.start(callBy(ANN), asks('other', { idempotency: { id: 'task', digest: 'other' } })),
  ).rejects.toMatchObject({ code: 'TASK_CONFLICT' });
});

test('nothing lets the task begin, and it is told who asks', async () => {
  const { door, callBy } = await openDoor(async () => 'done', {
    accepts: (_message, { principal }) => {
      expect(principal).toEqual(ANN);
    },
  });
  const { task } = await door.start(callBy(ANN), asks('begin'));
  expect(task.direct).toBeUndefined();
  await readAll(door.follow(callBy(ANN), task.id));
  expect(await door.get(callBy(ANN), task.id)).toMatchObject({ status: { state: 'completed' } });
});
