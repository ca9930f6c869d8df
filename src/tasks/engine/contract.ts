// Owns what the task engine can be asked. Only the door asks it. SPEC.md section 8 (#task-ids, #task-answer).

import type { TaskStep } from '../event.ts';
import type { StopSignal } from '../log/follower.ts';
import type { Message } from '../message.ts';
import type { CanceledTask, StartedTask, TaskFilter, TaskPage, TaskRequest } from '../request.ts';
import type { ShareClass } from '../share.ts';
import type { Task, TaskAuthority, TaskScope } from '../task.ts';
import type { TaskStats } from './census.ts';
import type { AskedHook, TaskHooks } from './hooks.ts';

/** A task that the door has let in. */
export interface EngineStart extends TaskRequest {
  readonly tenant: string;
  readonly owner: string;
  readonly authority: TaskAuthority;
  readonly share: ShareClass;
  /** It is answered already: stored as completed and `direct`, never run. */
  readonly answer?: Message;
  /** Stored together with the task. @default none */
  readonly hook?: AskedHook;
  /** Who brought it for its owner, and may ask for it by its id from now on. @default nobody but the owner */
  readonly carrier?: TaskScope;
}

export interface EngineMessageOptions {
  /** The generation of the question. @default the open question if there is one, else it is a further message */
  readonly answers?: number;
  /** Stored together with the message; one that is there already changes nothing. @default none */
  readonly hook?: AskedHook;
  /** As of a start. */
  readonly carrier?: TaskScope;
}

export interface TaskEngine {
  /** Who outside is told of tasks. */
  readonly hooks: TaskHooks;
  /** Begins to look for tasks that nobody works on, at once and from time to time; starting a task does it too. */
  open(): Promise<void>;
  /**
   * The task is stored before this resolves. Throws TASK_CONFLICT for a different task of the same owner and id,
   * LIMIT_RATE without room, DRAINING when closing.
   */
  start(start: EngineStart): Promise<StartedTask>;
  /** Whose task this is, for who carries it; `undefined` where it carries none of this id. */
  carried(carrier: TaskScope, id: string): Promise<Required<TaskScope> | undefined>;
  /** `undefined` also for the task of another owner. */
  get(scope: TaskScope, id: string): Promise<Task | undefined>;
  /**
   * Last status first. Without a scope it lists the tasks of everybody, for the operator. A page may be shorter than
   * asked for when few of many tasks match.
   */
  list(scope: TaskScope | undefined, filter?: TaskFilter): Promise<TaskPage>;
  /** As `TaskService.follow`. Throws TASK_UNKNOWN with the first step. */
  follow(
    scope: TaskScope,
    id: string,
    after: number | undefined,
    signal?: StopSignal,
  ): AsyncIterable<TaskStep>;
  /** The same, also of a task whose time is over, as long as it is kept for those who are still to be told of it. */
  followKept(
    scope: TaskScope,
    id: string,
    after: number | undefined,
    signal?: StopSignal,
  ): AsyncIterable<TaskStep>;
  /**
   * Answers the question of a task that waits, or says more to one that works. TASK_UNKNOWN, TASK_ENDED, or
   * TASK_CONFLICT when it answers a question that is not open. The same answer again changes nothing.
   */
  message(
    scope: TaskScope,
    id: string,
    message: Message,
    options?: EngineMessageOptions,
  ): Promise<Task>;
  /** Ends the task at once and tells its work to stop, wherever it runs; one that has ended stays as it is. */
  cancel(scope: TaskScope, id: string): Promise<CanceledTask | undefined>;
  /** Cancels those of the tasks here, at work, waiting or in the queue, that may not go on any more. */
  endDisallowed(): Promise<void>;
  /** What it has to do and has done, from memory. */
  stats(): TaskStats;
  /** Removes tasks whose time is over; done from time to time by itself. Returns how many. */
  purge(): Promise<number>;
  /** Takes no new tasks, lets the others go on for `graceMs`, then gives them back or cancels them, as `onClose` says. */
  close(graceMs?: number): Promise<void>;
}
