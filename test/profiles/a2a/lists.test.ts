// Proves that pages of tasks are exact while tasks come and change between them, on every store: nobody is told twice, and
// nobody who stays as it was is left out. And that filters count alone and together.

import { describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { at, textAt } from '../../support/a2a/ask.ts';
import type { Cell } from '../../support/a2a/cells.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import type { Random } from '../../support/a2a/hostile.ts';
import { randomFrom } from '../../support/a2a/hostile.ts';
import { STORE_KINDS } from '../../support/a2a/store-kinds.ts';

type Filter = NonNullable<NonNullable<Parameters<Cell['ask']>[2]>['filter']>;

const SEEDS = [1, 2, 3, 4];
const LISTING = CELLS.filter(({ wire }) => wire !== 'v03');
const [V1] = CELLS;

interface Page {
  readonly ids: readonly string[];
  readonly next: string;
  readonly total: number;
}

async function pageOf(cell: Cell, agent: TestAgent, filter: Filter, as = 'user'): Promise<Page> {
  const page = cell.resultOf(await cell.ask(agent, 'list', { as, filter }));
  const tasks = at(page, 'tasks') as readonly Json[];
  expect(at(page, 'pageSize')).toBe(filter['pageSize'] ?? 50);
  return {
    ids: tasks.map((task) => textAt(task, 'id')),
    next: textAt(page, 'nextPageToken'),
    total: at(page, 'totalSize') as number,
  };
}

async function start(agent: TestAgent, text: string, contextId: string, as = 'user') {
  const sent = await V1!.ask(agent, 'send', { text, contextId, as });
  return textAt(V1!.taskOf(sent), 'id');
}

/** Something that happens between two pages: a new task, an answer, a cancel. */
async function change(agent: TestAgent, waiting: string[], random: Random): Promise<string[]> {
  const kind = Math.floor(random() * 3);
  if (kind === 0 || waiting.length === 0) return [await start(agent, 'ask', 'later')];
  const [id] = waiting.splice(Math.floor(random() * waiting.length), 1);
  const wish = { id: id!, as: 'user' };
  if (kind === 1) await V1!.ask(agent, 'cancel', wish);
  else await V1!.ask(agent, 'send', { ...wish, text: 'red' });
  return [id!];
}

describe.each(STORE_KINDS)('$name #a2a-lists', (kind) => {
  test.each(SEEDS)(
    'while tasks come and change: nobody twice, nobody unchanged left out, seed %i',
    { timeout: 60_000 },
    async (seed) => {
      const random = randomFrom(seed);
      const store = await kind.newPlace().connect();
      const agent = await agentFor({ isOpen: false, runtime: { store } });
      const waiting: string[] = [];
      for (let count = 0; count < 14; count += 1) waiting.push(await start(agent, 'ask', 'first'));
      // Somebody else's are never among them.
      for (let count = 0; count < 3; count += 1) await start(agent, 'ask', 'first', 'other');
      const before = [...waiting];
      const touched = new Set<string>();
      const cell = LISTING[seed % LISTING.length]!;
      const pageSize = 1 + Math.floor(random() * 4);
      const seen: string[] = [];
      for (let pageToken = ''; ;) {
        const filter = { pageSize, ...(pageToken !== '' && { pageToken }) };
        const page = await pageOf(cell, agent, filter);
        expect(page.ids.length).toBeLessThanOrEqual(pageSize);
        seen.push(...page.ids);
        if (page.next === '') break;
        pageToken = page.next;
        for (const id of await change(agent, waiting, random)) touched.add(id);
      }
      expect(new Set(seen).size).toBe(seen.length);
      const unchanged = before.filter((id) => !touched.has(id));
      expect(unchanged.length).toBeGreaterThan(0);
      expect(unchanged.filter((id) => !seen.includes(id))).toEqual([]);
      // In the order of their last status, the latest first.
      expect(seen.filter((id) => unchanged.includes(id))).toEqual(unchanged.toReversed());
      await agent.runtime.close({ graceMs: 0 });
      await store.close();
    },
  );

  test('filters count alone and together, with the total of what they let through', async () => {
    const store = await kind.newPlace().connect();
    const agent = await agentFor({ isOpen: false, runtime: { store } });
    const rows: { readonly id: string; readonly state: string; readonly contextId: string }[] = [];
    const states = {
      ask: 'input-required',
      hello: 'completed',
      fail: 'failed',
      reject: 'rejected',
    };
    const marks: string[] = [];
    for (const contextId of ['one', 'two']) {
      for (const [text, state] of Object.entries(states)) {
        const id = await start(agent, text, contextId);
        const task = V1!.resultOf(await V1!.ask(agent, 'get', { id, as: 'user' }));
        marks.push(textAt(task, 'status.timestamp'));
        rows.push({ id, state, contextId });
      }
    }
    for (const cell of LISTING) {
      for (const state of [undefined, ...Object.values(states), 'canceled']) {
        for (const contextId of [undefined, 'one', 'two', 'none']) {
          for (const since of [undefined, 5]) {
            const moment = marks[since ?? 0]!;
            const filter: Filter = {
              ...(state !== undefined && { status: cell.stateOf(state) }),
              ...(contextId !== undefined && { contextId }),
              ...(since !== undefined &&
                (cell.wire === 'v1'
                  ? { statusTimestampAfter: moment }
                  : { lastUpdatedAfter: Date.parse(moment) })),
            };
            const wanted = rows.filter(
              (row, place) =>
                (state === undefined || row.state === state) &&
                (contextId === undefined || row.contextId === contextId) &&
                (since === undefined || marks[place]! >= moment),
            );
            const { ids, total, next } = await pageOf(cell, agent, filter);
            expect([filter, [...ids].sort()]).toEqual([filter, wanted.map(({ id }) => id).sort()]);
            expect([total, next]).toEqual([wanted.length, '']);
            if (wanted.length < 2) continue;
            const first = await pageOf(cell, agent, { ...filter, pageSize: 1 });
            expect([first.ids, first.total]).toEqual([[ids[0]], wanted.length]);
            const rest = await pageOf(cell, agent, { ...filter, pageToken: first.next });
            expect(rest.ids).toEqual(ids.slice(1));
          }
        }
      }
    }
    await agent.runtime.close({ graceMs: 0 });
    await store.close();
  });
});
