// Owns the contract of the door: the one way to the tasks of an agent, whatever dialect is spoken.
// ARCHITECTURE.md ("The door").

import type { TaskStep } from '../tasks/event.ts';
import type { NewHook, TaskHook } from '../tasks/hook.ts';
import type { MessageContent } from '../tasks/message.ts';
import type {
  CanceledTask,
  StartedTask,
  TaskFilter,
  TaskPage,
  TaskRequest,
  WholeTaskPage,
} from '../tasks/request.ts';
import type { Task, TaskSource } from '../tasks/task.ts';
import type { CallContext } from './call.ts';
import type { OperationName } from './operation.ts';
import type { Principal } from './principal.ts';
import type { TellSent } from './witness.ts';

export interface StartTask extends Omit<TaskRequest, 'message' | 'source'> {
  /** What is asked. */
  readonly message: MessageContent;
  /** The original and private facts, for the face that started it. @default the face alone */
  readonly source?: TaskSource;
  /** Somebody outside who is told all of it; stored together with the task. @default nobody */
  readonly hook?: NewHook;
  /** Who brought it for the caller: by {@link TaskService.carried} it finds the task from now on. @default nobody */
  readonly carrier?: Principal;
}

/** Whose task, for administrators. */
export interface OwnerOption {
  /** @default the caller */
  readonly owner?: string;
}

export interface MessageOptions extends OwnerOption {
  /**
   * The generation of the question that it answers. A repeated answer to an earlier question changes nothing.
   * @default the open question if there is one, else it is a further message
   */
  readonly answers?: number;
  /** Somebody outside who is told what follows; stored together with the message. @default nobody */
  readonly hook?: NewHook;
  /** As of a start. */
  readonly carrier?: Principal;
}

export interface GetOptions extends OwnerOption {
  /** The last so many messages. @default all */
  readonly historyLength?: number;
  /** @default true */
  readonly includeArtifacts?: boolean;
}

export interface FollowTask extends OwnerOption {
  /** Evidence is told nothing of its steps: the face says by {@link TaskService.sent} what it sends. @default false */
  readonly isSilent?: boolean;
}

/** As the owner in a list: everybody. No text stands for it. */
export const EVERY_OWNER: unique symbol = Symbol('every owner');

export interface ListTasks extends TaskFilter {
  /** @default the caller */
  readonly owner?: string | typeof EVERY_OWNER;
}

/** Asks for the tasks themselves, too: in one operation, not in one for each. */
export interface ListWholeTasks extends TaskFilter, OwnerOption {
  readonly isWhole: true;
}

/** Every operation asks the rights of the caller, and is in the audit log, the outcomes and the metrics. */
export interface TaskService {
  /**
   * Throws NOT_AUTHORIZED where that operation would now, for a face that says so before it reads what is asked. Nothing
   * is recorded: the face tells what it refuses, and the operation asks again.
   */
  authorize(call: CallContext, operation: OperationName): Promise<void>;
  /**
   * The task is stored before this resolves. Throws NOT_AUTHORIZED, TASK_CONFLICT for a different task of the same
   * owner and id, LIMIT_RATE without room, DRAINING when closing.
   */
  start(call: CallContext, start: StartTask): Promise<StartedTask>;
  /** Answers a question, or says more to a running task. TASK_UNKNOWN, TASK_ENDED, or TASK_CONFLICT. */
  message(
    call: CallContext,
    id: string,
    message: MessageContent,
    options?: MessageOptions,
  ): Promise<Task>;
  /**
   * The call by which who brought a task for its owner asks for it: one of the operations below that name a task, for
   * this id alone. What it is told is the owner's, and for the face to keep from it. `undefined` where it brought none.
   */
  carried(call: CallContext, id: string): Promise<CallContext | undefined>;
  /** `undefined` also for the task of another owner. */
  get(call: CallContext, id: string, options?: GetOptions): Promise<Task | undefined>;
  list(call: CallContext, options: ListWholeTasks): Promise<WholeTaskPage>;
  list(call: CallContext, options?: ListTasks): Promise<TaskPage>;
  /**
   * First the whole task as it was after the generation `after` (@default as it is now), then each event that followed
   * or follows, until the task has ended, or until `call.signal` aborts, once it has caught up then. A step without an
   * event is the whole task: the first one, and whenever an attempt dropped what was shown. Throws TASK_UNKNOWN.
   */
  follow(
    call: CallContext,
    id: string,
    after?: number,
    options?: FollowTask,
  ): AsyncIterable<TaskStep>;
  /** For a face that follows silently: its caller is told of this step, or without an event of the whole task. */
  readonly sent: TellSent;
  /** Ends the task at once and tells its work to stop, wherever it runs; `undefined` when there is no such task. */
  cancel(call: CallContext, id: string, options?: OwnerOption): Promise<CanceledTask | undefined>;
  /**
   * Somebody outside is told of the task by the face of the call: first the task as it is now, then all that follows,
   * until it has ended. Throws TASK_UNKNOWN, and LIMIT_RATE for one too many.
   */
  setHook(call: CallContext, id: string, hook: NewHook): Promise<TaskHook>;
  /** Those of the face of the call, in the order in which they were made. Throws TASK_UNKNOWN. */
  hooks(call: CallContext, id: string): Promise<readonly TaskHook[]>;
  /** From now on it is told nothing. One that is not there changes nothing. Throws TASK_UNKNOWN. */
  dropHook(call: CallContext, id: string, hookId: string): Promise<void>;
}
