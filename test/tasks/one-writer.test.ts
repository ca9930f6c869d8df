// A model of who holds a task: two engines on one store, with answers that get lost, holders that run out, messages and
// cancels from either side, in whatever order. However it goes, one at a time writes, and the log has no gap.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Operation, Store } from '../../src/stores/store.ts';
import { StoreError } from '../../src/stores/store.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../src/tasks/engine/contract.ts';
import { textIn } from '../../src/tasks/part.ts';
import { decodeRow } from '../../src/tasks/log/row.ts';
import { isTerminal } from '../../src/tasks/task.ts';
import { alice } from '../support/wire/envelopes.ts';
import { TestTime, said, start } from '../support/agents/tasks.ts';
import { allTasks, fragile } from '../support/stores/task-stores.ts';
import type { FragileStore } from '../support/stores/task-stores.ts';

const ME = { owner: alice.agent_id };
const LEASE_MS = 30_000;
const STEPS = 4;

type Move =
  'lose an answer' | 'fail a write' | 'sleep' | 'a second' | 'message' | 'cancel' | 'stall';

const MOVES = fc.array(
  fc.tuple(
    fc.constantFrom<Move>(
      'lose an answer',
      'fail a write',
      'sleep',
      'a second',
      'message',
      'cancel',
      'stall',
    ),
    fc.nat({ max: 1 }),
    fc.nat({ max: 3 }),
  ),
  { maxLength: 25 },
);

/** Says in each piece of output which engine and which attempt made it. */
function author(name: string): OnTask {
  return async (_task, ctx) => {
    for (let step = 0; step < STEPS; step += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await ctx.artifact({ name: 'log', text: `${name}${ctx.attempt} `, append: true });
      if (step === 1) await ctx.checkpoint(step);
    }
  };
}

interface Node {
  readonly engine: TaskEngine;
  readonly store: FragileStore;
}

function nodeOn(shared: Store, time: TestTime, name: string): Node {
  const store = fragile(shared);
  const engine = createTaskEngine({
    store,
    node: name,
    onTask: author(name),
    now: () => time.now,
    setTimer: time.setTimer,
    leaseMs: LEASE_MS,
    maxAttempts: 100,
    stopGraceMs: 0,
  });
  return { engine, store };
}

async function letGoOn(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function once(
  store: FragileStore,
  when: 'before' | 'after',
  act: () => Promise<void> | void,
): void {
  const name = when === 'before' ? 'beforeTransact' : 'afterTransact';
  store[name] = (operations: readonly Operation[]) => {
    if (!operations.some(({ type }) => type === 'put' || type === 'append')) return undefined;
    store[name] = () => undefined;
    return act();
  };
}

function lost(): void {
  throw new StoreError('failed', 'the connection was lost');
}

describe('#task-ids who holds a task', () => {
  test('one at a time writes, the log has no gap, and the task ends', async () => {
    await fc.assert(
      fc.asyncProperty(MOVES, async (moves) => {
        const time = new TestTime();
        const shared = createMemoryStore({ now: () => time.now });
        const nodes = ['a', 'b'].map((name) => nodeOn(shared, time, name));
        await start(nodes[0]!.engine, { id: 't' }).catch(() => undefined);
        for (const { engine } of nodes) await engine.open();
        let stalled: (() => void)[] = [];
        for (const [at, [move, which, turns]] of moves.entries()) {
          const { engine, store } = nodes[which]!;
          if (move === 'lose an answer') once(store, 'after', lost);
          else if (move === 'fail a write') once(store, 'before', lost);
          else if (move === 'a second') time.pass(1_000);
          else if (move === 'sleep') time.now += LEASE_MS;
          else if (move === 'message') {
            // It may wait for a store that stalls.
            engine.message(ME, 't', said(`${at}`, `m${at}`)).catch(() => undefined);
          } else if (move === 'cancel' && turns === 0) {
            engine.cancel(ME, 't').catch(() => undefined);
          } else if (move === 'stall') {
            once(store, 'before', () => new Promise<void>((resolve) => stalled.push(resolve)));
          }
          await letGoOn(turns);
          if (turns === 3) {
            for (const go of stalled) go();
            stalled = [];
            time.pass(10_000);
            await letGoOn();
          }
        }
        for (const { store } of nodes) {
          store.beforeTransact = store.afterTransact = () => undefined;
        }
        for (const go of stalled) go();
        for (let turn = 0; turn < 200; turn += 1) {
          time.pass(5_000);
          await letGoOn();
          const [entry] = (await shared.list('task')).entries;
          if (entry !== undefined && isTerminal(decodeRow(entry.value).state)) break;
        }
        // It fails if the row and the log disagree, or the log has a gap.
        const [held] = await allTasks(shared);
        expect(held === undefined || isTerminal(held.row.state)).toBe(true);
        if (held !== undefined) expectOneWriter(held.events);
        for (const { engine } of nodes) {
          const closing = { isDone: false };
          void engine.close().finally(() => {
            closing.isDone = true;
          });
          for (; !closing.isDone; time.pass(1_000)) await letGoOn();
        }
      }),
      { numRuns: 200, seed: 11 },
    );
  }, 60_000);
});

/** Whose piece follows the beginning of an attempt is of that attempt, and all of one attempt are of one engine. */
function expectOneWriter(events: Awaited<ReturnType<typeof allTasks>>[number]['events']): void {
  let attempt = 0;
  let writer: string | undefined;
  for (const event of events) {
    if (event.type === 'status' && event.attempt !== undefined) {
      expect(event.attempt).toBe(attempt + 1);
      attempt = event.attempt;
      writer = undefined;
    }
    if (event.type !== 'artifact') continue;
    const text = textIn(event.artifact.parts, '');
    expect(text.slice(1)).toBe(`${attempt} `);
    writer ??= text[0];
    expect(text[0]).toBe(writer);
  }
}
