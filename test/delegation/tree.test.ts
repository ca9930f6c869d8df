// What another agent tells of its task is read with care.

import { describe, expect, test } from 'vitest';

import type { TaskUpdate } from '../../src/client/task-update.ts';
import { taskOf } from '../../src/client/task-update.ts';
import { artifactsIn } from '../../src/client/told-artifact.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { childUpdate, treeIn } from '../../src/delegation/child-tree.ts';
import type { TaskChild } from '../../src/tasks/delegation.ts';

function updateOf(parts: Partial<TaskUpdate>): TaskUpdate {
  return {
    status: 'working',
    hasEnded: false,
    id: 't',
    artifacts: [],
    document: {},
    isWhole: false,
    isAnswer: false,
    ...parts,
  };
}

function node(name: string, children?: readonly JsonObject[]): JsonObject {
  return {
    agent_id: name,
    id: name,
    status: 'working',
    ...(children && { children: [...children] }),
  };
}

function count(nodes: readonly TaskChild[] = []): number {
  return nodes.reduce((sum, { children = [] }) => sum + 1 + count(children), 0);
}

function depth(nodes: readonly TaskChild[] = []): number {
  return Math.max(0, ...nodes.map(({ children = [] }) => 1 + depth(children)));
}

describe('#state-task what another agent tells of its task', () => {
  test('is a tree of known members, without what does not fit', () => {
    const children = [node('a', [node('b')]), { id: 'x' }, 'y', node(''), node('z'.repeat(300))];
    const told = { ...node('c'), secret: 1 };
    expect(treeIn({ children: [...children, told] })).toEqual({
      children: [
        {
          agentId: 'a',
          id: 'a',
          status: 'working',
          children: [{ agentId: 'b', id: 'b', status: 'working' }],
        },
        { agentId: 'c', id: 'c', status: 'working' },
      ],
      isCut: true,
    });
    expect(treeIn({ children: 'none' })).toEqual({});
  });

  test('is bounded in number, depth and length, and says where it was cut', () => {
    const wide = Array.from({ length: 50 }, (_, at) => node(`n${at}`, [node(`m${at}`)]));
    expect(count(treeIn({ children: wide }).children)).toBe(64);
    expect(treeIn({ children: wide }).isCut).toBe(true);
    let deep = node('end');
    for (let at = 0; at < 30; at += 1) deep = node(`d${at}`, [deep]);
    expect(depth(treeIn({ children: [deep] }).children)).toBe(8);
    let last = treeIn({ children: [deep] }).children![0]!;
    while (last.children !== undefined) [last] = last.children as [TaskChild];
    expect(last.isCut).toBe(true);
    const long = Array.from({ length: 60 }, (_, at) => node(`${at}`.padEnd(256, 'x')));
    expect(count(treeIn({ children: long }).children)).toBe(31);
  });

  test('keeps the mark of what others have cut', () => {
    const children = [{ ...node('a'), cut: true }, node('b')];
    const told = treeIn({ children }).children!;
    expect(told.map(({ isCut }) => isCut)).toEqual([true, undefined]);
  });

  test('output keeps the marks that it continues something, and that nothing continues it', () => {
    const items = [
      { id: 'a', name: 'log', text: 'a', last: true },
      { id: 'b', name: 'log', text: 'b', append: true },
    ];
    const { artifacts } = childUpdate(updateOf({ artifacts: artifactsIn(items) }));
    expect(artifacts.map(({ text, append, isComplete }) => [text, append, isComplete])).toEqual([
      ['a', false, true],
      ['b', true, false],
    ]);
  });

  test('a question without words is a question, and only an answer asks it', () => {
    const asked = taskOf({ status: 'input-required', question: { content: null, generation: 3 } });
    const update = updateOf({ ...asked, isAnswer: true });
    expect(childUpdate(update).question).toMatchObject({ role: 'agent', parts: [], text: '' });
    expect(childUpdate({ ...update, isAnswer: false }).question).toBeUndefined();
  });

  test('ends with its last answer, and an agent without task ids ends with its first', () => {
    expect(childUpdate(updateOf({ isAnswer: true })).hasEnded).toBe(false);
    expect(childUpdate(updateOf({ isAnswer: true, status: 'completed' })).hasEnded).toBe(true);
    expect(childUpdate(updateOf({ status: 'completed' })).hasEnded).toBe(false);
    const { id: _none, ...accepted } = updateOf({ isAnswer: true, status: 'accepted' });
    expect(childUpdate(accepted)).toMatchObject({ status: 'accepted', hasEnded: true });
  });

  test('output of a form that nobody knows is left out', () => {
    const { artifacts } = childUpdate(updateOf({ artifacts: artifactsIn([{ blob: true }]) }));
    expect(artifacts.flatMap(({ parts }) => parts)).toEqual([]);
  });
});
