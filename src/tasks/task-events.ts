// Owns the events of a task: a log without gaps, from which the task itself follows. SPEC.md section 8 (#exchange).

import { joinArtifact } from './task-artifact.ts';
import type { TaskArtifact } from './task-artifact.ts';
import { mayFollow } from './task.ts';
import type { Task, TaskFailure, TaskProgress, TaskState } from './task.ts';

/** What happened, before it has a place in the log. */
export type TaskChange =
  | { readonly type: 'status'; readonly state: TaskState; readonly failure?: TaskFailure }
  | { readonly type: 'progress'; readonly progress: TaskProgress }
  | { readonly type: 'artifact'; readonly artifact: TaskArtifact };

interface Placed {
  /** 1 for the first event of a task, one more for each that follows. */
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type TaskEvent = TaskChange & Placed;

/** The task after the event. An event that the lifecycle does not allow is a programming error. */
export function applyEvent(task: Task, event: TaskEvent): Task {
  if (event.generation !== task.generation + 1) {
    throw new RangeError(`"generation" expected ${task.generation + 1}`);
  }
  const next = { ...task, generation: event.generation, updatedAt: event.at };
  if (event.type === 'status') {
    // A task starts as submitted by its first event.
    if (task.generation > 0 && !mayFollow(task.state, event.state)) {
      throw new RangeError(`a task that is ${task.state} cannot become ${event.state}`);
    }
    const { state, failure } = event;
    return { ...next, state, ...(failure !== undefined && { failure }) };
  }
  if (task.state !== 'working') {
    throw new RangeError(`a task that is ${task.state} has no ${event.type}`);
  }
  if (event.type === 'progress') return { ...next, progress: event.progress };
  return { ...next, artifacts: joinArtifact(task.artifacts, event.artifact) };
}
