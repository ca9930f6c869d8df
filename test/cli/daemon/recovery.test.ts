// A daemon that is killed and started again goes on with its tasks at once. A lease lasts ten minutes here, so that who
// waits for one fails.

import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { homeAt } from '../../../cli/home/home.ts';
import { nodeIdOf } from '../../../cli/home/node-id.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import { closeClients, openHome, operatorClient } from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { newFolder } from '../../support/agents/cli.ts';
import { schemaAt, server } from '../../support/stores/postgres.ts';

afterAll(async () => {
  await closeClients();
  await stopDaemons();
});

/** Hands over which attempt it is: the first one not before the gate is open. */
function handlerFile(gate: string): string {
  return daemonFile(
    'handler.mjs',
    `import { existsSync } from 'node:fs';
     import { setTimeout } from 'node:timers/promises';
     export async function onTask(_task, ctx) {
       while (ctx.attempt === 1 && !existsSync(${JSON.stringify(gate)})) await setTimeout(5);
       return 'attempt ' + ctx.attempt;
     }`,
  );
}

function optionsOf(gate: string): string[] {
  const config = { tasks: { lease_s: 600, recover_every_s: 600 } };
  return [
    `--config=${daemonFile('config.json', JSON.stringify(config))}`,
    `--handler=${handlerFile(gate)}`,
  ];
}

async function agentOf(home: string, { urls, agentId }: RunningDaemon): Promise<RemoteAgent> {
  return operatorClient(await openHome(home)).connect(urls.ipc, { agentId });
}

/** Resolves when it is stored, with the lease of who works on it. */
async function begin(agent: RemoteAgent, id: string): Promise<void> {
  await agent.task({ id, goal: 'wait', constraints: { time_budget_s: 0 } }).result();
}

async function outputOf(agent: RemoteAgent, id: string): Promise<unknown> {
  const { artifacts } = (await agent.call('task.watch', { id }, { timeoutMs: 60_000 })) as {
    artifacts: JsonObject[];
  };
  return artifacts[0]?.['text'];
}

async function kill(daemon: RunningDaemon): Promise<void> {
  daemon.signal('SIGKILL');
  await daemon.ended;
}

describe('#task-recovery a daemon that was killed', () => {
  test('takes its tasks up as soon as it is back', async () => {
    const home = daemonFolder();
    const options = optionsOf(join(home, 'never'));
    const first = await startDaemon(home, options);
    await begin(await agentOf(home, first), 't');
    await kill(first);
    const second = await startDaemon(home, options);
    expect(await outputOf(await agentOf(home, second), 't')).toBe('attempt 2');
    // What it did before it was ready is told after that.
    expect(second.log()[0]).toMatchObject({ event: 'ready' });
    await second.logged(
      ({ event, task, attempt }) => event === 'task' && task === 't' && attempt === 2,
    );
  }, 120_000);

  test.skipIf(server === undefined)(
    'takes up its own and leaves those of another node alone, also if that is a copy of it',
    async () => {
      const [home, copy] = [daemonFolder(), daemonFolder()];
      const gate = join(daemonFolder(), 'gate');
      const { url } = server!;
      const schema = schemaAt(`recovery_${randomUUID().slice(0, 8)}`);
      const store = `${url}${url.includes('?') ? '&' : '?'}schema=${schema}\n`;
      const options = [...optionsOf(gate), `--store=@${daemonFile('store.url', store)}`];
      const first = await startDaemon(home, options);
      for (const part of ['keys', 'peers', 'data']) {
        cpSync(join(home, part), join(copy, part), { recursive: true });
      }
      expect(existsSync(homeAt(copy).node)).toBe(true);
      const other = await startDaemon(copy, options);
      await begin(await agentOf(home, first), 'own');
      await begin(await agentOf(copy, other), 'foreign');
      await kill(first);
      const second = await startDaemon(home, options);
      const agent = await agentOf(home, second);
      expect(await outputOf(agent, 'own')).toBe('attempt 2');
      writeFileSync(gate, '');
      expect(await outputOf(agent, 'foreign')).toBe('attempt 1');
    },
    180_000,
  );
});

describe('the name of a home among nodes', () => {
  test('stays, and is another in a copy or where the file cannot be read', async () => {
    const [home, copy] = [homeAt(newFolder()), homeAt(newFolder())];
    for (const { data } of [home, copy]) mkdirSync(data);
    const id = await nodeIdOf(home);
    expect(await nodeIdOf(home)).toBe(id);
    cpSync(home.node, copy.node);
    const copied = await nodeIdOf(copy);
    expect(copied).not.toBe(id);
    expect(await nodeIdOf(copy)).toBe(copied);
    writeFileSync(copy.node, '{');
    expect(await nodeIdOf(copy)).not.toBe(copied);
  });
});
