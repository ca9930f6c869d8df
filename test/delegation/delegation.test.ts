// A task that other agents do parts of: what they are told, what comes back, and that nothing outlives it.

import { describe, expect, test } from 'vitest';

import type { TaskUpdate } from '../../src/client/task-update.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { originOf } from '../../src/handlers/task/origin.ts';
import type { OnTask, TaskContext } from '../../src/tasks/context.ts';
import type { ChildUpdate } from '../../src/tasks/delegation.ts';
import { TaskError } from '../../src/tasks/error.ts';
import type { Task } from '../../src/tasks/task.ts';
import type { Agent } from '../support/agents/agents.ts';
import { NOW } from '../support/agents/agents.ts';
import { agentsThatKnowEachOther } from '../support/agents/delegating-agents.ts';
import { Gate } from '../support/agents/tasks.ts';

/** Gives its goal to another agent, and hands over what that one made. */
function passingTo(next: () => string, seen: Task[] = []): OnTask {
  return async function* pass(task, ctx) {
    seen.push(task);
    const { failure, artifacts } = await ctx.delegate(next(), task.text).result();
    if (failure !== undefined) throw new TaskError(failure.message, failure);
    for (const artifact of artifacts) yield ctx.artifact(artifact);
  };
}

function idOf(agent: Agent): string {
  return agent.identity.agentId;
}

async function updatesOf(task: AsyncIterable<TaskUpdate>): Promise<TaskUpdate[]> {
  const updates: TaskUpdate[] = [];
  for await (const update of task) updates.push(update);
  return updates;
}

function textsOf({ artifacts }: TaskUpdate): unknown[] {
  return artifacts.map(({ text }) => text);
}

describe('#trace-forward #task-delegation a task that is given on', () => {
  test('comes back through every agent, and each knows where it stands', async () => {
    const seen: Task[] = [];
    const last: { task?: Task; ctx?: TaskContext } = {};
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: { onTask: passingTo(() => id('carol'), seen) },
      carol: { onTask: passingTo(() => id('dave'), seen) },
      dave: {
        onTask: async function* work(task, ctx) {
          Object.assign(last, { task, ctx });
          yield ctx.progress({ message: 'at it', fraction: 0.5 });
          yield ctx.artifact({ name: 'answer', text: task.text.toUpperCase() });
        },
      },
    }));
    const { alice, bob, carol, dave } = agents;
    const deadline = '2026-11-16T00:30:00Z';
    const updates = await updatesOf(
      alice.runtime.connect(idOf(bob)).task({
        goal: 'shout',
        id: 'top',
        context: { task: { context_id: 'talk', deadline } },
      }),
    );
    const answer = updates.at(-1)!;
    expect([answer.status, ...textsOf(answer)]).toEqual(['completed', 'SHOUT']);

    const said = updates.flatMap(({ progress }) => progress?.message ?? []);
    expect(said).toContain(`${idOf(carol)}: ${idOf(dave)}: at it`);
    const traces = [...seen, last.task!].map((task) => originOf(task).trace!);
    expect(traces.map(({ hops }) => hops)).toEqual([0, 1, 2]);
    expect(new Set(traces.map(({ root_id: root }) => root)).size).toBe(1);
    const [, atCarol] = seen;
    expect(atCarol).toMatchObject({ owner: idOf(bob), parent: 'top', contextId: 'talk' });
    expect(last.task).toMatchObject({ owner: idOf(carol), parent: atCarol!.id, contextId: 'talk' });
    expect(last.ctx!.deadline).toBe(Date.parse(deadline));

    const tree = [
      {
        agent_id: idOf(carol),
        id: atCarol!.id,
        status: 'completed',
        children: [{ agent_id: idOf(dave), id: last.task!.id, status: 'completed' }],
      },
    ];
    expect(answer.document['children']).toEqual(tree);
    const told = await alice.runtime.connect(idOf(bob)).call('task.get', { id: 'top' });
    expect((told as JsonObject)['children']).toEqual(tree);
  });

  test('is refused where the message would travel too far, also in a circle', async () => {
    let visits = 0;
    const around = (next: () => string): OnTask => {
      const pass = passingTo(next);
      return (task, ctx) => {
        visits += 1;
        return pass(task, ctx);
      };
    };
    const limits = { maxHops: 3 };
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: { limits, onTask: around(() => id('carol')) },
      carol: { limits, onTask: around(() => id('bob')) },
    }));
    const { alice, bob } = agents;
    const answer = await alice.runtime.connect(idOf(bob)).task('round').result();
    expect(visits).toBe(4);
    expect(answer).toMatchObject({ status: 'failed', failure: { code: 'LIMIT_HOPS' } });
    const deepest = (nodes: unknown): JsonObject => {
      const [node] = nodes as JsonObject[];
      return node!['children'] === undefined ? node! : deepest(node!['children']);
    };
    expect(deepest(answer.document['children'])['status']).toBe('failed');
  });

  test('asks for no more time than the task has, and for less where its author says so', async () => {
    const deadlines: (number | undefined)[] = [];
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const carol = id('carol');
          await ctx.delegate(carol, 'a', { deadline: ctx.deadline + 1 }).result();
          await ctx.delegate(carol, 'b', { deadline: NOW + 5_000 }).result();
        },
      },
      carol: { onTask: async ({ deadline }) => void deadlines.push(deadline) },
    }));
    await agents.alice.runtime
      .connect(idOf(agents.bob))
      .task({ goal: 'x', context: { task: { deadline: '2026-11-16T01:00:00Z' } } })
      .result();
    expect(deadlines).toEqual([Date.UTC(2026, 10, 16, 1), NOW + 5_000]);
  });
});

describe('#exchange what a delegating agent sees and hands on', () => {
  test('every update of the other task, and none of its progress in its own when it says so', async () => {
    const updates: ChildUpdate[] = [];
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const child = ctx.delegate(id('carol'), 'x', { relay: false });
          for await (const update of child) updates.push(update);
          expect(await child.result()).toBe(updates.at(-1));
        },
      },
      carol: {
        onTask: async function* work(_task, ctx) {
          yield ctx.progress({ message: 'half', fraction: 0.5 });
          yield ctx.artifact({ name: 'raw', bytes: new Uint8Array([1, 2]) });
          yield ctx.artifact({ name: 'log', text: 'a' });
          yield ctx.artifact({ name: 'log', text: 'b', append: true });
        },
      },
    }));
    const said = await updatesOf(agents.alice.runtime.connect(idOf(agents.bob)).task('x'));
    expect(said.every(({ progress }) => progress === undefined)).toBe(true);
    expect(said.at(-1)!.artifacts).toEqual([]);
    expect(updates.flatMap(({ progress }) => progress ?? []).at(-1)).toEqual({
      message: 'half',
      fraction: 0.5,
    });
    expect(updates.map(({ hasEnded }) => hasEnded).indexOf(true)).toBe(updates.length - 1);
    const last = updates.at(-1)!;
    const piecesOf = ({ artifacts }: ChildUpdate): unknown[] =>
      artifacts.map(({ id, append, parts }) => [id, append, ...parts]);
    const raw = { bytes: new Uint8Array([1, 2]) };
    expect([last.isWhole, piecesOf(last)]).toEqual([
      true,
      [
        ['raw', false, raw],
        ['log', false, { text: 'ab' }],
      ],
    ]);
    const pieces = updates.slice(0, -1).filter(({ artifacts }) => artifacts.length > 0);
    expect(pieces.map(({ isWhole }) => isWhole)).toEqual([false, false, false]);
    expect(piecesOf(pieces.at(-1)!)).toEqual([['log', true, { text: 'b' }]]);
  });

  test('a question of the other agent is answered, and its task goes on', async () => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const child = ctx.delegate(id('carol'), 'paint it');
          const asked = await child.result();
          expect([asked.status, asked.question?.text]).toEqual(['input-required', 'which colour?']);
          await child.reply(await ctx.ask(asked.question));
          const { artifacts } = await child.result();
          return artifacts[0]!.text;
        },
      },
      carol: {
        onTask: async (_task, ctx) => `painted ${(await ctx.ask('which colour?')).text}`,
      },
    }));
    const bob = agents.alice.runtime.connect(idOf(agents.bob));
    const asked = await bob.task({ goal: 'house', id: 'h' }).result();
    expect(asked.document['question']).toMatchObject({ content: 'which colour?' });
    await bob.call('task.reply', { id: 'h', reply: 'red' });
    expect(textsOf(await bob.task({ goal: 'house', id: 'h' }).result())).toEqual(['painted red']);
  });

  test('many parts run side by side, and equal ones are not one', async () => {
    const gate = new Gate();
    let running = 0;
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const parts = ['a', 'a', 'b'].map((goal) => ctx.delegate(id('carol'), goal));
          const results = await Promise.all(parts.map((part) => part.result()));
          return results.map(({ artifacts }) => artifacts[0]!.text).join();
        },
      },
      carol: {
        onTask: async ({ text }) => {
          running += 1;
          if (running === 3) gate.open();
          await gate.opened;
          return text;
        },
      },
    }));
    const { artifacts, document } = await agents.alice.runtime
      .connect(idOf(agents.bob))
      .task('x')
      .result();
    expect(artifacts[0]!.text).toBe('a,a,b');
    const ids = (document['children'] as unknown as JsonObject[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  test('a task is given on in so many parts and no more', async () => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const goals = Array.from({ length: 65 }, (_, at) => String(at));
          for (const goal of goals) ctx.delegate(id('carol'), goal);
        },
      },
      carol: {},
    }));
    const { failure } = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(failure?.code).toBe('TOO_MANY_PARTS');
  });

  test.each<[string, string, (bob: Agent, carol: Agent) => void]>([
    ['is not known', 'CHILD_UNKNOWN', (bob, carol) => bob.book.entries.delete(idOf(carol))],
    ['refuses', 'CHILD_REFUSED', (bob, carol) => carol.book.entries.delete(idOf(bob))],
  ])('an agent that %s fails the task in words for its owner', async (_what, code, change) => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: { onTask: async (_task, ctx) => void (await ctx.delegate(id('carol'), 'x').result()) },
      carol: {},
    }));
    const { alice, bob, carol } = agents;
    change(bob, carol);
    const answer = await alice.runtime.connect(idOf(bob)).task('x').result();
    expect(answer).toMatchObject({ status: 'failed', failure: { code } });
  });
});
