// Proves what a task is at each generation: which state may follow which, and that events alone decide it.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskChange, TaskEvent } from '../src/tasks/task-events.ts';
import { applyEvent } from '../src/tasks/task-events.ts';
import { TaskLog } from '../src/tasks/task-log.ts';
import { parseTaskRequest } from '../src/tasks/task-request.ts';
import { LIFECYCLE, isResting, isTerminal, mayFollow, unstartedTask } from '../src/tasks/task.ts';
import type { Task, TaskState } from '../src/tasks/task.ts';
import { collect, namesOf, payloadWith } from './support/tasks.ts';

const STATES = Object.keys(LIFECYCLE) as TaskState[];
const request = parseTaskRequest(payloadWith('t-1'));

function newTask(): Task {
  return unstartedTask('did:key:alice', 't-1', request, 5);
}

function newLog(...changes: TaskChange[]): TaskLog {
  let now = 10;
  const log = new TaskLog(newTask(), () => (now += 1));
  log.append({ type: 'status', state: 'submitted' });
  for (const change of changes) log.append(change);
  return log;
}

const working: TaskChange = { type: 'status', state: 'working' };
const completed: TaskChange = { type: 'status', state: 'completed' };

function progress(message: string): TaskChange {
  return { type: 'progress', progress: { message } };
}

describe('#task-ids states of a task', () => {
  test('nothing follows an end, and every other state can be left', () => {
    const ends = STATES.filter(isTerminal);
    expect(ends).toEqual(['completed', 'failed', 'canceled', 'rejected']);
    for (const state of STATES) {
      for (const end of ends) expect(mayFollow(end, state)).toBe(false);
      if (!isTerminal(state)) expect(mayFollow(state, 'canceled')).toBe(true);
    }
  });

  test('a task rests at its end and when it waits for its owner', () => {
    expect(STATES.filter((state) => !isResting(state))).toEqual(['submitted', 'working']);
  });

  test('no state follows itself, and no task becomes submitted again', () => {
    for (const state of STATES) {
      expect(mayFollow(state, state)).toBe(false);
      expect(mayFollow(state, 'submitted')).toBe(false);
    }
  });

  test('only a task that is working has progress and output', () => {
    const log = newLog();
    expect(() => log.append(progress('too early'))).toThrow('submitted has no progress');
    log.append(working);
    log.append(completed);
    expect(() => log.append(progress('too late'))).toThrow('completed has no progress');
    expect(() => log.append(working)).toThrow('completed cannot become working');
    expect(log.task.generation).toBe(3);
  });

  test('any changes that the log takes have generations without gaps and give the same task when read again', async () => {
    const piece = { name: 'out', mediaType: 'text/plain', content: 'ab', append: true };
    const changes = fc.oneof(
      fc.constantFrom<TaskChange>(...STATES.map((state) => ({ type: 'status' as const, state }))),
      fc.constant<TaskChange>(working),
      fc.string({ maxLength: 3 }).map(progress),
      fc.constant<TaskChange>({ type: 'artifact', artifact: piece }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { maxLength: 20 }), async (list) => {
        const log = newLog();
        for (const change of list) {
          try {
            log.append(change);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        }
        const events = await collect(log.follow(0, AbortSignal.abort()));
        expect(events.map(({ generation }) => generation)).toEqual(
          events.map((_, index) => index + 1),
        );
        expect(events.reduce<Task>(applyEvent, newTask())).toEqual(log.task);
      }),
    );
  });

  test('an event that leaves a gap is refused', () => {
    const event: TaskEvent = { type: 'status', state: 'submitted', generation: 2, at: 1 };
    expect(() => applyEvent(newTask(), event)).toThrow('"generation" expected 1');
  });
});

describe('#exchange following a task', () => {
  test('a follower gets what has happened and what happens, until the end', async () => {
    const log = newLog(working);
    const following = collect(log.follow(0));
    log.append(progress('half'));
    await Promise.resolve();
    log.append(completed);
    expect(namesOf(await following)).toEqual(['submitted', 'working', 'half', 'completed']);
  });

  test('following can begin after any generation', async () => {
    const log = newLog(working, progress('a'), progress('b'), completed);
    const all = await collect(log.follow(0));
    for (let after = 0; after <= all.length + 1; after += 1) {
      expect(await collect(log.follow(after))).toEqual(all.slice(after));
    }
  });

  test('many followers get the same events, each at its own pace', async () => {
    const log = newLog(working);
    const slow = log.follow(0)[Symbol.asyncIterator]();
    const fast = collect(log.follow(1));
    for (let step = 0; step < 50; step += 1) log.append(progress(`${step}`));
    log.append(completed);
    expect(await fast).toHaveLength(52);
    expect((await slow.next()).value).toMatchObject({ generation: 1 });
    expect((await slow.next()).value).toMatchObject({ generation: 2 });
  });

  test('a follower whose signal aborts is given what happened before', async () => {
    const log = newLog(working);
    const stop = new AbortController();
    const following = collect(log.follow(0, stop.signal));
    log.append(progress('seen'));
    stop.abort();
    expect(namesOf(await following)).toEqual(['submitted', 'working', 'seen']);
  });

  test('a follower that goes away while it waits is let go at once', async () => {
    const log = newLog();
    const follower = log.follow(1)[Symbol.asyncIterator]();
    const waiting = follower.next();
    await follower.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    log.append(working);
    expect(await follower.next()).toEqual({ done: true, value: undefined });
  });
});
