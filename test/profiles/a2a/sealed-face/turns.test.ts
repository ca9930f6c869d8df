// Proves what is said over several turns, attempts and requests at once: numbers stay whole, artifacts go on, and what clear
// would change is sealed.

import { describe, expect, test } from 'vitest';

import type { Strength } from '../../../../profiles/a2a/sealed/index.ts';
import { LosslessNumber } from '../../../../src/codec/value.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { OnTask } from '../../../../src/tasks/context.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import type { Frame, Json } from '../../../support/a2a/ask.ts';
import { at, framesOf, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import { MODES } from '../../../support/a2a/sealed.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import {
  framed,
  inForm,
  newSides,
  opened,
  openedStream,
  saying,
  sealFor,
  sealedAgentFor,
  textIn,
} from '../../../support/sealed-face/user.ts';

const [cell] = CELLS as [Cell];

async function send(agent: TestAgent, message: Shape, id?: string): Promise<Json> {
  const answer = await cell.ask(agent, 'send', { message: inForm('v1', message, id), as: 'user' });
  return cell.taskOf(answer)!;
}

describe.each(MODES)('mode %s #sealed-tasks', (mode: Strength) => {
  test('an artifact that goes on in the next turn', async () => {
    const side = await newSides();
    const onTask: OnTask = async function* work(_task, ctx) {
      yield ctx.artifact({ id: 'the-list', name: 'the-list', text: 'one ' });
      const reply = await ctx.ask('more?');
      yield ctx.artifact({ id: 'the-list', text: `two ${reply.text}`, append: true, last: true });
    };
    const agent = await sealedAgentFor(side, { runtime: { onTask } });
    const first = await sealFor(side, saying('begin'), mode);
    const waiting = await send(agent, first);
    expect(textIn((await opened(side, waiting, first)).artifacts)).toContain('one ');
    const second = await sealFor(side, saying('three'), mode);
    const ended = await send(agent, second, textAt(waiting, 'id'));
    const whole = await opened(side, ended, [first, second]);
    const texts = textIn(whole.artifacts);
    expect(texts).toContain('one ');
    expect(texts).toContain('two three');
    if (mode === 'enc+sig') expect(JSON.stringify([waiting, ended])).not.toContain('the-list');
  });

  test('data that wires change, beside words that they do not', async () => {
    const side = await newSides();
    const onTask: OnTask = async (_task, ctx) => {
      await ctx.artifact({ id: 'list', json: [1, 2] });
      await ctx.artifact({ id: 'list', text: 'and words', append: true });
      await ctx.artifact({ id: 'large', json: { n: new LosslessNumber('12345678901234567891') } });
      await ctx.answer('said', { isTask: true });
    };
    const agent = await sealedAgentFor(side, { runtime: { onTask } });
    const request = await sealFor(side, saying('begin'), mode);
    const message = inForm('v1', request);
    const frames = await cell.frames(agent, 'stream', { message, as: 'user' });
    const events = await openedStream(
      side,
      frames.map(({ data }) => framed(cell, data)),
      request,
    );
    expect(events.at(-1)!.receipt).toMatchObject({ state: 'completed', coversAll: true });
    const id = textAt(framed(cell, frames[0]!.data), 'task.id');
    const got = cell.resultOf(await cell.ask(agent, 'get', { id, as: 'user' }));
    const whole = await opened(side, got, request);
    expect(textIn(whole.artifacts)).toContain('and words');
    expect(textIn(whole.artifacts)).toContain('[1,2]');
    expect(textIn(whole.messages)).toContain('said');
  });

  test('a second request while the first is worked on', async () => {
    const side = await newSides();
    const agent = await sealedAgentFor(side);
    const first = await sealFor(side, saying('next'), mode);
    const stream = framesOf(
      await cell.fetch(agent, 'stream', { message: inForm('v1', first), as: 'user' }),
    );
    const frames = [framed(cell, (await stream.next()).value!.data)];
    const id = textAt(frames[0], 'task.id');
    const second = await sealFor(side, saying('blue'), mode);
    const ended = await send(agent, second, id);
    const whole = await opened(side, ended, [first, second]);
    expect(whole.state).toBe('completed');
    expect(textIn(whole.artifacts)).toContain('then blue');
    // Who streams the first knows of no second.
    for await (const { data } of stream) frames.push(framed(cell, data));
    const events = await openedStream(side, frames, first);
    expect(events.at(-1)!.receipt).toMatchObject({ state: 'completed', coversAll: true });
  });

  test('an attempt that begins anew takes back what the one before it said', async () => {
    const side = await newSides();
    const store = createMemoryStore();
    const onTask: OnTask = async function* work(_task, ctx) {
      yield ctx.artifact({ id: 'list', text: ctx.attempt === 1 ? 'half' : 'whole' });
      if (ctx.attempt > 1) return;
      yield ctx.artifact({ id: 'other', text: 'only once' });
      await new Promise<void>((resolve) => {
        ctx.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      ctx.signal.throwIfAborted();
    };
    const start = (node: string): Promise<TestAgent> =>
      sealedAgentFor(side, { runtime: { onTask, store, tasks: { node, recoverEveryMs: 20 } } });
    const agent = await start('one');
    const request = await sealFor(side, saying('begin'), mode);
    const stream = framesOf(
      await cell.fetch(agent, 'stream', { message: inForm('v1', request), as: 'user' }),
    );
    const seen: Frame[] = [];
    for await (const frame of stream) {
      seen.push(frame);
      if (JSON.stringify(frame).includes('"n":2')) break;
    }
    await agent.runtime.close({ graceMs: 0 });
    const again = await start('two');
    const id = textAt(framed(cell, seen[0]!.data), 'task.id');
    const headers = { 'last-event-id': seen.at(-1)!.id! };
    const rest = await cell.frames(again, 'subscribe', { id, as: 'user', headers });
    const all = [...seen, ...rest].map(({ data }) => framed(cell, data));
    const events = await openedStream(side, all, request);
    expect(events.at(-1)!.receipt).toMatchObject({ state: 'completed', coversAll: true });
    const got = cell.resultOf(await cell.ask(again, 'get', { id, as: 'user' }));
    const whole = await opened(side, got, request);
    expect(textIn(whole.artifacts)).toContain('whole');
    expect(textIn(whole.artifacts)).not.toMatch(/half|only once/);
    expect(at(got, 'status.state')).toBe('TASK_STATE_COMPLETED');
  });
});
