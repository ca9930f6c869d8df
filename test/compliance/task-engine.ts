// The rules of the task engine as one suite: a store can carry tasks when it passes.

import { describe } from 'vitest';
import { runRules } from './task-engine-runs.ts';
import { sharedRules } from './task-engine-shared.ts';
import type { TaskStoreUnderTest } from './task-engine-setup.ts';

export function taskEngineCompliance(title: string, subject: TaskStoreUnderTest): void {
  describe(`#exchange #task-answer tasks on ${title}`, () => runRules(subject));
  describe(`#task-ids #admit engines that share ${title}`, () => sharedRules(subject));
}
