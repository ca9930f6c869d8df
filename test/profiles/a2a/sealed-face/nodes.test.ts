// Proves that sealed tasks outlive nodes: after a restart and at another node who brought one finds it, events have the
// same numbers, repeats change nothing; and that web hooks are told in envelopes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Store } from '../../../../src/stores/store.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { openAgent } from '../../../support/a2a/agent.ts';
import { textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import { isEnd, receiverFor } from '../../../support/a2a/receiver.ts';
import type { SealedSide } from '../../../support/sealed-face/user.ts';
import {
  SECRET,
  formOf,
  framed,
  inForm,
  knowing,
  newSides,
  opened,
  openedStream,
  saying,
  sealFor,
  sealedAgentFor,
  textIn,
} from '../../../support/sealed-face/user.ts';
import { SHARED_KINDS } from '../../../support/a2a/store-kinds.ts';

const [cell] = CELLS as [Cell];

function nodeOn(side: SealedSide, store: Store, node: string): Promise<TestAgent> {
  return sealedAgentFor(side, {
    face: { allowLoopbackHooks: true },
    runtime: { store, tasks: { node, leaseMs: 500, recoverEveryMs: 30 } },
  });
}

describe.each(SHARED_KINDS)('$name #sealed-carrier #sealed-numbers #sealed-streams', (kind) => {
  test('a restart, and another node', { timeout: 30_000 }, async () => {
    const side = await newSides();
    const place = kind.newPlace();
    const first = await nodeOn(side, await place.connect(), 'one');
    const asking = await sealFor(side, saying('ask'));
    const message = inForm('v1', asking);
    const sent = await cell.ask(first, 'send', { message, as: 'user' });
    const id = textAt(cell.taskOf(sent), 'id');
    const chunks = await sealFor(side, saying('chunks'));
    const streamed = await cell.frames(first, 'stream', {
      message: inForm('v1', chunks),
      as: 'user',
    });
    const live = await openedStream(
      side,
      streamed.map(({ data }) => framed(cell, data)),
      chunks,
    );
    await first.runtime.close({ graceMs: 0 });

    const second = await nodeOn(side, await place.connect(), 'two');
    const third = await nodeOn(side, await place.connect(), 'three');
    const again = await cell.ask(second, 'send', { message, as: 'user' });
    expect(textAt(cell.taskOf(again), 'id')).toBe(id);
    const chunkId = textAt(framed(cell, streamed[0]!.data), 'task.id');
    const stored = await cell.ask(second, 'get', { id: chunkId, as: 'user' });
    const whole = await opened(side, cell.resultOf(stored), chunks);
    expect(whole.receipt!.digest).toBe(live.at(-1)!.receipt!.digest);
    const foreign = await cell.ask(third, 'get', { id, as: 'other' });
    expect(cell.reasonOf(foreign)).toBe('TASK_NOT_FOUND');
    const reply = await sealFor(side, saying(SECRET));
    const ended = await cell.ask(third, 'send', { message: inForm('v1', reply, id), as: 'user' });
    const end = await opened(side, cell.taskOf(ended), [asking, reply]);
    expect(textIn(end.artifacts)).toContain(`told ${SECRET}`);
    const repeated = await cell.ask(second, 'send', {
      message: inForm('v1', reply, id),
      as: 'user',
    });
    const same = await opened(side, cell.taskOf(repeated), [asking, reply]);
    expect(same.receipt!.digest).toBe(end.receipt!.digest);
  });

  test('what is left of a stream, by the id of its last event', { timeout: 30_000 }, async () => {
    const side = await newSides();
    const place = kind.newPlace();
    const first = await nodeOn(side, await place.connect(), 'one');
    const request = await sealFor(side, saying('chunks'));
    const frames = await cell.frames(first, 'stream', {
      message: inForm('v1', request),
      as: 'user',
    });
    const id = textAt(framed(cell, frames[0]!.data), 'task.id');
    const second = await nodeOn(side, await place.connect(), 'two');
    const [seen, rest] = [frames.slice(0, 3), frames.slice(3)];
    const headers = { 'last-event-id': seen.at(-1)!.id! };
    const later = await cell.frames(second, 'subscribe', { id, as: 'user', headers });
    expect(later.map((frame) => frame.id)).toEqual(rest.map((frame) => frame.id));
    const joined = [...seen, ...later].map(({ data }) => framed(cell, data));
    const events = await openedStream(side, joined, request);
    expect(events.at(-1)!.receipt).toMatchObject({ events: 3, coversAll: true });
  });
});

describe('#sealed-push web hooks', () => {
  let side: SealedSide;
  let agent: TestAgent;
  beforeAll(async () => {
    side = await newSides();
    agent = await openAgent(knowing(side, { face: { allowLoopbackHooks: true } }));
  });
  afterAll(() => agent.runtime.close({ graceMs: 0 }));

  test.each(CELLS)('of $name hear all of it in envelopes', async (one) => {
    const receiver = await receiverFor();
    const request = await sealFor(side, saying('ask'));
    const form = formOf(one);
    const sent = await one.ask(agent, 'send', {
      message: inForm(form, request),
      as: 'user',
      push: { id: 'a', url: receiver.url('/first') },
    });
    const id = textAt(one.taskOf(sent), 'id');
    const made = await one.ask(agent, 'createPush', {
      id,
      as: 'user',
      push: { id: 'b', url: receiver.url('/second') },
    });
    expect(made.status).toBeLessThan(300);
    const listed = await one.ask(agent, 'listPush', { id, as: 'user' });
    expect(one.pushesOf(listed)).toHaveLength(2);
    const reply = await sealFor(side, saying(SECRET));
    await one.ask(agent, 'send', { message: inForm(form, reply, id), as: 'user' });
    await receiver.until((all) => all.filter(isEnd).length >= 2);
    const bodies = receiver.all.map(({ body }) => body);
    expect(JSON.stringify(bodies)).not.toMatch(/which\?|the-secret/);
    const told = receiver.at('/first').map(({ body }) => body);
    // The second request is not answered where the first one is.
    const events = await openedStream(side, told, [request, reply], { policy: 'prefer' });
    expect(events.at(-1)).toMatchObject({ state: 'completed', receipt: { coversAll: true } });
    expect(textIn(events.flatMap(({ artifacts }) => artifacts))).toContain(`told ${SECRET}`);
    const whole = await opened(side, receiver.at('/second')[0]!.body, request);
    expect(whole.state).toBe('input-required');
  });
});
