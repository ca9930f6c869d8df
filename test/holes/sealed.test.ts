// Holes that were found in sealed messages of A2A: each test is what went on all the same, by its number.

import { describe, expect, test } from 'vitest';

import type { CallerEntry } from '../../profiles/auth/index.ts';
import { createCallers } from '../../profiles/auth/index.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { TaskError } from '../../src/tasks/error.ts';
import type { TestAgent } from '../support/a2a/agent.ts';
import { ENTRIES, onTask } from '../support/a2a/agent.ts';
import type { Answer } from '../support/a2a/ask.ts';
import { at } from '../support/a2a/ask.ts';
import { CELLS } from '../support/a2a/cells.ts';
import type { Cell } from '../support/a2a/cells.ts';
import type { Shape } from '../support/a2a/sealed.ts';
import { asOperator } from '../support/dialect/agent.ts';
import type { SealedSide } from '../support/sealed-face/user.ts';
import {
  entryOf,
  formOf,
  inForm,
  newSides,
  saying,
  sealFor,
  sealedAgentFor,
} from '../support/sealed-face/user.ts';

const [cell] = CELLS as [Cell];
const SOON_MS = 2_000;

/** The reason of a refusal; what was not refused has none. */
function reasonIn({ body, text }: Answer): string {
  const reason = at(body, 'error.data.0.reason');
  return typeof reason === 'string' ? reason : (/"reason":\s*"(\w+)"/.exec(text)?.[1] ?? 'none');
}

describe('A3 who carries a sealed message loses its rights #sealed-carrier', () => {
  async function carriedBy(
    one: Cell,
    operation: 'send' | 'stream',
  ): Promise<{ readonly side: SealedSide; readonly agent: TestAgent; readonly answer: Answer }> {
    const side = await newSides();
    let entries: readonly CallerEntry[] = ENTRIES;
    const callers = createCallers({ entries: () => entries });
    const agent = await sealedAgentFor(side, { runtime: { callers } });
    const message = inForm(formOf(one), await sealFor(side, saying('hold')));
    const asked = one.ask(agent, operation, { message, as: 'user', isWaiting: true });
    await expect.poll(() => statesOf(agent, side)).toEqual(['working']);
    entries = ENTRIES.filter(({ name }) => name !== 'user');
    const began = performance.now();
    const answer = await asked;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    return { side, agent, answer };
  }

  const statesOf = async (
    { runtime }: TestAgent,
    { user }: SealedSide,
  ): Promise<readonly string[]> => {
    const { tasks } = await runtime.tasks.list(asOperator(), { owner: user.agentId });
    return tasks.map(({ status }) => status.state);
  };

  test.each(CELLS)('A3 its stream ends, and the task does not: $name', async (one) => {
    const { side, agent, answer } = await carriedBy(one, 'stream');
    expect(answer.text).toMatch(/PERMISSION_DENIED|-32008|403|not (allowed|permitted|authorized)/i);
    expect(await statesOf(agent, side)).toEqual(['working']);
  });

  test('A3 so does the answer that it waits for', async () => {
    const { side, agent, answer } = await carriedBy(cell, 'send');
    expect(at(answer.body, 'error')).toBeDefined();
    expect(await statesOf(agent, side)).toEqual(['working']);
  });
});

describe('A6 what is refused for good of a sealed message stays so #sealed-final', () => {
  interface Wish {
    /** What the agent takes. */
    isWide: boolean;
    runs: number;
  }

  const send = (agent: TestAgent, message: Shape, as = 'user'): Promise<Answer> =>
    cell.ask(agent, 'send', { message: inForm('v1', message), as, isWaiting: true });

  async function newAgent(
    side: SealedSide,
    wish: Wish,
    more: Parameters<typeof sealedAgentFor>[1] = {},
  ): Promise<TestAgent> {
    return sealedAgentFor(side, {
      ...more,
      runtime: {
        accepts: () => {
          if (!wish.isWide) throw new TaskError('not today', { code: 'CLOSED' });
        },
        onTask: (task, ctx) => {
          wish.runs += 1;
          return onTask(task, ctx);
        },
        ...more.runtime,
      },
    });
  }

  test('A6 a task that the agent did not take, also at a later start', async () => {
    const [side, wish, store] = [await newSides(), { isWide: false, runs: 0 }, createMemoryStore()];
    const agent = await newAgent(side, wish, { runtime: { store } });
    const message = await sealFor(side, saying('echo'));
    const first = await send(agent, message);
    expect(reasonIn(first)).not.toBe('none');
    wish.isWide = true;
    const again = await send(agent, message);
    expect(at(again.body, 'error')).toEqual(at(first.body, 'error'));
    // Who else has the bytes is not even told of it.
    expect(reasonIn(await send(agent, message, 'other'))).toBe('SDL_ENVELOPE_REJECTED');
    await agent.runtime.close({ graceMs: 0 });
    const later = await newAgent(side, wish, { runtime: { store } });
    expect(at((await send(later, message)).body, 'error')).toEqual(at(first.body, 'error'));
    expect(wish.runs).toBe(0);
    expect(reasonIn(await send(later, await sealFor(side, saying('echo'))))).toBe('none');
    expect(wish.runs).toBe(1);
  });

  test('A6 a sender that had no right to tasks', async () => {
    const [side, wish] = [await newSides(), { isWide: true, runs: 0 }];
    const peers = [entryOf(side.user, { contentTypes: ['toolcall.v1'] })];
    const book = {
      snapshot: () => ({ find: (id: string) => peers.find((p) => p.agentId === id) }),
    };
    const agent = await newAgent(side, wish, {
      runtime: { peers: { ...book, list: () => peers } },
    });
    const message = await sealFor(side, saying('echo'));
    const first = await send(agent, message);
    expect(reasonIn(first)).toBe('SDL_ENVELOPE_REJECTED');
    peers[0] = entryOf(side.user);
    expect(at((await send(agent, message)).body, 'error')).toEqual(at(first.body, 'error'));
    expect(wish.runs).toBe(0);
    expect(reasonIn(await send(agent, await sealFor(side, saying('echo'))))).toBe('none');
  });

  test('A6 parts that the agent did not take', async () => {
    const [side, wish, store] = [await newSides(), { isWide: true, runs: 0 }, createMemoryStore()];
    const narrow = { face: { inputModes: ['text/plain'] }, runtime: { store } };
    const agent = await newAgent(side, wish, narrow);
    const parts = [{ text: 'echo', mediaType: 'text/markdown' }];
    const message = await sealFor(side, saying('', { parts }));
    const first = await send(agent, message);
    expect(at(first.body, 'error.code')).toBe(-32_005);
    await agent.runtime.close({ graceMs: 0 });
    const wide = await newAgent(side, wish, { runtime: { store } });
    expect(at((await send(wide, message)).body, 'error')).toEqual(at(first.body, 'error'));
    expect(wish.runs).toBe(0);
  });

  test('A6 what stands beside the envelope is no end of it', async () => {
    const [side, wish] = [await newSides(), { isWide: true, runs: 0 }];
    const agent = await newAgent(side, wish);
    const message = await sealFor(side, saying('echo'));
    const elsewhere = { message: inForm('v1', message, 'no-such-task'), as: 'user' };
    expect(reasonIn(await cell.ask(agent, 'send', elsewhere))).toBe('TASK_NOT_FOUND');
    expect(reasonIn(await send(agent, message))).toBe('none');
    expect(wish.runs).toBe(1);
  });
});
