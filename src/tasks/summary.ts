// Owns what a list tells of a task: the facts that need no look into its log. SPEC.md section 8 (#task-ids).

import type { Task } from './task.ts';

export interface TaskSummary extends Pick<
  Task,
  | 'tenant'
  | 'owner'
  | 'id'
  | 'contextId'
  | 'kind'
  | 'parent'
  | 'deadline'
  | 'status'
  | 'generation'
  | 'attempt'
  | 'createdAt'
> {
  /** At most 256 characters of what was asked. */
  readonly text: string;
}
