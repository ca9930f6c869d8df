// Every rule of the outbox, for one store.

import { describe } from 'vitest';

import { accidentRules } from './accidents.ts';
import { fairnessRules } from './fairness.ts';
import { positionRules } from './positions.ts';
import type { OutboxStoreUnderTest } from './setup.ts';
import { tellingRules } from './telling.ts';

export function outboxCompliance(name: string, subject: OutboxStoreUnderTest): void {
  describe(`#task-delegation #task-hooks what must be told outside, on ${name}`, () => {
    tellingRules(subject);
    accidentRules(subject);
    positionRules(subject);
    fairnessRules(subject);
  });
}
