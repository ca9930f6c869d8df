// Owns what must hold after a seed of official A2A: every client has each event once and in order, from where it began to
// the end, and every web hook was told all of them in order. SPEC.md sections 9 and 20 (#task-hooks, #a2a-streams).

import { expect } from 'vitest';

import type { Store } from '../../../../src/stores/store.ts';
import { checkTasks } from '../../../../src/tasks/log/check.ts';
import type { Json } from '../../a2a/ask.ts';
import { at } from '../../a2a/ask.ts';
import type { Delivery } from '../../a2a/receiver.ts';
import type { HeldTask } from '../../stores/task-stores.ts';
import { allTasks } from '../../stores/task-stores.ts';
import type { Brief } from './brief.ts';
import { briefOf, outputOf, storedBrief, wholeBrief } from './brief.ts';
import type { A2aEvidence, Reader } from './course.ts';

/** An event with its place in the log. */
type Placed = readonly [generation: number, brief: Brief];

export async function checkA2a(evidence: A2aEvidence, store: Store): Promise<void> {
  expect(await checkTasks(store)).toMatchObject({ open: 0, problems: [] });
  const tasks = await allTasks(store);
  for (const { task } of tasks) expect(task.status.state, task.id).toBe('completed');
  const byName = new Map(
    tasks.map((held) => [held.task.history[0]!.text.split(' ').at(-1)!, held]),
  );
  expect(byName.size, 'a task was begun twice').toBe(tasks.length);
  for (const reader of evidence.readers) checkReader(reader, byName.get(reader.name));
  for (const [name, held] of byName) {
    const told = evidence.receiver.at(`/${name}`);
    if (evidence.hooked.has(name)) checkHook(name, told, held);
    else expect(told, name).toEqual([]);
  }
}

/** What who follows it from a generation is told: first the task as it was then. */
function toldFrom({ steps }: HeldTask, start: number): readonly Placed[] {
  const [first, ...rest] = steps.slice(start - 1);
  const following = rest.flatMap((step): Placed[] => {
    const brief = storedBrief(step);
    return brief === undefined ? [] : [[step.task.generation, brief]];
  });
  return [[start, wholeBrief(first!.task)], ...following];
}

function checkReader({ name, way, seen, isLost }: Reader, held: HeldTask | undefined): void {
  const what = `${name} over ${way}`;
  if (isLost) {
    expect(seen.briefs, what).toEqual([]);
    return;
  }
  expect(held?.task.id, what).toBe(seen.id);
  const wanted = toldFrom(held!, seen.start);
  expect(seen.briefs, what).toEqual(wanted.map(([, brief]) => brief));
  if (seen.ids[0] !== undefined) {
    expect(seen.ids, what).toEqual(wanted.map(([generation]) => generation));
  }
  const output = held!.task.artifacts.map(({ text }) => text).join('');
  expect(outputOf(seen.briefs), `${what}: the output`).toBe(output);
}

/** At least once, in the order of the log; what is told again has the same name and says the same. */
function checkHook(name: string, told: readonly Delivery[], held: HeldTask): void {
  const wanted = toldFrom(held, 1);
  const first = new Map<string, Delivery>();
  for (const delivery of told) {
    const deliveryName = String(delivery.headers['a2a-sdl-delivery']);
    const before = first.get(deliveryName);
    if (before === undefined) first.set(deliveryName, delivery);
    else expect(delivery.body, `${name}: ${deliveryName} again`).toEqual(before.body);
    expect(delivery.headers['x-a2a-notification-token'], name).toBe(name);
  }
  const heard = [...first].map(([deliveryName, { body }]): Placed => [
    Number(deliveryName.split('.').at(-1)),
    briefOf(partsOf(body)),
  ]);
  expect(heard, `${name}: ${told.length} deliveries`).toEqual(wanted);
}

/** In 1.0 and the draft by its member, in 0.3 by its kind. */
function partsOf(body: Json): Parameters<typeof briefOf>[0] {
  const kind = at(body, 'kind');
  const of = (member: string, word: string): Json | undefined =>
    kind === undefined ? at(body, member) : kind === word ? body : undefined;
  return {
    task: of('task', 'task'),
    statusUpdate: of('statusUpdate', 'status-update'),
    artifactUpdate: of('artifactUpdate', 'artifact-update'),
  };
}

/** What the seeds have come to, so that one can see what was tried. */
export class A2aTotals {
  #nodes = 0;
  #streams = 0;
  #resumes = 0;
  #frames = 0;
  #lost = 0;
  #deliveries = 0;
  #repeats = 0;

  add({ readers, receiver, kills }: A2aEvidence): void {
    this.#nodes += kills;
    this.#streams += readers.length;
    for (const { seen, isLost } of readers) {
      this.#resumes += seen.resumes;
      this.#frames += seen.briefs.length;
      this.#lost += Number(isLost);
    }
    const names = receiver.all.map(({ headers }) => headers['a2a-sdl-delivery']);
    this.#deliveries += names.length;
    this.#repeats += names.length - new Set(names).size;
  }

  get text(): string {
    return [
      `${this.#nodes} nodes killed, ${this.#streams} streams, ${this.#lost} of them never begun`,
      `${this.#resumes} gone on with, ${this.#frames} frames`,
      `${this.#deliveries} deliveries, ${this.#repeats} of them again`,
    ].join(', ');
  }
}
