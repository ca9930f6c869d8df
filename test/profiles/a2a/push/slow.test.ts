// Proves that a web hook that is slow or dead delays no task, and no other hook: not of another host, not of another
// owner, and not of its own host either, as long as that has places left.

import { describe, expect, test } from 'vitest';

import { agentFor } from '../../../support/a2a/agent.ts';
import { textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import { isEnd, receiverFor } from '../../../support/a2a/receiver.ts';

const [cell] = CELLS as [Cell];
const MANY = 60;

describe('#task-hooks #a2a-push-delivery a web hook that never answers', () => {
  test('delays no task and no other hook', async () => {
    const silent = await receiverFor();
    const good = await receiverFor();
    silent.reply = ({ path }) => (path === '/good' ? { status: 200 } : undefined);
    const agent = await agentFor({ isOpen: false, face: { allowLoopbackHooks: true } });
    const send = async (url: string, as = 'user'): Promise<string> => {
      const sent = await cell.ask(agent, 'send', { text: 'hello', push: { url }, as });
      return textAt(cell.taskOf(sent), 'status.state');
    };
    for (let nth = 0; nth < MANY; nth += 1) {
      expect(await send(silent.url(`/dead-${nth}`))).toBe('TASK_STATE_COMPLETED');
    }
    await silent.until((all) => all.length >= MANY);
    // Of the same owner and host, of another host, and of another owner.
    expect(await send(silent.url('/good'))).toBe('TASK_STATE_COMPLETED');
    await send(good.url('/same-owner'));
    await send(good.url('/other-owner'), 'other');
    await silent.until(() => silent.at('/good').some(isEnd));
    await good.until(() =>
      ['/same-owner', '/other-owner'].every((path) => good.at(path).some(isEnd)),
    );
    // Those that do not answer are still waited for: each had one try, which has not ended.
    const dead = silent.all.filter(({ path }) => path !== '/good');
    expect(new Set(dead.map(({ path }) => path)).size).toBe(MANY);
    expect(dead).toHaveLength(MANY);
  });

  test('does not keep the agent from stopping', async () => {
    const silent = await receiverFor();
    silent.reply = () => undefined;
    const hookFetch = { timeoutMs: 60_000 };
    const agent = await agentFor({ face: { allowLoopbackHooks: true, hookFetch } });
    await cell.ask(agent, 'send', { text: 'hello', push: { url: silent.url() } });
    await silent.until((all) => all.length > 0);
    const before = Date.now();
    await agent.runtime.close({ graceMs: 0 });
    expect(Date.now() - before).toBeLessThan(9_000);
  });
});
