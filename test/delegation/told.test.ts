// How the agents that do parts of a task come to hear of its end, also when an earlier version had to tell them.

import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { EndServices } from '../../src/delegation/ends.ts';
import {
  DELEGATION_END,
  adoptEndMarks,
  createEndDeliverer,
  createTellEnd,
} from '../../src/delegation/ends.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Task, TaskState } from '../../src/tasks/task.ts';
import { unstartedTask } from '../../src/tasks/task.ts';
import { createMessage } from '../../src/tasks/message.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { openNode, server } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const encoder = new TextEncoder();

function taskIn(state: TaskState, id: string): Task {
  const task = unstartedTask({
    tenant: 'red',
    owner: 'alice',
    id,
    message: createMessage({ id: 'm', role: 'user', parts: [{ text: 'x' }] }),
    metadata: {},
    source: { face: 'sdl', value: {} },
    authority: { scheme: 'sdl' },
    createdAt: 1,
  });
  return { ...task, status: { state, at: 2 } };
}

/** An outbox that tells of the ends of tasks, and what was told. */
function telling(
  store: Store,
  holder: string,
  parts: Partial<EndServices> & { readonly told?: string[] } = {},
): { readonly outbox: Outbox; readonly told: string[]; readonly errors: unknown[] } {
  const { told = [], ...services } = parts;
  const errors: unknown[] = [];
  const ends = createEndDeliverer({
    taskNow: async ({ tenant, owner }, id) => {
      expect([tenant, owner]).toEqual(['red', 'alice']);
      return taskIn('canceled', id);
    },
    endParts: async ({ id }) => told.push(id) > 0,
    ...services,
  });
  const outbox = createOutbox({
    store,
    holder,
    onError: (cause) => void errors.push(cause),
    deliverers: { [DELEGATION_END]: { firstDelayMs: 1, ...ends } },
  });
  onTestFinished(() => outbox.close(0));
  return { outbox, told, errors };
}

describe('#task-delegation the end of a task with parts', () => {
  test('is stored with what must be told, and told when that is stored', async () => {
    const store = createMemoryStore();
    const { outbox, told } = telling(store, 'node');
    const tellEnd = createTellEnd(outbox);
    const end = { type: 'put', space: 'task', key: 'k', value: encoder.encode('ended') } as const;
    const task = { tenant: 'red', owner: 'alice', id: 't', key: 'k' };
    await store.transact([end, ...tellEnd.operations(task)]);
    expect(told).toEqual([]);
    tellEnd.stored();
    await expect.poll(() => outbox.stats().told).toBe(1);
    expect(told).toEqual(['t']);
  });

  test('is told again until all could be told', async () => {
    const store = createMemoryStore();
    let tries = 0;
    const { outbox } = telling(store, 'node', { endParts: async () => (tries += 1) === 3 });
    const tellEnd = createTellEnd(outbox);
    const task = { tenant: 'red', owner: 'alice', id: 't', key: 'k' };
    await store.transact(tellEnd.operations(task));
    tellEnd.stored();
    await expect.poll(() => outbox.stats().told).toBe(1);
    expect([tries, outbox.stats().failed]).toEqual([3, 2]);
  });

  test.each([
    ['is gone', undefined],
    ['runs again under its id', taskIn('working', 't')],
  ])('is of no interest when the task %s', async (_what, now) => {
    const store = createMemoryStore();
    const { outbox, told } = telling(store, 'node', { taskNow: async () => now });
    const task = { tenant: 'red', owner: 'alice', id: 't', key: 'k' };
    await store.transact(createTellEnd(outbox).operations(task));
    outbox.notice();
    await expect.poll(() => outbox.stats().told).toBe(1);
    expect(told).toEqual([]);
  });
});

/** Ended tasks as versions before 0.2.0 left them when nobody could be told. */
async function landed(store: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const row = { tenant: 'red', owner: 'alice', id, state: 'canceled', generation: 4 };
    await store.put('task', `key-${id}`, encoder.encode(JSON.stringify(row)));
    await store.put('task-parts', `key-${id}`, encoder.encode('1700000000000'));
  }
}

function adoption(name: string, open: () => Promise<() => Promise<Store>>): void {
  test(`nothing that it had to tell is lost, and each is told once, on ${name}`, async () => {
    const connect = await open();
    const [one, other] = [await connect(), await connect()];
    const ids = Array.from({ length: 5 }, (_, at) => `t${at}`);
    await landed(one, ids);
    // Of a task that is gone nobody knows whom to tell.
    await one.put('task-parts', 'gone', encoder.encode('1700000000000'));
    const first = telling(one, 'one');
    const second = telling(other, 'other', { told: first.told });
    await Promise.all([adoptEndMarks(one, first.outbox), adoptEndMarks(other, second.outbox)]);
    expect([await one.count('task-parts'), await one.count('outbox')]).toEqual([0, 5]);
    await Promise.all([first.outbox.open(), second.outbox.open()]);
    await expect.poll(() => one.count('outbox')).toBe(0);
    await adoptEndMarks(one, first.outbox);
    await first.outbox.open();
    expect([first.told.toSorted(), await one.count('outbox')]).toEqual([ids, 0]);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });
}

describe('#task-delegation what an earlier version had to tell', () => {
  adoption('memory', async () => {
    const store = createMemoryStore();
    return async () => store;
  });

  describe.skipIf(driver === undefined)('SQLite', () => {
    const folder = temporaryFolder();
    adoption('a SQLite file', async () => async () => {
      const store = await openSqliteStore({ path: join(folder, 'ends'), pollIntervalMs: 1 });
      onTestFinished(() => store.close());
      return store;
    });
  });

  describe.skipIf(server === undefined)('PostgreSQL', () => {
    adoption('a PostgreSQL database', async () => () => openNode('ends'));
  });
});
