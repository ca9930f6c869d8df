// Proves that a task whose time is over is still told to the web hooks that have not heard all of it, while it is gone
// for everybody else, and that it goes for good afterwards.

import { describe, expect, test } from 'vitest';

import type { TestAgent } from '../../../support/a2a/agent.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import { at, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Delivery, Receiver } from '../../../support/a2a/receiver.ts';
import { isEnd, receiverFor } from '../../../support/a2a/receiver.ts';
import { STORE_KINDS } from '../../../support/a2a/store-kinds.ts';
import type { Store } from '../../../../src/stores/store.ts';

const [cell] = CELLS as [Cell];
const generationOf = ({ headers }: Delivery): number =>
  Number(String(headers['a2a-sdl-delivery']).split('.').at(-1));

function nodeOn(store: Store, tasks = {}): Promise<TestAgent> {
  return agentFor({
    face: { allowLoopbackHooks: true },
    runtime: { store, tasks: { retentionMs: 0, recoverEveryMs: 20, ...tasks } },
  });
}

/** The id of a task that has ended since, with a web hook that was tried in vain. */
async function endedWith(agent: TestAgent, receiver: Receiver): Promise<string> {
  const sent = await cell.ask(agent, 'send', { text: 'ask', push: { url: receiver.url() } });
  const id = textAt(cell.taskOf(sent), 'id');
  await receiver.until((all) => all.length > 0);
  await cell.ask(agent, 'send', { id, text: 'red' });
  return id;
}

/** What a caller finds of a task, and how many its list says there are. */
async function seenOf(agent: TestAgent, id: string): Promise<readonly unknown[]> {
  // Who lists tasks removes those whose time is over.
  const list = await cell.ask(agent, 'list');
  const got = await cell.ask(agent, 'get', { id });
  return [at(cell.resultOf(list), 'totalSize'), cell.reasonOf(got)];
}

describe.each(STORE_KINDS)('$name #task-hooks #a2a-push-delivery', (kind) => {
  test('a receiver that was away is told all of a task whose time is over', async () => {
    const store = await kind.newPlace().connect();
    const receiver = await receiverFor();
    let isAway = true;
    receiver.reply = () => ({ status: isAway ? 503 : 200 });
    const agent = await nodeOn(store);
    const id = await endedWith(agent, receiver);
    expect(await seenOf(agent, id)).toEqual([0, 'TASK_NOT_FOUND']);
    expect(await store.count('task', { index: { phase: 'untold' } })).toBe(1);
    const created = await cell.ask(agent, 'createPush', { id, push: { url: receiver.url() } });
    expect(cell.reasonOf(created)).toBe('TASK_NOT_FOUND');
    isAway = false;
    await receiver.until((all) => all.some(isEnd));
    const heard = [...new Set(receiver.all.map(generationOf))];
    expect(heard).toEqual(heard.map((_one, nth) => nth + 1));
    const left = async (): Promise<number[]> =>
      Promise.all(['task', 'task-hook', 'outbox'].map((space) => store.count(space)));
    await expect.poll(left, { timeout: 20_000 }).toEqual([0, 0, 0]);
    expect(await store.tally('tasks')).toEqual({ count: 0, sum: 0 });
  });

  test('what nobody can be told of makes room for the next task of its owner', async () => {
    const store = await kind.newPlace().connect();
    const receiver = await receiverFor();
    receiver.reply = () => ({ status: 503 });
    const agent = await nodeOn(store, { maxTasksPerOwner: 1 });
    const first = await endedWith(agent, receiver);
    expect(await seenOf(agent, first)).toEqual([0, 'TASK_NOT_FOUND']);
    const second = await cell.ask(agent, 'send', { text: 'hold', isWaiting: false });
    expect(textAt(cell.taskOf(second), 'id')).not.toBe('');
    expect(await store.count('task', { index: { phase: 'untold' } })).toBe(0);
  });
});
