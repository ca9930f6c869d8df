// Proves that an agent takes what goes on with a sealed task only where it belongs: whoever writes another task id on the
// way gets a refusal that has a name, before anything is done.

import { describe, expect, test } from 'vitest';

import type { FollowHandle, Opened } from '../../../../profiles/a2a/sealed/index.ts';
import type { OnTask } from '../../../../src/tasks/context.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import type { Answer } from '../../../support/a2a/ask.ts';
import { at, framesOf, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import type { SealedSide } from '../../../support/sealed-face/user.ts';
import {
  formOf,
  framed,
  inForm,
  newSides,
  opened,
  saying,
  sealFor,
  sealedAgentFor,
} from '../../../support/sealed-face/user.ts';

const [cell] = CELLS as [Cell];

/** A task that waits, as its user has it. */
interface Asking {
  readonly id: string;
  readonly request: Shape;
  readonly question: Opened;
}

/** An agent that asks before it does something, and what it did. */
async function asker(more: Parameters<typeof sealedAgentFor>[1] = {}): Promise<{
  side: SealedSide;
  agent: TestAgent;
  done: string[];
  codes: string[];
}> {
  const side = await newSides();
  const done: string[] = [];
  const codes: string[] = [];
  const onTask: OnTask = async (task, ctx) => {
    const first = await ctx.ask(`shall I ${task.text}?`);
    done.push(`${task.text}: ${first.text}`);
    if (task.text !== 'ask twice') return;
    const second = await ctx.ask('really?');
    done.push(`really: ${second.text}`);
  };
  const on = {
    outcome: ({ error }: { error?: { code: string } }) => void (error && codes.push(error.code)),
  };
  const agent = await sealedAgentFor(side, { runtime: { onTask, on }, ...more });
  return { side, agent, done, codes };
}

function send(agent: TestAgent, message: Shape, id?: string, one = cell): Promise<Answer> {
  return one.ask(agent, 'send', { message: inForm(formOf(one), message, id), as: 'user' });
}

async function asking(side: SealedSide, agent: TestAgent, goal: string): Promise<Asking> {
  const request = await sealFor(side, saying(goal));
  const waiting = cell.taskOf(await send(agent, request));
  return { id: textAt(waiting, 'id'), request, question: await opened(side, waiting, request) };
}

function reply(side: SealedSide, text: string, follows?: FollowHandle): Promise<Shape> {
  return sealFor(side, saying(text), 'enc+sig', follows);
}

async function stateOf(agent: TestAgent, id: string): Promise<string> {
  return textAt(cell.resultOf(await cell.ask(agent, 'get', { id, as: 'user' })), 'status.state');
}

const WAITS = 'TASK_STATE_INPUT_REQUIRED';
const DONE = 'TASK_STATE_COMPLETED';

describe('#sealed-follows what goes on with a sealed task', () => {
  test.each(['prefer', 'require'] as const)('under %s: only where it belongs', async (sealed) => {
    const { side, agent, done, codes } = await asker({ face: { sealed } });
    const pencil = await asking(side, agent, 'buy a pencil');
    const million = await asking(side, agent, 'wire one million');
    const yes = await reply(side, 'yes', pencil.question);
    for (const one of CELLS) {
      const refused = await send(agent, yes, million.id, one);
      expect(one.reasonOf(refused)).toBe('SDL_FOLLOWS_OTHER');
    }
    // Without a task it is none.
    expect(cell.reasonOf(await send(agent, yes))).toBe('SDL_FOLLOWS_OTHER');
    expect(new Set(codes)).toEqual(new Set(['BINDING_INVALID']));
    expect(done).toEqual([]);
    expect(await stateOf(agent, million.id)).toBe(WAITS);
    const taken = await send(agent, yes, pencil.id);
    expect(textAt(cell.taskOf(taken), 'status.state')).toBe(DONE);
    expect(done).toEqual(['buy a pencil: yes']);
  });

  test('what begins something new is no answer, nor is what names only the request', async () => {
    const { side, agent, done } = await asker();
    const { id, request } = await asking(side, agent, 'wire one million');
    for (const given of [undefined, request]) {
      const refused = await send(agent, await reply(side, 'yes', given), id);
      expect(at(refused.body, 'error.code')).toBe(-32_602);
      expect(cell.reasonOf(refused)).toBe('SDL_FOLLOWS_OTHER');
    }
    expect(done).toEqual([]);
    expect(await stateOf(agent, id)).toBe(WAITS);
  });

  test('an answer to one question is none to the next of the same task', async () => {
    const { side, agent, done } = await asker();
    const { id, request, question } = await asking(side, agent, 'ask twice');
    const [yes, again] = [await reply(side, 'yes', question), await reply(side, 'yes', question)];
    const second = await opened(side, cell.taskOf(await send(agent, yes, id)), [request, yes]);
    expect(cell.reasonOf(await send(agent, again, id))).toBe('SDL_FOLLOWS_OTHER');
    expect(done).toEqual(['ask twice: yes']);
    // A repeat of what was taken changes nothing and is no refusal.
    expect(textAt(cell.taskOf(await send(agent, yes, id)), 'status.state')).toBe(WAITS);
    const no = await send(agent, await reply(side, 'no', second), id);
    expect(textAt(cell.taskOf(no), 'status.state')).toBe(DONE);
    expect(done).toEqual(['ask twice: yes', 'really: no']);
  });

  test('a task that works takes what names it, and no other', async () => {
    const side = await newSides();
    const agent = await sealedAgentFor(side);
    const begin = async (): Promise<{ id: string; request: Shape }> => {
      const request = await sealFor(side, saying('next'));
      const message = inForm('v1', request);
      const stream = framesOf(await cell.fetch(agent, 'stream', { message, as: 'user' }));
      const first = framed(cell, (await stream.next()).value!.data);
      return { id: textAt(first, 'task.id'), request };
    };
    const [one, other] = [await begin(), await begin()];
    const more = await reply(side, 'blue', one.request);
    expect(cell.reasonOf(await send(agent, more, other.id))).toBe('SDL_FOLLOWS_OTHER');
    const ended = await send(agent, more, one.id);
    expect(textAt(cell.taskOf(ended), 'status.state')).toBe(DONE);
    const late = await send(agent, await reply(side, 'red', one.request), one.id);
    expect(cell.reasonOf(late)).toBe('UNSUPPORTED_OPERATION');
  });
});
