// Proves that web hooks are told whatever becomes of nodes: after a restart without any request, by a node that has never
// heard of them, and that what they hold is a secret everywhere but in the store.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { evidence } from '../../../../profiles/assay/index.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { openSqliteStore } from '../../../../stores/sqlite/index.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import { textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Delivery } from '../../../support/a2a/receiver.ts';
import { isEnd, receiverFor } from '../../../support/a2a/receiver.ts';
import { driver, temporaryFolder } from '../../../support/stores/sqlite.ts';

const [cell] = CELLS as [Cell];
const generationOf = ({ headers }: Delivery): number =>
  Number(String(headers['a2a-sdl-delivery']).split('.').at(-1));

function nodeOn(store: Store, node: string, face = {}): Promise<TestAgent> {
  return agentFor({
    face: { allowLoopbackHooks: true, ...face },
    runtime: { store, tasks: { node, leaseMs: 500, recoverEveryMs: 30 } },
  });
}

describe.skipIf(driver === undefined)('#task-hooks web hooks on a store that nodes share', () => {
  const folder = temporaryFolder();
  let places = 0;
  const place = (): (() => Promise<Store>) => {
    const path = join(folder, `store-${(places += 1)}`);
    return () => openSqliteStore({ path, pollIntervalMs: 5 });
  };

  test('are told after a restart, without any request', async () => {
    const open = place();
    const receiver = await receiverFor();
    let isAway = true;
    receiver.reply = () => ({ status: isAway ? 503 : 200 });
    const first = await nodeOn(await open(), 'one');
    await cell.ask(first, 'send', { text: 'chunks', push: { url: receiver.url() } });
    await receiver.until((all) => all.length > 0);
    await first.runtime.close({ graceMs: 0 });
    isAway = false;
    const before = receiver.all.length;
    await nodeOn(await open(), 'two');
    await receiver.until((all) => all.some(isEnd));
    const after = receiver.all.slice(before).map(generationOf);
    expect(after).toEqual(after.map((_one, at) => at + 1));
  });

  test('are told by a node that has not served them, as soon as something is new', async () => {
    const open = place();
    const receiver = await receiverFor();
    const first = await nodeOn(await open(), 'one');
    const sent = await cell.ask(first, 'send', { text: 'ask', push: { url: receiver.url() } });
    const id = textAt(cell.taskOf(sent), 'id');
    await receiver.until((all) => all.length >= 3);
    const second = await nodeOn(await open(), 'two');
    await first.runtime.close({ graceMs: 0 });
    await cell.ask(second, 'send', { text: 'red', id });
    await receiver.until((all) => all.some(isEnd));
    const generations = [...new Set(receiver.all.map(generationOf))];
    expect(generations).toEqual(generations.toSorted((one, other) => one - other));
  });

  test('wait for a node that speaks this dialect', async () => {
    const open = place();
    const receiver = await receiverFor();
    const url = receiver.url();
    const served = await nodeOn(await open(), 'one');
    const sent = await cell.ask(served, 'send', { text: 'ask', push: { url } });
    const id = textAt(cell.taskOf(sent), 'id');
    await receiver.until((all) => all.length >= 3);
    await served.runtime.close({ graceMs: 0 });
    const heard = receiver.all.length;
    const silent = await nodeOn(await open(), 'two', { pushNotifications: false });
    const ended = await cell.ask(silent, 'send', { text: 'red', id });
    expect(textAt(cell.taskOf(ended), 'status.state')).toBe('TASK_STATE_COMPLETED');
    expect(receiver.all).toHaveLength(heard);
    await nodeOn(await open(), 'three');
    await receiver.until((all) => all.some(isEnd));
  });
});

describe('#a2a-push-guard what a web hook holds', () => {
  test('is nowhere but in its own entry of the store, and goes with its task', async () => {
    const [token, credentials] = ['the-token-of-the-hook', 'the-credentials-of-the-hook'];
    const receiver = await receiverFor();
    const folder = temporaryFolder();
    const rawDirectory = temporaryFolder();
    const store = createMemoryStore();
    const told: unknown[] = [];
    const agent = await agentFor({
      face: { allowLoopbackHooks: true },
      runtime: {
        store,
        audit: true,
        evidence: evidence({ directory: folder, rawDirectory }),
        on: {
          error: (cause) => void told.push(cause),
          outcome: (outcome) => void told.push(outcome),
          task: (task) => void told.push(task),
        },
      },
    });
    const push = { id: 'c', url: receiver.url(), token, scheme: 'Bearer', credentials };
    const sent = await cell.ask(agent, 'send', { text: 'hello', push });
    const id = textAt(cell.taskOf(sent), 'id');
    await cell.ask(agent, 'createPush', { id, push: { ...push, id: 'd' } });
    await receiver.until((all) => all.filter(isEnd).length >= 2);
    const answers = [sent, await cell.ask(agent, 'get', { id }), await cell.ask(agent, 'list')];
    const tasks = await store.list('task');
    const rows = tasks.entries.map(({ value }) => new TextDecoder().decode(value));
    const outbox = await store.list('outbox');
    const entries = outbox.entries.map(({ value }) => new TextDecoder().decode(value));
    await agent.runtime.close({ graceMs: 0 });
    const logs: string[] = [];
    for (const log of await store.inventory!('logs')) {
      for (const { value } of await store.read(log, 0)) logs.push(new TextDecoder().decode(value));
    }
    const files = [folder, rawDirectory].flatMap((directory) =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    expect(files.join('')).toContain('task.requested');
    const everything = [answers.map(({ text }) => text), rows, entries, logs, files, told];
    const text = JSON.stringify(everything);
    for (const secret of [token, credentials]) expect(text).not.toContain(secret);
    const kept = await store.list('task-hook');
    expect(new TextDecoder().decode(kept.entries[0]!.value)).toContain(credentials);
  });

  test('is removed with its task', async () => {
    const receiver = await receiverFor();
    const store = createMemoryStore();
    const agent = await agentFor({
      face: { allowLoopbackHooks: true },
      runtime: { store, tasks: { retentionMs: 0, recoverEveryMs: 20 } },
    });
    await cell.ask(agent, 'send', { text: 'hello', push: { url: receiver.url() } });
    const left = async (): Promise<number> => {
      // Who lists tasks removes those whose time is over.
      await cell.ask(agent, 'list');
      const counts = ['task', 'task-hook', 'outbox'].map((space) => store.count(space));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    };
    await expect.poll(left, { timeout: 20_000 }).toBe(0);
  });
});
