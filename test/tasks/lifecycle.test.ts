// Proves what may happen to a task in each state, and that events alone decide what a task is.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StatusChange, TaskChange, TaskEvent } from '../../src/tasks/events.ts';
import { actionOf, applyEvent, judge } from '../../src/tasks/events.ts';
import {
  decodeEvent,
  decodeOrigin,
  encodeEvent,
  encodeOrigin,
} from '../../src/tasks/log/record.ts';
import { parseTaskRequest } from '../../src/tasks/request.ts';
import { advanceRow, decodeRow, encodeRow, newRow } from '../../src/tasks/log/row.ts';
import { RULES, isResting, isTerminal, unstartedTask } from '../../src/tasks/task.ts';
import type { Task, TaskAction, TaskState } from '../../src/tasks/task.ts';
import { payloadWith } from '../support/agents/tasks.ts';

const STATES = Object.keys(RULES) as TaskState[];
const request = parseTaskRequest(payloadWith('t-1'));

function newTask(): Task {
  return unstartedTask({ owner: 'did:key:alice', id: 't-1', request, createdAt: 5 });
}

const piece = { name: 'out', mediaType: 'text/plain', content: 'ab', append: true };
const failure = { code: 'TASK_FAILED', message: 'no' };

const CHANGES: Readonly<Record<TaskAction, TaskChange>> = {
  begin: { type: 'status', state: 'working' },
  progress: { type: 'progress', progress: { message: 'half' } },
  artifact: { type: 'artifact', artifact: piece },
  delegation: {
    type: 'delegation',
    child: { agentId: 'did:key:bob', id: 'c-1', status: 'working' },
  },
  'ask-input': { type: 'status', state: 'input-required', question: 'which?' },
  'ask-auth': { type: 'status', state: 'auth-required', question: { scope: 'mail' } },
  reply: { type: 'reply', reply: 'that one' },
  complete: { type: 'status', state: 'completed' },
  fail: { type: 'status', state: 'failed', failure },
  cancel: { type: 'status', state: 'canceled' },
  reject: { type: 'status', state: 'rejected', failure },
};
const ACTIONS = Object.keys(CHANGES) as TaskAction[];

/** How a task gets into each state. */
const WAYS: Readonly<Record<TaskState, readonly TaskAction[]>> = {
  submitted: [],
  working: ['begin'],
  'input-required': ['begin', 'ask-input'],
  'auth-required': ['begin', 'ask-auth'],
  completed: ['begin', 'complete'],
  failed: ['begin', 'fail'],
  canceled: ['cancel'],
  rejected: ['reject'],
};

function after(changes: readonly TaskChange[]): Task {
  const first: TaskChange = { type: 'status', state: 'submitted' };
  return [first, ...changes].reduce<Task>(
    (task, change) => applyEvent(task, { ...change, generation: task.generation + 1, at: 10 }),
    newTask(),
  );
}

function taskIn(state: TaskState): Task {
  const task = after(WAYS[state].map((action) => CHANGES[action]));
  expect(task.state).toBe(state);
  return task;
}

/** Written out, so that a change of the rules is seen. `=` the state stays, `-` refused, `same` ignored. */
const TABLE = `
                 begin    progress  artifact  delegation  ask-input       ask-auth       reply    complete   fail    cancel    reject
submitted        working  -         -         -           -               -              -        -          failed  canceled  rejected
working          working  =         =         =           input-required  auth-required  -        completed  failed  canceled  rejected
input-required   working  =         =         =           -               -              working  completed  failed  canceled  rejected
auth-required    working  =         =         =           -               -              working  completed  failed  canceled  rejected
completed        -        -         -         -           -               -              -        same       -       -         -
failed           -        -         -         -           -               -              -        -          same    -         -
canceled         -        -         -         -           -               -              -        -          -       same      -
rejected         -        -         -         -           -               -              -        -          -       -         same
`;

const CELLS = TABLE.trim()
  .split('\n')
  .slice(1)
  .flatMap((line) => {
    const [state, ...cells] = line.split(/\s+/) as [TaskState, ...string[]];
    return ACTIONS.map((action, at) => [state, action, cells[at]!] as const);
  });

describe('#task-lifecycle what may happen to a task', () => {
  test('the table has every state and every action', () => {
    expect(CELLS).toHaveLength(STATES.length * ACTIONS.length);
    expect(CELLS.every(([, , verdict]) => verdict !== undefined)).toBe(true);
  });

  test.each(CELLS)('a task that is %s, %s: %s', (state, action, verdict) => {
    const task = taskIn(state);
    const change = CHANGES[action];
    expect(actionOf(change)).toBe(action);
    const expected = verdict === '=' ? state : verdict === '-' ? 'refused' : verdict;
    expect(judge(task, change)).toBe(expected);
    const event = { ...change, generation: task.generation + 1, at: 11 } as TaskEvent;
    const row = advanceRow({ ...newRow(task, 'd'), ...task }, change, 11, 1);
    if (verdict === '-' || verdict === 'same') {
      expect(() => applyEvent(task, event)).toThrow(RangeError);
      expect(row).toBeUndefined();
    } else {
      expect(applyEvent(task, event)).toMatchObject({ state: expected, updatedAt: 11 });
      expect(row).toMatchObject({ state: expected, generation: task.generation + 1 });
    }
  });

  test('an end that comes again in other words, or for another reason, is refused', () => {
    const failed = taskIn('failed');
    const words: StatusChange = {
      type: 'status',
      state: 'failed',
      failure: { ...failure, message: 'x' },
    };
    const reason: StatusChange = {
      type: 'status',
      state: 'failed',
      failure: { ...failure, code: 'X' },
    };
    expect(judge(failed, words)).toBe('same');
    expect(judge(failed, reason)).toBe('refused');
  });

  test('a task rests at its end and when it waits for its owner', () => {
    expect(STATES.filter((state) => !isResting(state))).toEqual(['submitted', 'working']);
    expect(STATES.filter(isTerminal)).toEqual(['completed', 'failed', 'canceled', 'rejected']);
  });

  test('an event that leaves a gap is refused', () => {
    const event: TaskEvent = { type: 'status', state: 'submitted', generation: 2, at: 1 };
    expect(() => applyEvent(newTask(), event)).toThrow('"generation" expected 1');
  });

  test('a new attempt keeps of the output what its checkpoint knew, and forgets a question without a reply', () => {
    const { begin, artifact, progress, 'ask-input': ask, reply } = CHANGES;
    const said = after([begin, artifact, artifact, ask, reply, progress, ask]);
    expect(said.history.map(({ content }) => content)).toEqual(['which?', 'that one', 'which?']);
    const again = { ...(begin as StatusChange), keep: [2] };
    const next = after([begin, artifact, artifact, ask, reply, progress, ask, again]);
    expect(next).toMatchObject({ state: 'working', attempt: 2, artifacts: [{ content: 'ab' }] });
    expect(next.history).toHaveLength(2);
    expect(next.progress).toBeUndefined();
    expect(after([begin, artifact, begin]).artifacts).toEqual([]);
  });

  test('what is known of a part that another agent does is the newest, in the place of the first', () => {
    const { begin } = CHANGES;
    const told = (id: string, status: string, ids: readonly string[] = []): TaskChange => {
      const below = ids.map((inner) => ({ agentId: 'did:key:carol', id: inner, status }));
      const children = ids.length === 0 ? {} : { children: below };
      return {
        type: 'delegation',
        child: { agentId: 'did:key:bob', id, status, deadline: 7, ...children },
      };
    };
    const changes = [
      begin,
      told('a', 'submitted'),
      told('b', 'submitted'),
      told('a', 'working', ['x']),
    ];
    const { children } = after(changes);
    expect(children.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'working'],
      ['b', 'submitted'],
    ]);
    const read = changes.map((change) =>
      decodeEvent({ position: 0, value: encodeEvent(change, 1) }),
    );
    expect(read[3]).toEqual({ ...changes[3], generation: 1, at: 1 });
    expect(after([...changes, begin]).children).toEqual(children);
  });

  test('any changes that are taken give the same task and row when they are read from their records', () => {
    const changes = fc.array(
      fc.oneof(
        fc.constantFrom(...ACTIONS).map((action) => CHANGES[action]),
        fc.string({ unit: 'binary', maxLength: 3 }).map<TaskChange>((message) => ({
          type: 'progress',
          progress: { message },
        })),
        fc.uint8Array({ maxLength: 5 }).map<TaskChange>((content) => ({
          type: 'artifact',
          artifact: { name: 'raw', mediaType: 'x/y', content, append: false },
        })),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(changes, (list) => {
        const records = [encodeOrigin(newTask())];
        let task = after([]);
        let row = advanceRow(newRow(newTask(), 'd'), { type: 'status', state: 'submitted' }, 5, 0)!;
        for (const change of list) {
          const next = advanceRow(row, change, 10, 1);
          if (next === undefined) continue;
          row = decodeRow(encodeRow(next));
          records.push(encodeEvent(change, 10));
          task = applyEvent(task, { ...change, generation: task.generation + 1, at: 10 });
        }
        const read = records
          .map((value, position) => decodeEvent({ position, value }))
          .reduce<Task>(applyEvent, decodeOrigin(records[0]!));
        expect(read).toEqual({ ...task, createdAt: 5, updatedAt: read.updatedAt });
        const { state, generation, attempt, progress, failure: why } = row;
        expect({ state, generation, attempt, progress, why }).toEqual({
          state: task.state,
          generation: task.generation,
          attempt: task.attempt,
          progress: task.progress,
          why: task.failure,
        });
      }),
    );
  });
});
