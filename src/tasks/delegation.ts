// Owns what a task knows of the work that other agents do for it: the tree below it, and how its author asks for more.
// SPEC.md section 8 (#task-ids).

import type { JsonObject } from '../codec/value.ts';
import type { Artifact } from './artifact.ts';
import { TaskError } from './error.ts';
import type { TaskProgress } from './context.ts';
import type { Message, Words } from './message.ts';
import type { TaskFailure } from './task.ts';

/** A part of a task that another agent works on. */
export interface TaskChild {
  readonly agentId: string;
  /** The id of the task at that agent. */
  readonly id: string;
  /** As that agent told it last. */
  readonly status: string;
  /** As it was sent. Milliseconds since the epoch. */
  readonly deadline?: number;
  /** What that agent told of those below it. */
  readonly children?: readonly TaskChild[];
  /** The tree is incomplete: there are more tasks below this one. */
  readonly isCut?: true;
}

/** A task, or a part of one, that somebody does who speaks no envelopes. */
export type HandedPart = Pick<TaskChild, 'agentId' | 'id' | 'status'>;

/** The list with what is known now of one of its tasks. */
export function joinChild(children: readonly TaskChild[], child: TaskChild): readonly TaskChild[] {
  const at = children.findIndex(({ agentId, id }) => agentId === child.agentId && id === child.id);
  return at < 0 ? [...children, child] : children.with(at, child);
}

/** What another agent is to do; only the goal has no default. */
export interface ChildInput {
  readonly goal: string;
  readonly inputs?: JsonObject;
  /** They say nothing about how long the answer may take: `deadline` says when the task must have ended. */
  readonly constraints?: JsonObject;
  readonly deliverables?: readonly JsonObject[];
  readonly acceptance?: readonly string[];
  readonly context?: JsonObject;
}

export interface DelegateOptions {
  /** Names the task there. @default made from this task and what is asked, so that a later attempt finds it again */
  readonly id?: string;
  /** When it has to have ended; never later than this task. Milliseconds since the epoch. @default that of this task */
  readonly deadline?: number;
  /** Its progress becomes progress of this task. @default true */
  readonly relay?: boolean;
  /** Shown to the other agent. @default the one of `grants` that is for it, if any */
  readonly grant?: JsonObject;
  /** Other `grants` that the other agent gets too, named by their audiences, to delegate further. @default none */
  readonly handOn?: readonly string[];
  /** Narrows the grants that the other agent gets. @default they are not narrowed */
  readonly allow?: { readonly ct: readonly string[]; readonly tools: readonly string[] };
}

/** An artifact of the other agent, or the piece of one that a message brought. */
interface ChildArtifact extends Artifact {
  /** It goes on where what came before under this id has ended. */
  readonly append: boolean;
}

/** The other agent's task after one message. */
export interface ChildUpdate {
  /** Such as `working` or `completed`; an agent that knows no task ids says `accepted` and no more. */
  readonly status: string;
  readonly progress?: TaskProgress;
  /** What this message brought; at the end all output. The parts of each can be given to `ctx.artifact`. */
  readonly artifacts: readonly ChildArtifact[];
  /** Its `artifacts` are all output so far: what came before and is not among them does not count any more. */
  readonly isWhole: boolean;
  /** Why it failed. */
  readonly failure?: TaskFailure;
  /** What it waits to be told. */
  readonly question?: Message;
  /** Its last words, if it ended with a message for an answer. */
  readonly answer?: Message;
  /** Nothing follows. */
  readonly hasEnded: boolean;
}

/**
 * A task that another agent was given. It is sent at once and followed until it ends. If this task ends first, the
 * other one is canceled. If this agent stops or loses the task, the other one goes on, and a later attempt joins it.
 */
export interface ChildTask extends AsyncIterable<ChildUpdate> {
  readonly agentId: string;
  readonly id: string;
  /**
   * Waits until it has ended or asks a question. It does not throw for a failed task: look at `status`. Throws a
   * `TaskError` when the agent refused the task or cannot be reached.
   */
  result(): Promise<ChildUpdate>;
  /** Answers its question; then it goes on. */
  reply(reply: Words): Promise<void>;
  cancel(): Promise<void>;
}

/** The agent by its name or id in the peer book, or by its address. Throws LIMIT_HOPS when that would go too far. */
export type Delegate = (
  target: string,
  task: string | ChildInput,
  options?: DelegateOptions,
) => ChildTask;

/** What an author has to delegate with. */
export interface Delegation {
  readonly delegate: Delegate;
  readonly grants: readonly JsonObject[];
  /** How far the request has travelled. */
  readonly hops: number;
}

export const NO_DELEGATION: Delegation = Object.freeze({
  grants: Object.freeze([]),
  hops: 0,
  delegate: () => {
    throw new TaskError('this agent does not delegate');
  },
});
