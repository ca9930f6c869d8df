// Owns how a task is given on: what the other agent is told of where it comes from, how long it has, what it may do, and
// what becomes of it when the task ends. SPEC.md sections 2, 8 and 10 (#trace-forward, #task-ids, #grant).

import type { RemoteAgent } from '../client/remote-agent.ts';
import type { JsonObject } from '../codec/value.ts';
import { forwardTrace, startTrace } from '../envelope/trace.ts';
import type { Trace } from '../envelope/types.ts';
import { FOREIGN_MARK } from '../envelope/agent-id.ts';
import { originOf } from '../handlers/task/origin.ts';
import type { Deliverer } from '../outbox/deliverer.ts';
import type { RunControls } from '../tasks/context.ts';
import type {
  ChildInput,
  DelegateOptions,
  Delegation,
  HandedPart,
  TaskChild,
} from '../tasks/delegation.ts';
import { TaskError } from '../tasks/error.ts';
import type { Task, TaskScope } from '../tasks/task.ts';
import { isTerminal } from '../tasks/task.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import { setTimer } from '../tasks/engine/timer.ts';
import type { GrantServices } from './child-grants.ts';
import { childAuthz } from './child-grants.ts';
import { placeOf } from './child-place.ts';
import { FollowedChild, isRefusal, isUnknownTask } from './child-task.ts';
import { hasEnded } from './child-tree.ts';
import { createEndDeliverer } from './ends.ts';

export interface DelegatorOptions extends GrantServices {
  readonly connect: (target: string) => RemoteAgent;
  /** The task as it stands now; `undefined` when it is gone. */
  readonly taskNow: (scope: TaskScope, id: string) => Promise<Task | undefined>;
  /** Asked at each use: whether the owner of the task still may have it go on. */
  readonly isAllowed: (task: Task) => boolean;
  /** How far a request may travel. */
  readonly maxHops: number;
  /** Tells who speaks no envelopes that what was handed to it is not wanted any more. Throws where that has to be tried again. */
  readonly cancelHanded: (part: HandedPart, signal: AbortSignal) => Promise<void>;
  /** Told when a task that nobody wants any more could not be canceled. */
  readonly onError: (cause: unknown) => void;
  /** @default real time */
  readonly setTimer?: SetTimer;
}

export interface Delegator {
  /** For `delegationFor` of the task engine. */
  readonly forTask: (task: Task, run: RunControls) => Delegation;
  /** For the outbox, under {@link DELEGATION_END}: cancels all that was given on and may not have ended. */
  readonly ends: Deliverer;
  /** Resolves when the other agents were told of every task that nobody wants any more. */
  idle(): Promise<void>;
}

const CANCEL_MS = 10_000;

export function createDelegator(options: DelegatorOptions): Delegator {
  return new TaskDelegator(options);
}

class TaskDelegator implements Delegator {
  readonly ends: Deliverer;
  readonly #options: DelegatorOptions;
  readonly #endAttempt = new WeakMap<RunControls, () => void>();
  /** All that are followed, by their names. */
  readonly #live = new Map<string, FollowedChild>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: DelegatorOptions) {
    this.#options = options;
    const { taskNow } = options;
    this.ends = createEndDeliverer({ taskNow, endParts: (...end) => this.#endParts(...end) });
  }

  readonly forTask = (task: Task, run: RunControls): Delegation => {
    const { trace, grants } = originOf(task);
    // What an earlier attempt gave on is joined by this one, or else canceled when the task ends.
    this.#endAttempt.get(run)?.();
    this.#endAttempt.delete(run);
    // Most tasks give nothing on, and cost nothing here.
    let scope: DelegationScope | undefined;
    return Object.freeze({
      grants: Object.freeze(grants),
      hops: trace?.hops ?? 0,
      delegate: (target: string, given: string | ChildInput, options: DelegateOptions = {}) => {
        scope ??= {
          task,
          run,
          cause: trace ?? startTrace(this.#options.newId),
          grants,
          followed: this.#followingOf(run),
        };
        const child = this.#delegate(scope, target, given, options);
        scope.followed.add(child);
        return child;
      },
    });
  };

  /** What one attempt follows, until its run stops or its next attempt begins. */
  #followingOf(run: RunControls): Set<FollowedChild> {
    const followed = new Set<FollowedChild>();
    const onAbort = (): void => {
      for (const child of followed) this.#track(child.leave()).catch(() => undefined);
    };
    run.signal.addEventListener('abort', onAbort, { once: true });
    this.#endAttempt.set(run, () => {
      run.signal.removeEventListener('abort', onAbort);
      for (const child of followed) child.detach();
    });
    return followed;
  }

  async idle(): Promise<void> {
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }

  #delegate(
    scope: DelegationScope,
    target: string,
    given: string | ChildInput,
    options: DelegateOptions,
  ): FollowedChild {
    const { task, run, cause, grants, followed } = scope;
    const { newId, maxHops, now } = this.#options;
    const newTrace = (): Trace => forwardTrace(cause, newId, maxHops);
    // At once, not when it is sent.
    newTrace();
    const peer = this.#connect(target);
    const place = placeOf({
      task,
      agentId: peer.agentId,
      input: typeof given === 'string' ? { goal: given } : given,
      options,
      asked: idsOf(followed),
      deadline: run.deadline,
      nowMs: now(),
    });
    const { id, deadline } = place;
    const name = nameOf({ agentId: peer.agentId, id });
    const child: FollowedChild = new FollowedChild(
      {
        ...place,
        target,
        peer,
        trace: newTrace,
        isRelayed: options.relay ?? true,
        authz: () =>
          childAuthz({ held: grants, agentId: peer.agentId, deadline, options }, this.#options),
      },
      run,
      {
        isAllowed: () => this.#options.isAllowed(task),
        hasTaskEnded: () => this.#hasEnded(task),
        onOver: () => {
          // A later attempt may follow it by now.
          if (this.#live.get(name) === child) this.#live.delete(name);
        },
        setTimer: this.#options.setTimer ?? setTimer,
      },
    );
    this.#live.set(name, child);
    return child;
  }

  #connect(target: string): RemoteAgent {
    try {
      return this.#options.connect(target);
    } catch (cause) {
      throw new TaskError('the agent does not know the agent that it should give the task to', {
        code: 'CHILD_UNKNOWN',
        cause,
      });
    }
  }

  async #hasEnded(task: Task): Promise<boolean> {
    const now = await this.#options.taskNow(task, task.id);
    return now === undefined || isTerminal(now.status.state);
  }

  async #endParts(task: Task, signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#options.now();
    const open = task.children.filter((child) => !isOver(child, nowMs));
    const ends = open.map((child) => this.#track(this.#endPart(task, child, signal)));
    const settled = await Promise.allSettled(ends);
    return settled.every((end) => end.status === 'fulfilled' || isRefusal(end.reason));
  }

  async #endPart(task: Task, child: TaskChild, signal: AbortSignal): Promise<void> {
    if (child.agentId.startsWith(FOREIGN_MARK)) return this.#options.cancelHanded(child, signal);
    // Who follows it here knows best whether it has arrived.
    const followed = this.#live.get(nameOf(child));
    await followed?.leave();
    if (followed?.isDone === true) return;
    await this.#cancel(task, child, signal).catch((thrown: unknown) => {
      if (!isUnknownTask(thrown)) throw thrown;
    });
  }

  async #cancel(task: Task, { agentId, id }: TaskChild, signal: AbortSignal): Promise<void> {
    const { newId, maxHops } = this.#options;
    const { trace = startTrace(newId), grants: held } = originOf(task);
    const authz = await childAuthz(
      { held, agentId, deadline: undefined, options: {} },
      this.#options,
    );
    await this.#connect(agentId).call(
      'task.cancel',
      { id },
      {
        signal: AbortSignal.any([signal, AbortSignal.timeout(CANCEL_MS)]),
        trace: forwardTrace(trace, newId, maxHops),
        ...(authz !== undefined && { authz }),
      },
    );
  }

  /** What fails is told to the operator. */
  #track(leaving: Promise<void>): Promise<void> {
    const tracked = leaving.catch(this.#options.onError).finally(() => {
      this.#leaving.delete(tracked);
    });
    this.#leaving.add(tracked);
    return leaving;
  }
}

function idsOf(children: Iterable<FollowedChild>): ReadonlySet<string> {
  return new Set([...children].map(({ id }) => id));
}

function nameOf({ agentId, id }: Pick<TaskChild, 'agentId' | 'id'>): string {
  return JSON.stringify([agentId, id]);
}

/** It has ended, as was told or by its own deadline. */
function isOver({ status, deadline }: TaskChild, nowMs: number): boolean {
  return hasEnded(status) || (deadline !== undefined && deadline <= nowMs);
}

interface DelegationScope {
  readonly task: Task;
  readonly run: RunControls;
  readonly cause: Trace;
  readonly grants: readonly JsonObject[];
  readonly followed: Set<FollowedChild>;
}
