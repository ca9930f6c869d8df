// Proves what a stream promises: nothing is missed or told twice where it begins or goes on, from any place in the log, on
// any store, after a restart and at another node; everybody is told in one order; and it ends in words when the agent stops.

import { describe, expect, test } from 'vitest';

import type { OnTask } from '../../../src/tasks/context.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Frame, Json } from '../../support/a2a/ask.ts';
import { at, framesOf, textAt } from '../../support/a2a/ask.ts';
import type { Cell } from '../../support/a2a/cells.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { SHARED_KINDS } from '../../support/a2a/store-kinds.ts';

const ROUNDS = 200;
const PIECES = 12;

/** `count N`: so many pieces of one artifact, as fast as it can. `hold`: until it is told to end. */
const counting: OnTask = async (task, ctx) => {
  const [word, count] = task.text.split(' ');
  if (word === 'hold') {
    await ctx.next();
    return;
  }
  for (let piece = 0; piece < Number(count); piece += 1) {
    await ctx.artifact({ id: 'log', text: `${piece} `, append: piece > 0 });
  }
};

/** What the pieces in a frame say, in order; a whole task says all that was. */
function piecesIn(cell: Cell, frame: Frame): number[] {
  const whole = cell.inFrame(frame, 'task');
  const update = cell.inFrame(frame, 'artifactUpdate');
  const parts = whole === undefined ? at(update, 'artifact.parts') : at(whole, 'artifacts.0.parts');
  const text = ((parts ?? []) as readonly Json[]).map((part) => textAt(part, 'text')).join('');
  return text.split(' ').filter(Boolean).map(Number);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, piece) => piece);

/** As a client puts it together. */
function told(cell: Cell, frames: readonly Frame[]): number[] {
  return frames.flatMap((frame) => piecesIn(cell, frame));
}

async function startedBy(cell: Cell, agent: TestAgent, text: string): Promise<string> {
  return textAt(cell.taskOf(await cell.ask(agent, 'send', { text, isWaiting: false })), 'id');
}

test('a subscription that begins while much happens misses nothing and tells nothing twice #a2a-streams', async () => {
  const isEnough = new Set<string>();
  const flowing: OnTask = async ({ id }, ctx) => {
    for (let piece = 0; !isEnough.has(id) && piece < 5_000; piece += 1) {
      await ctx.artifact({ id: 'log', text: `${piece} `, append: piece > 0 });
      await new Promise(setImmediate);
    }
  };
  const agent = await agentFor({ runtime: { onTask: flowing } });
  for (let round = 0; round < ROUNDS; round += 1) {
    const cell = CELLS[round % CELLS.length]!;
    const id = await startedBy(cell, agent, 'flow');
    const flowingTo = new Set<number>();
    const streams = [0, 1].map(async (later) => {
      for (let turn = 0; turn < later * (round % 7); turn += 1) await new Promise(setImmediate);
      const frames: Frame[] = [];
      for await (const frame of framesOf(await cell.fetch(agent, 'subscribe', { id }))) {
        frames.push(frame);
        if (frames.length > 3) flowingTo.add(later);
        if (flowingTo.size === 2) isEnough.add(id);
      }
      return frames;
    });
    for (const frames of await Promise.all(streams)) {
      expect(cell.inFrame(frames[0]!, 'task')).toBeDefined();
      const pieces = told(cell, frames);
      expect(pieces).toEqual(upTo(pieces.length));
      const ids = frames.map((frame) => Number(frame.id));
      expect(ids).toEqual(ids.map((_, place) => ids[0]! + place));
      expect(JSON.stringify(frames.at(-1))).toContain(cell.stateOf('completed'));
    }
  }
}, 120_000);

test('everybody is told the same in the same order, whenever they came #a2a-streams', async () => {
  const agent = await agentFor({ runtime: { onTask: counting } });
  const [cell] = CELLS;
  for (let round = 0; round < 10; round += 1) {
    const streams: Promise<Frame[]>[] = [cell!.frames(agent, 'stream', { text: 'count 40' })];
    await expect
      .poll(async () => at((await cell!.ask(agent, 'list')).body, 'result.totalSize'))
      .toBe(round + 1);
    const list = await cell!.ask(agent, 'list', { filter: { pageSize: 1 } });
    const id = textAt(list.body, 'result.tasks.0.id');
    for (let more = 0; more < 4; more += 1) streams.push(cell!.frames(agent, 'subscribe', { id }));
    const [whole, ...others] = await Promise.all(streams);
    for (const seen of others) {
      const [first, ...rest] = seen;
      if (first?.id === undefined) continue;
      const same = whole!.filter((frame) => Number(frame.id) > Number(first.id));
      expect(rest).toEqual(same);
    }
  }
});

describe.each(SHARED_KINDS)('$name #a2a-streams', (kind) => {
  test('from every place in the log: as it was told, after the end, at another node and after a restart', async () => {
    const place = kind.newPlace();
    const stores: Store[] = [];
    const node = async (name: string): Promise<TestAgent> => {
      const store = await place.connect();
      stores.push(store);
      const tasks = { node: name, leaseMs: 500, recoverEveryMs: 50 };
      return agentFor({ runtime: { store, tasks, onTask: counting } });
    };
    const [one, two] = [await node('one'), await node('two')];
    for (const cell of CELLS) {
      const whole = await cell.frames(one, 'stream', { text: `count ${PIECES}` });
      const id = textAt(cell.inFrame(whole[0]!, 'task'), 'id');
      const after = async (agent: TestAgent, seen: number): Promise<Frame[]> =>
        cell.frames(agent, 'subscribe', { id, headers: { 'last-event-id': String(seen) } });
      const last = Number(whole.at(-1)!.id);
      expect(told(cell, whole)).toEqual(upTo(PIECES));
      for (let seen = 1; seen < last; seen += 1) {
        const wanted = whole.filter((frame) => Number(frame.id) > seen);
        expect(await after(seen % 2 === 0 ? one : two, seen)).toEqual(wanted);
      }
      const nothing = await cell.ask(two, 'subscribe', {
        id,
        headers: { 'last-event-id': String(last) },
      });
      expect(nothing.text).toMatch(/unsupported.operation/i);
    }
    await one.runtime.close({ graceMs: 0 });
    await two.runtime.close({ graceMs: 0 });
    const again = await node('three');
    const [cell] = CELLS;
    const list = await cell!.ask(again, 'list');
    const id = textAt(list.body, 'result.tasks.0.id');
    const rest = await cell!.frames(again, 'subscribe', { id, headers: { 'last-event-id': '1' } });
    expect(told(cell!, rest)).toEqual(upTo(PIECES));
    await again.runtime.close({ graceMs: 0 });
    await Promise.all(stores.map((store) => store.close()));
  }, 120_000);

  test('who follows at another node is told as it happens, and goes on there when the first one stops', async () => {
    const place = kind.newPlace();
    const stores = [await place.connect(), await place.connect()];
    const [one, two] = await Promise.all(
      stores.map((store, at2) =>
        agentFor({
          runtime: {
            store,
            onTask: counting,
            tasks: { node: `n${at2}`, leaseMs: 500, recoverEveryMs: 50 },
          },
        }),
      ),
    );
    const [cell] = CELLS;
    const id = await startedBy(cell!, one!, 'hold');
    const far = framesOf(await cell!.fetch(two!, 'subscribe', { id }));
    const seen: (string | undefined)[] = [(await far.next()).value?.id];
    await one!.runtime.close({ graceMs: 0 });
    // Another attempt, at the other node.
    await cell!.ask(two!, 'send', { id, text: 'end', isWaiting: false });
    let last: Frame | undefined;
    for await (const frame of far) {
      seen.push(frame.id);
      last = frame;
    }
    expect(JSON.stringify(last)).toContain('TASK_STATE_COMPLETED');
    const ids = seen.map(Number);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    await two!.runtime.close({ graceMs: 0 });
    await Promise.all(stores.map((store) => store.close()));
  }, 60_000);
});

describe.each(CELLS)('$name #a2a-streams', (cell) => {
  test('an agent that stops says so to who listens, for later', async () => {
    const agent = await agentFor({ runtime: { onTask: counting } });
    const id = await startedBy(cell, agent, 'hold');
    const frames = framesOf(await cell.fetch(agent, 'subscribe', { id }));
    await frames.next();
    const closing = agent.runtime.close({ graceMs: 0 });
    const rest: Frame[] = [];
    // The connection may end before the last words are out.
    try {
      for await (const frame of frames) rest.push(frame);
    } catch {
      // Cut off.
    }
    await closing;
    const words = JSON.stringify(rest);
    if (rest.length > 0) expect(words).toMatch(/UNAVAILABLE|unavailable|cancel/i);
  });
});
