// Owns how the options of a runtime bound what callers share, and how that is told as metrics. SPEC.md section 13 (#budget).

import type { Budget, BudgetReading } from '../budget/index.ts';
import { SHARE_CLASSES, createBudget } from '../budget/index.ts';
import { admissionBounds } from '../pipeline/admission.ts';
import type { ResolvedRuntimeOptions } from './options.ts';
import type { Family } from './prometheus.ts';
import { CounterFamily, gauge } from './prometheus.ts';

export function makeBudget({
  admission,
  tasks,
}: Pick<ResolvedRuntimeOptions, 'admission' | 'tasks'>): Budget {
  const { maxConcurrent, maxTasks, maxHeldBytes } = tasks;
  return createBudget({
    ...admissionBounds(admission),
    ...(maxConcurrent !== undefined && { places: { bound: maxConcurrent } }),
    ...(maxTasks !== undefined && { tasks: { bound: maxTasks } }),
    ...(maxHeldBytes !== undefined && { task_bytes: { bound: maxHeldBytes } }),
  });
}

export function budgetFamilies(readings: readonly BudgetReading[]): Family[] {
  const refused = new CounterFamily({
    name: 'a2a_sdl_budget_refused_total',
    help: 'What was refused, put off or closed because a resource of the budget was full, by resource and class.',
  });
  for (const { resource, refusals } of readings) {
    for (const share of SHARE_CLASSES) refused.add({ resource, class: share }, refusals[share]);
  }
  return [
    gauge(
      {
        name: 'a2a_sdl_budget_used',
        help: 'What is used of a resource of the budget, by resource and class; "all" where classes are not told apart.',
      },
      readings.flatMap(({ resource, used }) =>
        Object.entries(used).map(([share, value]) => [{ resource, class: share }, value] as const),
      ),
    ),
    gauge(
      {
        name: 'a2a_sdl_budget_bound',
        help: 'How much of a resource of the budget there is in all, by resource.',
      },
      readings
        .filter(({ bound }) => Number.isFinite(bound))
        .map(({ resource, bound }) => [{ resource }, bound] as const),
    ),
    refused,
  ];
}
