// The example of a task that asks: killed half way and started again, it does not ask again and loses nothing.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import { closeClients, openHome, operatorClient } from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';

afterAll(async () => {
  await closeClients();
  await stopDaemons();
});

const EXAMPLE = pathToFileURL(join(import.meta.dirname, '../../../examples/ask-agent/handler.mjs'));

/** The example, except that its first attempt goes no further than its fifth page. */
const HANDLER = `
import { onTask as example } from ${JSON.stringify(EXAMPLE.href)};
export async function* onTask(task, ctx) {
  const checkpoint = async (value) => {
    await ctx.checkpoint(value);
    if (ctx.attempt === 1 && value.page === 5) await new Promise(() => undefined);
  };
  yield* example(task, Object.create(ctx, { checkpoint: { value: checkpoint } }));
}`;

async function agentOf(home: string, { urls, agentId }: RunningDaemon): Promise<RemoteAgent> {
  return operatorClient(await openHome(home)).connect(urls.ipc, { agentId });
}

describe('#task-recovery the example of a task that asks', () => {
  test('goes on after a crash with the answer that it got before', async () => {
    const home = daemonFolder();
    const options = [`--handler=${daemonFile('handler.mjs', HANDLER)}`];
    const first = await startDaemon(home, options);
    const agent = await agentOf(home, first);
    const asked = await agent.task({ id: 'book', goal: 'ten pages' }).result();
    expect(asked.status).toBe('input-required');
    await agent.call('task.reply', { id: 'book', reply: 'blue' });
    const payload = { tool: 'task.watch', call_id: 'c', args: { id: 'book' }, expect: {} };
    for await (const { payload: told } of agent.request(
      { ct: 'toolcall.v1', payload },
      { stream: true },
    )) {
      if (JSON.stringify(told).includes('page 4 in blue')) break;
    }
    first.signal('SIGKILL');
    await first.ended;
    const second = await startDaemon(home, options);
    const document = await (await agentOf(home, second)).call('task.watch', { id: 'book' });
    const { status, artifacts } = document as { status: string; artifacts: JsonObject[] };
    expect(status).toBe('completed');
    const pages = Array.from({ length: 10 }, (_, page) => `page ${page} in blue\n`);
    expect(artifacts.map(({ text }) => text)).toEqual([pages.join('')]);
  }, 120_000);
});
