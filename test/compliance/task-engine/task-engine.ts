// The rules of the task engine as one suite: a store can carry tasks when it passes.

import { describe } from 'vitest';
import { endRules } from './ends.ts';
import { damageRules } from './damage.ts';
import { holdingRules } from './holding.ts';
import { listRules } from './lists.ts';
import { partRules } from './parts.ts';
import { placeRules } from './places.ts';
import { repeatRules } from './repeats.ts';
import { runRules } from './runs.ts';
import { sharedRules } from './shared.ts';
import { startRules } from './starts.ts';
import type { TaskStoreUnderTest } from './setup.ts';

export function taskEngineCompliance(title: string, subject: TaskStoreUnderTest): void {
  describe(`#exchange #task-answer tasks on ${title}`, () => runRules(subject));
  describe(`#task-ids starts that are repeated on ${title}`, () => repeatRules(subject));
  describe(`#task-answer ends of tasks on ${title}`, () => endRules(subject));
  describe(`#task-ids lists of tasks on ${title}`, () => listRules(subject));
  describe(`#admit places of tasks on ${title}`, () => placeRules(subject));
  describe(`#task-ids #admit engines that share ${title}`, () => sharedRules(subject));
  describe(`#task-ids who holds a task on ${title}`, () => holdingRules(subject));
  describe(`#task-recovery starts of a node on ${title}`, () => startRules(subject));
  describe(`#task-ids damaged tasks on ${title}`, () => damageRules(subject));
  describe(`#task-delegation parts of tasks on ${title}`, () => partRules(subject));
}
