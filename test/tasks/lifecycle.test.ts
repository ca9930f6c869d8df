// Proves what may happen to a task in each state, and that events alone decide what a task is.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keptOf } from '../../src/tasks/artifact.ts';
import type { StatusChange, TaskChange } from '../../src/tasks/event.ts';
import { actionOf, applyEvent, judge, placeEvent } from '../../src/tasks/event.ts';
import {
  decodeEvent,
  decodeOrigin,
  encodeEvent,
  encodeOrigin,
} from '../../src/tasks/log/record.ts';
import { unfolded } from '../../src/tasks/log/fold.ts';
import { LogReader } from '../../src/tasks/log/reader.ts';
import { decodeRow, encodeRow, newRow, rowAfter, summaryOf } from '../../src/tasks/log/row.ts';
import type { TaskRow } from '../../src/tasks/log/row.ts';
import { draftOf, firstDraft } from '../../src/tasks/log/table.ts';
import { agentMessage } from '../../src/tasks/message.ts';
import { RULES, isResting, isTerminal, unstartedTask } from '../../src/tasks/task.ts';
import type { Task, TaskAction, TaskOrigin, TaskState } from '../../src/tasks/task.ts';
import { said } from '../support/agents/tasks.ts';

const STATES = Object.keys(RULES) as TaskState[];

const ORIGIN: TaskOrigin = {
  tenant: 'x',
  owner: 'did:key:alice',
  id: 't-1',
  message: said('Do it', 'asked'),
  metadata: { a: 1 },
  source: { face: 'test', value: null },
  authority: { scheme: 'sdl' },
  createdAt: 5,
};
const FACTS = { made: 'n#1', digest: 'd', priority: 0, share: 'known', reserved: 0 } as const;

function newTask(): Task {
  return unstartedTask(ORIGIN);
}

/** The row of a task that was submitted. */
function submittedRow(): TaskRow {
  return rowAfter(newRow(ORIGIN, FACTS), [firstDraft(ORIGIN, FACTS.made)])!;
}

function words(text: string): ReturnType<typeof agentMessage> {
  return agentMessage(text, `id of ${text}`);
}

const piece = { id: 'out', parts: [{ text: 'ab' }] };
const failure = { code: 'TASK_FAILED', message: 'no', retryable: false };

function begin(attempt: number): StatusChange {
  return { type: 'status', status: { state: 'working' }, attempt };
}

function asks(text: string): StatusChange {
  return { type: 'status', status: { state: 'input-required', message: words(text) } };
}

const CHANGES: Readonly<Record<TaskAction, TaskChange>> = {
  begin: begin(1),
  progress: { type: 'status', status: { state: 'working', message: words('half'), fraction: 0.5 } },
  artifact: { type: 'artifact', artifact: piece, append: true },
  delegation: {
    type: 'delegation',
    child: { agentId: 'did:key:bob', id: 'c-1', status: 'working' },
  },
  message: { type: 'message', message: said('and this', 'm-1') },
  'ask-input': asks('which?'),
  'ask-auth': { type: 'status', status: { state: 'auth-required' }, deadline: 99 },
  reply: { type: 'message', message: said('that one', 'm-2'), answers: 3 },
  complete: { type: 'status', status: { state: 'completed', message: words('done') } },
  fail: { type: 'status', status: { state: 'failed', failure } },
  cancel: { type: 'status', status: { state: 'canceled' } },
  reject: { type: 'status', status: { state: 'rejected', failure } },
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
  const first: TaskChange = { type: 'status', status: { state: 'submitted' } };
  return changes.reduce<Task>(
    (task, change) => applyEvent(task, placeEvent(change, task.generation + 1, 10)),
    applyEvent(newTask(), placeEvent(first, 1, ORIGIN.createdAt)),
  );
}

function rowIn(state: TaskState): TaskRow {
  const drafts = WAYS[state].map((action) => draftOf(CHANGES[action], 10));
  return rowAfter(submittedRow(), drafts)!;
}

function taskIn(state: TaskState): Task {
  const task = after(WAYS[state].map((action) => CHANGES[action]));
  expect(task.status.state).toBe(state);
  return task;
}

/** Written out, so that a change of the rules is seen. `=` the state stays, `-` refused, `same` ignored. */
const TABLE = `
                 begin    progress  artifact  delegation  message  ask-input       ask-auth       reply    complete   fail    cancel    reject
submitted        working  -         -         -           =        -               -              -        completed  failed  canceled  rejected
working          working  =         =         =           =        input-required  auth-required  -        completed  failed  canceled  rejected
input-required   working  =         =         =           =        -               -              working  completed  failed  canceled  rejected
auth-required    working  =         =         =           =        -               -              working  completed  failed  canceled  rejected
completed        -        -         -         -           -        -               -              -        same       -       -         -
failed           -        -         -         -           -        -               -              -        -          same    -         -
canceled         -        -         -         -           -        -               -              -        -          -       same      -
rejected         -        -         -         -           -        -               -              -        -          -       -         same
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
    expect(judge(task.status, change)).toBe(expected);
    const event = placeEvent(change, task.generation + 1, 11);
    const row = rowAfter(rowIn(state), [draftOf(change, 11)]);
    if (verdict === '-' || verdict === 'same') {
      expect(() => applyEvent(task, event)).toThrow(RangeError);
      expect(row).toBeUndefined();
      return;
    }
    const next = applyEvent(task, event);
    expect(next).toMatchObject({ status: { state: expected }, generation: task.generation + 1 });
    expect(summaryOf(row!)).toEqual(summaryIn(next));
    // Only a status has a moment: output and further messages leave it as it was.
    const isStatus = change.type === 'status' || verdict !== '=';
    const isHidden = action === 'progress' && state !== 'working';
    expect(next.status.at).toBe(isStatus && !isHidden ? 11 : task.status.at);
  });

  test('progress of a task that waits for its owner does not hide what is asked', () => {
    const task = after([begin(1), asks('which?'), CHANGES.progress]);
    expect(task.status).toMatchObject({ message: { text: 'which?' }, asked: 3 });
    expect(task.status.fraction).toBeUndefined();
  });

  test('an end that comes again in other words is the same; for another reason it is refused', () => {
    const failed = taskIn('failed');
    const ends = (other: Partial<typeof failure>): StatusChange => ({
      type: 'status',
      status: { state: 'failed', failure: { ...failure, ...other } },
    });
    expect(judge(failed.status, ends({ message: 'x' }))).toBe('same');
    expect(judge(failed.status, ends({ code: 'X' }))).toBe('refused');
  });

  test('a task rests at its end and when it waits for its owner', () => {
    expect(STATES.filter((state) => !isResting(state))).toEqual(['submitted', 'working']);
    expect(STATES.filter(isTerminal)).toEqual(['completed', 'failed', 'canceled', 'rejected']);
  });

  test('an event that leaves a gap is refused', () => {
    const event = placeEvent({ type: 'status', status: { state: 'submitted' } }, 2, 1);
    expect(() => applyEvent(newTask(), event)).toThrow('"generation" expected 1');
  });

  test('a new attempt keeps of the output what its checkpoint knew; what was said stays said', () => {
    const { artifact, progress, reply } = CHANGES;
    const first = [begin(1), artifact, artifact, asks('which?'), reply, progress, asks('and?')];
    const before = after(first);
    expect(before.history.map(({ text }) => text)).toEqual(['Do it', 'which?', 'that one', 'and?']);
    expect(before.artifacts).toMatchObject([{ text: 'abab' }]);
    const kept = { ...keptOf(before.artifacts[0]!), length: 2 };
    const next = after([...first, { ...begin(2), keep: [kept] }]);
    expect(next).toMatchObject({ attempt: 2, artifacts: [{ text: 'ab' }] });
    expect(next.status).toEqual({ state: 'working', at: 10 });
    expect(next.history).toEqual(before.history);
    expect(after([begin(1), artifact, begin(2)]).artifacts).toEqual([]);
  });

  test('what is known of a part that another agent does is the newest, in the place of the first', () => {
    const told = (id: string, status: string, ids: readonly string[] = []): TaskChange => {
      const below = ids.map((inner) => ({ agentId: 'did:key:carol', id: inner, status }));
      const children = ids.length === 0 ? {} : { children: below };
      return {
        type: 'delegation',
        child: { agentId: 'did:key:bob', id, status, deadline: 7, ...children },
      };
    };
    const changes = [
      begin(1),
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
    expect(after([...changes, begin(2)]).children).toEqual(children);
  });

  test('any changes that are taken give the same task and row when they are read from their records', () => {
    const changes = fc.array(
      fc.oneof(
        fc.constantFrom(...ACTIONS).map((action) => CHANGES[action]),
        fc.string({ unit: 'grapheme', maxLength: 3 }).map<TaskChange>((text) => ({
          type: 'status',
          status: { state: 'working', message: words(text) },
        })),
        fc.string({ unit: 'grapheme', maxLength: 3 }).map<TaskChange>((text) => ({
          type: 'artifact',
          artifact: { id: 'out', name: 'out', parts: [{ text }] },
          append: true,
        })),
        fc.uint8Array({ maxLength: 5 }).map<TaskChange>((bytes) => ({
          type: 'artifact',
          artifact: { id: 'raw', name: 'raw', parts: [{ bytes, mediaType: 'x/y' }] },
        })),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(changes, (list) => {
        const records = [encodeOrigin(ORIGIN, FACTS.made)];
        let task = after([]);
        let row = submittedRow();
        for (const change of list) {
          const draft = draftOf(change, 10);
          const next = rowAfter(row, [draft]);
          if (next === undefined) continue;
          row = decodeRow(encodeRow(next));
          records.push(encodeEvent(change, 10));
          task = applyEvent(task, placeEvent(change, task.generation + 1, 10));
        }
        const { origin, made } = decodeOrigin(records[0]!);
        expect([origin, made]).toEqual([ORIGIN, FACTS.made]);
        const read = records
          .map((value, position) => decodeEvent({ position, value }))
          .reduce<Task>(applyEvent, unstartedTask(origin));
        expect(read).toEqual(task);
        const whole = new LogReader(unfolded({ origin, made }));
        for (const [position, value] of records.entries()) whole.add({ position, value });
        expect(whole.folded.task).toEqual(task);
        expect(summaryOf(row)).toEqual(summaryIn(read));
        expect(row.bytes).toBe(records.reduce((sum, { length }) => sum + length, 0));
      }),
    );
  });
});

/** What a list tells of the task. */
function summaryIn(task: Task): ReturnType<typeof summaryOf> {
  const { tenant, owner, id, deadline, status, generation, attempt, createdAt } = task;
  return {
    tenant,
    owner,
    id,
    ...(deadline !== undefined && { deadline }),
    status,
    generation,
    attempt,
    createdAt,
    text: 'Do it',
  };
}
