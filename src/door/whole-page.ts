// Owns a page of tasks with all of each, for faces that list them so. ARCHITECTURE.md ("The door").

import type { TaskEngine } from '../tasks/engine/contract.ts';
import type { TaskPage, WholeTaskPage } from '../tasks/request.ts';
import type { Task, TaskScope } from '../tasks/task.ts';

/** One after another: a page of large tasks must not all be in memory twice. */
export async function wholePage(
  engine: TaskEngine,
  scope: TaskScope,
  page: TaskPage,
): Promise<WholeTaskPage> {
  const whole: Task[] = [];
  for (const { id } of page.tasks) {
    const task = await engine.get(scope, id);
    if (task !== undefined) whole.push(task);
  }
  return { ...page, whole };
}
