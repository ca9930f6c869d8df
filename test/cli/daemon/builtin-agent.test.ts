// Proves the agent that runs when no other is given: it does what the tools can do, and says so otherwise.

import { describe, expect, test } from 'vitest';
import { createBuiltinAgent } from '../../../cli/daemon/builtin-agent.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { documentIn, payloadWith, taskFace } from '../../support/agents/task-face.ts';
import type { TaskFace } from '../../support/agents/task-face.ts';
import { makePeer } from '../../support/trust/peers.ts';
import { rightsOf } from '../../support/trust/rights.ts';
import { alice } from '../../support/wire/envelopes.ts';

const agent = taskFace(createBuiltinAgent());

async function outcome(members: JsonObject, face: TaskFace = agent): Promise<JsonObject> {
  return documentIn((await face.give(payloadWith(undefined, members))).at(-1)!);
}

async function resultOf(members: JsonObject): Promise<unknown> {
  const { artifacts, status } = await outcome(members);
  const [item] = artifacts as unknown as JsonObject[];
  return item === undefined ? status : JSON.parse(item['text'] as string);
}

describe('#task-answer the built-in agent', () => {
  test.each([
    ['sum 1 2 3', { sum: 6 }],
    ['  Sum 0.1, 0.2 ', { sum: 0.3 }],
    ['sum 1 + 2e3', { sum: 2_001 }],
    ['math.add {"values":[4,5]}', { sum: 9 }],
  ])('the goal %j is done', async (goal, result) => {
    expect(await resultOf({ goal })).toEqual(result);
  });

  test('ping gives back what it was sent', async () => {
    expect(await resultOf({ goal: 'ping hello  there\nyou' })).toMatchObject({
      pong: true,
      echo: { message: 'hello  there\nyou' },
    });
    expect(await resultOf({ goal: 'sys.ping' })).toMatchObject({ echo: {} });
  });

  test('inputs go before the goal', async () => {
    const inputs = { tool: 'math.add', args: { values: [1, 1] } };
    expect(await resultOf({ goal: 'ping', inputs })).toEqual({ sum: 2 });
  });

  test('progress is streamed, and the result has a digest', async () => {
    const answers = await agent.give(payloadWith('streamed', { goal: 'sum 1' }));
    expect(answers.map(({ ct }) => ct)).toEqual([
      'state.v1',
      'state.v1',
      'state.v1',
      'artifact.v1',
      'state.v1',
      'state.v1',
    ]);
    expect(documentIn(answers.at(-1)!)).toMatchObject({
      status: 'completed',
      progress: { message: 'done', fraction: 1 },
      artifacts: [{ name: 'result', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
    });
  });

  test.each([
    'Summarise the news',
    'sum',
    'sum a b',
    'sum 1 "2"',
    'math.add [1]',
    '__proto__',
    ' ',
  ])('the goal %j is not understood, and the answer says what is', async (goal) => {
    const { status, error } = await outcome({ goal });
    expect(status).toBe('failed');
    expect(error).toMatchObject({
      message: expect.stringMatching(/math\.add, sys\.ping.*"sum 1 2 3"/s),
    });
  });

  test('a sender that may call no tools is told that there are none for it', async () => {
    const rights = rightsOf([makePeer(alice.agent_id, { tools: [] })]);
    const narrowed = taskFace(createBuiltinAgent(), { rights });
    const { error } = await outcome({ goal: 'sum 1' }, narrowed);
    expect(error).toMatchObject({ message: expect.stringContaining('no tools for you') });
  });
});
