// Owns what must hold of all tasks after an upgrade: each has ended once, no attempt was made twice, and none went on
// beside the next one. SPEC.md section 8 (#task-lifecycle, #task-recovery).

import { expect } from 'vitest';

import type { Store } from '../../../src/stores/store.ts';
import { checkTasks } from '../../../src/tasks/log/check.ts';
import { isTerminal } from '../../../src/tasks/task.ts';
import type { HeldTask } from '../stores/task-stores.ts';
import { allTasks } from '../stores/task-stores.ts';
import type { Note } from './notes.ts';

/** @param isLanded tells the processes of the version before. */
export async function checkUpgraded(
  store: Store,
  notes: readonly Note[],
  isLanded: (pid: number) => boolean,
): Promise<ReadonlyMap<string, HeldTask>> {
  expect(await checkTasks(store)).toMatchObject({ open: 0, problems: [] });
  const held = new Map((await allTasks(store)).map((one) => [one.task.id, one]));
  for (const one of held.values()) {
    const own = notes.filter(({ id }) => id === one.task.id);
    checkEnds(one);
    checkAttempts(one, own);
    checkOrder(own, isLanded);
  }
  return held;
}

/** One end, and nothing after it. */
function checkEnds({ task: { id }, events }: HeldTask): void {
  const ends = events.flatMap((event) =>
    event.type === 'status' && isTerminal(event.status.state) ? [event.generation] : [],
  );
  expect(ends, id).toEqual([events.length]);
}

/** Attempts in order; each was made by one process at most, and all that were made are in the log. */
function checkAttempts({ task: { id }, events }: HeldTask, notes: readonly Note[]): void {
  const attempts = events.flatMap((event) =>
    event.type === 'status' && event.attempt !== undefined ? [event.attempt] : [],
  );
  expect(attempts, id).toEqual(attempts.map((_, at) => at + 1));
  const begun = notes.flatMap(({ what, attempt }) => (what === 'begin' ? [attempt] : []));
  expect(new Set(begun).size, `${id} began ${begun.join(' ')}`).toBe(begun.length);
  expect(attempts, id).toEqual(expect.arrayContaining(begun));
}

/** No step of an attempt after the next one has begun, and none of the version before after the one here took over. */
function checkOrder(notes: readonly Note[], isLanded: (pid: number) => boolean): void {
  let [newest, hasMoved] = [0, false];
  for (const { what, id, attempt, pid } of notes) {
    // What an author does by itself nobody can take back; only what was stored counts.
    if (what === 'done') continue;
    expect(attempt, `${id}: ${what} of attempt ${attempt} after ${newest}`).toBeGreaterThanOrEqual(
      newest,
    );
    expect(hasMoved && isLanded(pid), `${id}: ${what} of the version before`).toBe(false);
    newest = attempt;
    hasMoved ||= !isLanded(pid);
  }
}
