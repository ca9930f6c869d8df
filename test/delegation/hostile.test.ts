// A child that tells more than anybody wants to know, and output that is handed on piece by piece.

import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import type { ContentHandler } from '../../src/content.ts';
import { INITIAL_STATE, makeState } from '../../src/state/document.ts';
import type { Agent } from '../support/agents/agents.ts';
import { agentsThatKnowEachOther } from '../support/agents/delegating-agents.ts';

const PARTS = 40;
const BELOW = 65;

function idOf(agent: Agent): string {
  return agent.identity.agentId;
}

/** Answers every task as done, with one part more below it than is read. */
const boaster: ContentHandler = {
  ct: 'task.v1',
  handle: async (payload) => {
    const { context } = payload as { context: { task: { id: string } } };
    const children = Array.from({ length: BELOW }, (_, at) => ({
      agent_id: `${at}`.padEnd(200, 'a'),
      id: `${at}`,
      status: 'completed',
    }));
    const document = {
      status: 'completed',
      goal: 'g',
      task: { id: context.task.id, generation: 3 },
      artifacts: [],
      children,
    };
    return { ct: 'state.v1', payload: { ...makeState(INITIAL_STATE, document) } };
  },
};

function bytesOf(value: JsonValue | undefined): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

describe('#state-task a task whose parts tell of many below them', () => {
  test('can be answered and asked for, and says where it was cut', async () => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const goals = Array.from({ length: PARTS }, (_, at) => `part ${at}`);
          const parts = goals.map((goal) => ctx.delegate(id('carol'), goal));
          await Promise.all(parts.map((part) => part.result()));
          return 'all done';
        },
      },
      carol: { contents: [boaster] },
    }));
    const bob = agents.alice.runtime.connect(idOf(agents.bob));
    const answer = await bob.task({ goal: 'x', id: 't' }).result();
    expect([answer.status, answer.artifacts[0]!.text]).toEqual(['completed', 'all done']);
    const { children } = (await bob.call('task.get', { id: 't' })) as JsonObject;
    const told = children as unknown as (JsonObject & { children?: JsonObject[] })[];
    expect(told).toHaveLength(PARTS);
    expect(bytesOf(children)).toBeLessThan(70_000);
    expect([told[0]!['cut'], told[0]!.children!.length]).toEqual([true, BELOW - 1]);
    expect([told.at(-1)!['cut'], told.at(-1)!.children]).toEqual([true, undefined]);
  });
});

describe('#exchange output of a part that is handed on as it comes', () => {
  test('is in the same pieces, and ends where those ended', async () => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async function* handOn(_task, ctx) {
          for await (const { artifacts, hasEnded } of ctx.delegate(id('carol'), 'x')) {
            if (hasEnded) continue;
            for (const artifact of artifacts) {
              yield ctx.artifact({ ...artifact, last: artifact.isComplete });
            }
          }
        },
      },
      carol: {
        onTask: async function* work(_task, ctx) {
          yield ctx.artifact({ name: 'log', text: 'a' });
          yield ctx.artifact({ name: 'log', text: 'b', append: true, last: true });
          yield ctx.artifact({ name: 'raw', bytes: new Uint8Array([1]) });
          yield ctx.artifact({ name: 'raw', bytes: new Uint8Array([2]), append: true });
        },
      },
    }));
    const { artifacts } = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(artifacts.map(({ parts, isComplete }) => [parts[0], isComplete])).toEqual([
      [{ text: 'ab' }, true],
      [{ bytes: new Uint8Array([1, 2]) }, false],
    ]);
  });
});
