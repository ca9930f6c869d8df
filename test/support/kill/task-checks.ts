// Owns what must hold of the tasks after a seed: all have ended, their logs have no gap, and whatever a peer or an author
// was told is in them, each event under the run that had the lease. SPEC.md section 8 (#task-lifecycle, #task-recovery).

import { expect } from 'vitest';

import { isJsonObject } from '../../../src/codec/value.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { wholeDocument } from '../../../src/handlers/task/document.ts';
import { TaskUpdates } from '../../../src/handlers/task/updates.ts';
import { checkTasks } from '../../../src/tasks/log/check.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { TaskEvent } from '../../../src/tasks/event.ts';
import { textIn } from '../../../src/tasks/part.ts';
import type { Exchange, Told } from './exchange.ts';
import type { KillRequest } from './requests.ts';
import type { Evidence } from './run.ts';
import type { HeldTask } from '../stores/task-stores.ts';
import { allTasks } from '../stores/task-stores.ts';
import { documentIn } from '../agents/task-face.ts';

/** Requests that are told how a task stands, without following it. */
const LOOKS: ReadonlySet<string> = new Set(['get', 'cancel', 'reply']);

/** Returns the names of the requests that the tasks are of. */
export async function checkTaskLogs(evidence: Evidence, store: Store): Promise<string[]> {
  const held = new Map((await allTasks(store)).map((one) => [one.task.id, one]));
  expect(await checkTasks(store)).toMatchObject({ open: 0, problems: [] });
  await checkShares([...held.values()], store);
  for (const one of held.values()) checkRuns(one, evidence);
  for (const { request, exchanges } of evidence.fates) {
    for (const one of exchanges) checkTold(one, held, request);
  }
  checkAuthors(evidence, held);
  return [...held.values()].map(({ task }) => askedIn(task).at(-1)!);
}

/** Attempts without a gap, each with the events of one run alone, and the output of a task that is done. */
function checkRuns({ task, events }: HeldTask, { notes }: Evidence): void {
  const { id } = task;
  const { state } = task.status;
  expect(['completed', 'canceled'], `${id} ${state}`).toContain(state);
  const begun = notes.filter(([kind, of]) => kind === 'begin' && of === id);
  const runOf = new Map(begun.map(([, , attempt, by]) => [Number(attempt), by!]));
  expect(begun, `${id}: two runs of one attempt`).toHaveLength(runOf.size);
  let attempts = 0;
  for (const event of events) {
    if (event.type === 'status' && event.attempt !== undefined) {
      attempts += 1;
      expect(event.attempt, id).toBe(attempts);
    }
    const by = authorOf(event);
    if (by !== undefined) expect(by, `${id} ${event.generation}`).toBe(runOf.get(attempts));
  }
  if (state !== 'completed') return;
  const steps = task.artifacts.flatMap(({ text }) => text.trim().split(' '));
  const count = Number(askedIn(task)[1]);
  expect(
    steps.map((step) => Number(step.split(':')[0])),
    id,
  ).toEqual(Array.from({ length: count }, (_, at) => at));
}

/** Who made it, for what only a run makes. */
function authorOf(event: TaskEvent): string | undefined {
  if (event.type === 'artifact') return textIn(event.artifact.parts, '').trim().split(':')[1];
  const isProgress =
    event.type === 'status' && event.status.state === 'working' && event.attempt === undefined;
  return isProgress ? event.status.message?.text : undefined;
}

/** Nobody holds a task that has ended, and what is set aside is what the tasks that are kept need. */
async function checkShares(held: readonly HeldTask[], store: Store): Promise<void> {
  for (const { row } of held) expect(row.holder, `${row.id} is held`).toBeUndefined();
  const reserved = held.reduce((sum, { row }) => sum + row.reserved, 0);
  expect(await store.tally('tasks'), 'shares').toEqual({ count: held.length, sum: reserved });
}

function askedIn({ history }: HeldTask['task']): string[] {
  return history[0]!.text.split(' ');
}

/** Every event and every state that a peer was sent is in the log. */
function checkTold(
  { events, reply }: Exchange,
  held: ReadonlyMap<string, HeldTask>,
  { name, kind }: KillRequest,
): void {
  const document = reply && documentOf(reply);
  const shown = document?.['task'] as JsonObject | undefined;
  if (shown !== undefined) {
    const { id, generation } = shown as { readonly id: string; readonly generation: number };
    expect(held.has(id), `${name}: ${id}`).toBe(true);
    expect(document, `${name}: ${id} ${generation}`).toEqual(
      documentAt(held.get(id)!, generation, LOOKS.has(kind)),
    );
  }
  if (events.length === 0) return;
  const id = idIn(events);
  expect(held.has(id), `${name}: ${id}`).toBe(true);
  const { unstarted, steps } = held.get(id)!;
  const updates = new TaskUpdates(unstarted, false);
  for (const [at, { ct, payload }] of events.entries()) {
    const answer = updates.tell(steps[at]!)();
    expect({ ct, payload }, `${name}: ${id} ${at + 1}`).toEqual({
      ct: answer.ct,
      payload: answer.payload,
    });
  }
}

/** The task as a reply shows it, if it does. */
function documentOf({ ct, payload }: Told): JsonObject | undefined {
  if (ct === 'state.v1') return documentIn({ ct, payload });
  const { ok, result } = payload;
  return ct === 'toolresult.v1' && ok === true && isJsonObject(result) ? result : undefined;
}

function idIn([first]: readonly Told[]): string {
  const { task } = documentIn({ ct: 'state.v1', payload: first!.payload });
  return (task as JsonObject)['id'] as string;
}

/** Who only looks is not told of progress that was before the last status; who follows it keeps that. */
function documentAt(
  { unstarted, steps }: HeldTask,
  generation: number,
  isLook: boolean,
): JsonObject {
  const updates = new TaskUpdates(unstarted, false);
  for (const step of steps.slice(0, generation)) updates.tell(step);
  return isLook ? wholeDocument(updates.task, { takesParts: false }) : updates.document;
}

/** Every event that an author was told to be stored is where it was said to be. */
function checkAuthors({ notes }: Evidence, held: ReadonlyMap<string, HeldTask>): void {
  for (const [kind, id, generation, attempt, by, text] of notes) {
    if (kind !== 'event') continue;
    const event = held.get(id!)?.events[Number(generation) - 1];
    const what = `${id} ${generation} of attempt ${attempt}`;
    expect(event && authorOf(event), what).toBe(by);
    if (event?.type === 'artifact')
      expect(textIn(event.artifact.parts, '').trim(), what).toBe(text);
  }
}
