// Processes that work on tasks in one file are killed in the middle: nothing acknowledged is lost and every task ends.
// A2A_SDL_KILL_SEEDS sets how many kills.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createTaskEngine } from '../src/tasks/task-engine.ts';
import { isTerminal } from '../src/tasks/task.ts';
import { openSqliteStore } from '../stores/sqlite.ts';
import { alice } from './support/envelopes.ts';
import { driver, temporaryFolder } from './support/sqlite.ts';
import { allTasks } from './support/task-stores.ts';

const SEEDS = Number(process.env['A2A_SDL_KILL_SEEDS'] ?? 5);
const program = fileURLToPath(new URL('support/task-crasher.ts', import.meta.url));
const TASKS = '40';
const GROUP = 5;

/** Runs a worker, kills it when it has said so much, and returns every whole line that it managed to print. */
async function workUntilKilled(path: string, name: string, after: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', program, path, name, TASKS], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const errors = text(child.stderr);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === after) child.kill('SIGKILL');
  }
  const [, signal] = await exit;
  expect(await errors).toBe('');
  expect(signal).toBe('SIGKILL');
  return lines.filter((line) => line.endsWith(' .'));
}

describe.skipIf(driver === undefined)('#task-recovery tasks whose processes are killed', () => {
  const folder = temporaryFolder();
  const kills = fc.sample(fc.integer({ min: 1, max: 200 }), { numRuns: SEEDS, seed: 20_261_116 });
  // Few kills a file, so that the last look at it stays short.
  const groups = Array.from({ length: Math.ceil(SEEDS / GROUP) }, (_, at) =>
    kills.slice(at * GROUP, (at + 1) * GROUP),
  );

  test.each(groups.map((group, at) => [at + 1, group] as const))(
    'group %i: are all there, with every event, without a gap, and end when a process lives long enough',
    async (number, group) => {
      const path = join(folder, `killed-${number}`);
      const said: string[] = [];
      for (const [round, count] of group.entries()) {
        // Two at a time: one is killed while the other wants its tasks.
        const pair = [count, 1 + ((count * 7) % 200)];
        const lines = pair.map((after, at) => workUntilKilled(path, `r${round}p${at}`, after));
        said.push(...(await Promise.all(lines)).flat());
      }
      const store = await openSqliteStore({ path, pollIntervalMs: 5 });
      const engine = createTaskEngine({
        store,
        maxAttempts: 1_000,
        leaseMs: 300,
        recoverEveryMs: 20,
        onTask: async (_task, ctx) => {
          for (let step = Number(ctx.restored ?? 0); step < 5; step += 1) {
            await ctx.artifact({ name: 'log', text: `${step}`, append: true });
          }
        },
      });
      await engine.open();
      for (const { task } of await allTasks(store)) {
        for await (const event of engine.events(alice.agent_id, task.id, task.generation))
          void event;
      }
      const held = new Map((await allTasks(store)).map((one) => [one.task.id, one]));
      await engine.close();
      await store.close();
      for (const { task, events } of held.values()) {
        expect(isTerminal(task.state)).toBe(true);
        expect(task.artifacts.map(({ content }) => content)).toEqual(['01234']);
        const attempts = events.flatMap((event) =>
          event.type === 'status' && event.state === 'working' ? [event.attempt] : [],
        );
        expect(attempts).toEqual(attempts.map((_, at) => at + 1));
      }
      const eventsSaid = new Set<string>();
      for (const line of said) {
        const [kind, id, generation, attempt] = line.split(' ') as [string, string, string, string];
        if (kind === 'started') continue;
        expect(held.has(id)).toBe(true);
        if (kind !== 'event') continue;
        const { events } = held.get(id)!;
        expect(events[Number(generation) - 1]).toMatchObject({ type: 'artifact' });
        const begun = events
          .slice(0, Number(generation))
          .findLast((event) => event.type === 'status' && event.state === 'working');
        expect(begun).toMatchObject({ attempt: Number(attempt) });
        // No place in the log was given to two runs.
        expect(eventsSaid.has(`${id} ${generation}`)).toBe(false);
        eventsSaid.add(`${id} ${generation}`);
      }
      expect(eventsSaid.size).toBeGreaterThan(0);
    },
    60_000 + GROUP * 15_000,
  );
});
