// Holes that were found in how a task of somebody else is followed: each test is what went wrong, by its number.

import { describe, expect, test } from 'vitest';

import { connectA2a } from '../../profiles/a2a/client/connect.ts';
import { BackOff } from '../../src/client/back-off.ts';
import type { Received } from '../../src/client/exchange.ts';
import { createRemoteTasks } from '../../src/client/remote-tasks.ts';
import type { A2aAgent } from '../../profiles/a2a/client/agent.ts';
import { hasEnded } from '../../profiles/a2a/client/following/fold.ts';
import type { Script } from '../support/a2a/scripted-agent.ts';
import {
  answerRpc,
  cardOf,
  scriptedAgent,
  streamRpc,
  taskJson,
} from '../support/a2a/scripted-agent.ts';

const ROUNDS = 40;
const SECOND_MS = 1_000;

/** A clock that only moves while somebody waits, and how long that was each time. */
class Waiting {
  readonly pauses: number[] = [];
  nowMs = 0;
  readonly now = (): number => this.nowMs;
  readonly wait = async (ms: number): Promise<void> => {
    this.pauses.push(ms);
    this.nowMs += ms;
  };
}

async function readAll(told: AsyncIterable<unknown>): Promise<void> {
  const reader = told[Symbol.asyncIterator]();
  while ((await reader.next()).done !== true);
}

/** More than four questions a second are too many, whatever is answered. */
function expectPace({ nowMs }: Waiting, questions: number): void {
  expect(questions).toBeGreaterThan(ROUNDS);
  expect(nowMs).toBeGreaterThanOrEqual(((questions - 2) * SECOND_MS) / 4);
}

describe('L6 an agent that answers at once that a task has not ended', () => {
  test.each<[string, (round: number) => number]>([
    ['and always has something new to tell', (round) => round],
    ['and never has', () => 1],
    ['and has something new every other time', (round) => Math.ceil(round / 2)],
  ])('L6 %s is not asked more than four times a second', async (_name, generationOf) => {
    const waiting = new Waiting();
    let asked = 0;
    const tasks = createRemoteTasks({
      call: () => Promise.reject(new Error('nobody is away')),
      stream: async function* () {
        asked += 1;
        const status = asked > ROUNDS ? 'completed' : 'working';
        const result = { status, task: { id: 't', generation: generationOf(asked) } };
        yield {
          type: 'res',
          ct: 'toolresult.v1',
          payload: { ok: true, result },
        } as unknown as Received;
      },
      services: async () => waiting,
      understanding: { knowsParts: async () => true, assertParts: async () => undefined },
    });
    await readAll(tasks.watch('t'));
    expectPace(waiting, asked);
  });

  const followed: [string, NonNullable<Script['card']>][] = [
    ['over streams that end at once', cardOf],
    ['without streams', (origin) => cardOf(origin, { capabilities: { streaming: false } })],
  ];
  test.each(followed)('L6 nor an agent of official A2A, %s', async (_name, card) => {
    const waiting = new Waiting();
    let asked = 0;
    const { origin } = await scriptedAgent({
      card,
      handle: (request, response) => {
        asked += 1;
        // Something new every time: another state.
        const states = ['WORKING', 'INPUT_REQUIRED'];
        const task = taskJson('t', asked > ROUNDS ? 'COMPLETED' : states[asked % 2]!);
        if (request.rpc === 'GetTask') answerRpc(response, request, task);
        else {
          const stream = streamRpc(response, request);
          stream.send({ task });
          stream.end();
        }
      },
    });
    const agent: A2aAgent = await connectA2a(origin, waiting);
    const isOver = ({ status }: { status: Parameters<typeof hasEnded>[0] }) => hasEnded(status);
    await readAll(agent.follow({ taskId: 't' }, { isOver }));
    expectPace(waiting, asked);
  });
});

describe('L6 an agent that has long been asked', () => {
  const backOffOf = ({ wait, now }: Waiting): BackOff =>
    new BackOff({ wait, now, signal: new AbortController().signal });

  test('L6 and has something new is asked at once: the pace is for those who do not let anybody wait', async () => {
    const waiting = new Waiting();
    const backOff = backOffOf(waiting);
    for (const [lasted, paused] of [
      [240_000, []],
      [250, []],
      [100, [150]],
      [0, [150, 250]],
    ] as const) {
      waiting.nowMs += lasted;
      await backOff.rest(true);
      expect(waiting.pauses).toEqual(paused);
    }
  });

  test('L6 a clock that goes back makes no pause longer', async () => {
    const waiting = new Waiting();
    const backOff = backOffOf(waiting);
    waiting.nowMs -= 3_600_000;
    await backOff.rest(true);
    expect(waiting.pauses).toEqual([250]);
  });
});
