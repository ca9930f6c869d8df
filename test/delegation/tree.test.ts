// What another agent tells of its task is read with care.

import { describe, expect, test } from 'vitest';

import type { TaskUpdate } from '../../src/client/task-update.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { childUpdate, treeIn } from '../../src/delegation/child-tree.ts';
import { readItems } from '../../src/handlers/artifact/read.ts';
import type { TaskChild } from '../../src/tasks/delegation.ts';

function updateOf(parts: Partial<TaskUpdate>): TaskUpdate {
  return {
    status: 'working',
    hasEnded: false,
    id: 't',
    artifacts: [],
    document: {},
    isAnswer: false,
    received: {} as TaskUpdate['received'],
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
    const items = readItems([
      { name: 'log', text: 'a', last: true },
      { name: 'log', text: 'b', append: true },
    ]);
    expect(childUpdate(updateOf({ artifacts: items })).artifacts).toEqual([
      { name: 'log', text: 'a', lastChunk: true },
      { name: 'log', text: 'b', append: true },
    ]);
  });

  test('ends with its last answer, and an agent without task ids ends with its first', () => {
    expect(childUpdate(updateOf({ isAnswer: true })).hasEnded).toBe(false);
    expect(childUpdate(updateOf({ isAnswer: true, status: 'completed' })).hasEnded).toBe(true);
    expect(childUpdate(updateOf({ status: 'completed' })).hasEnded).toBe(false);
    const { id: _none, ...accepted } = updateOf({ isAnswer: true, status: 'accepted' });
    expect(childUpdate(accepted)).toMatchObject({ status: 'accepted', hasEnded: true });
  });

  test('output of a form that nobody knows is left out', () => {
    const artifacts = readItems([{ blob: true }]);
    expect(childUpdate(updateOf({ artifacts })).artifacts).toEqual([]);
  });
});
