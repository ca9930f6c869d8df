// Owns how a task is given on: what the other agent is told of where it comes from, how long it has, what it may do, and
// what becomes of it when the task ends. SPEC.md sections 2, 8 and 10 (#trace-forward, #task-ids, #grant).

import type { RemoteAgent } from '../client/remote-agent.ts';
import type { JsonObject } from '../codec/value.ts';
import { forwardTrace, startTrace } from '../envelope/trace.ts';
import type { Trace } from '../envelope/types.ts';
import { originOf } from '../handlers/task-origin.ts';
import type { RunControls } from '../tasks/task-context.ts';
import type {
  ChildInput,
  DelegateOptions,
  Delegation,
  TaskChild,
} from '../tasks/task-delegation.ts';
import { TaskError } from '../tasks/task-error.ts';
import type { Task } from '../tasks/task.ts';
import { isTerminal } from '../tasks/task.ts';
import type { SetTimer } from '../tasks/timer.ts';
import { setTimer } from '../tasks/timer.ts';
import type { GrantServices } from './child-grants.ts';
import { childAuthz } from './child-grants.ts';
import { placeOf } from './child-place.ts';
import { FollowedChild } from './child-task.ts';
import { hasEnded } from './child-tree.ts';

export interface DelegatorOptions extends GrantServices {
  readonly connect: (target: string) => RemoteAgent;
  /** The task as it stands now; `undefined` when it is gone. */
  readonly taskNow: (task: Task) => Promise<Task | undefined>;
  /** How far a request may travel. */
  readonly maxHops: number;
  /** Told when a task that nobody wants any more could not be canceled. */
  readonly onError: (cause: unknown) => void;
  /** @default real time */
  readonly setTimer?: SetTimer;
}

export interface Delegator {
  /** For `delegationFor` of the task engine. */
  readonly forTask: (task: Task, run: RunControls) => Delegation;
  /** Tells the agents that do parts of a task that was canceled while nobody here worked on it. */
  cancelParts(task: Task): void;
  /** Resolves when the other agents were told of every task that nobody wants any more. */
  idle(): Promise<void>;
}

const CANCEL_MS = 10_000;

export function createDelegator(options: DelegatorOptions): Delegator {
  return new TaskDelegator(options);
}

class TaskDelegator implements Delegator {
  readonly #options: DelegatorOptions;
  readonly #endAttempt = new WeakMap<RunControls, () => void>();
  /** The ids of all that are followed. */
  readonly #live = new Set<string>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: DelegatorOptions) {
    this.#options = options;
  }

  readonly forTask = (task: Task, run: RunControls): Delegation => {
    const { trace, grants } = originOf(task);
    const cause = trace ?? startTrace(this.#options.newId);
    // What an earlier attempt gave on is joined by this one, or else canceled when the task ends.
    this.#endAttempt.get(run)?.();
    const followed = new Set<FollowedChild>();
    const onAbort = (): void => {
      for (const child of followed) this.#track(child.leave());
      this.#track(this.#cancelForgotten(task, followed));
    };
    run.signal.addEventListener('abort', onAbort, { once: true });
    this.#endAttempt.set(run, () => {
      run.signal.removeEventListener('abort', onAbort);
      for (const child of followed) child.detach();
    });
    return Object.freeze({
      grants: Object.freeze(grants),
      delegate: (target: string, given: string | ChildInput, options: DelegateOptions = {}) => {
        const child = this.#delegate(
          { task, run, cause, grants, followed },
          target,
          given,
          options,
        );
        followed.add(child);
        return child;
      },
    });
  };

  cancelParts(task: Task): void {
    // Who follows one here cancels it.
    const forgotten = openParts(task).filter(({ id }) => !this.#live.has(id));
    if (isTerminal(task.state)) this.#track(this.#cancelAll(task, forgotten));
  }

  async idle(): Promise<void> {
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }

  #delegate(
    attempt: Attempt,
    target: string,
    given: string | ChildInput,
    options: DelegateOptions,
  ): FollowedChild {
    const { task, run, cause, grants, followed } = attempt;
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
    this.#live.add(id);
    return new FollowedChild(
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
        hasTaskEnded: () => this.#hasEnded(task),
        onOver: () => this.#live.delete(id),
        setTimer: this.#options.setTimer ?? setTimer,
        onError: this.#options.onError,
      },
    );
  }

  #connect(target: string): RemoteAgent {
    try {
      return this.#options.connect(target);
    } catch (cause) {
      throw new TaskError('the agent does not know whom it was to give the task to', {
        code: 'CHILD_UNKNOWN',
        cause,
      });
    }
  }

  async #hasEnded(task: Task): Promise<boolean> {
    const now = await this.#options.taskNow(task);
    return now === undefined || isTerminal(now.state);
  }

  /** What an earlier attempt gave on and this one never asked for. */
  async #cancelForgotten(task: Task, followed: ReadonlySet<FollowedChild>): Promise<void> {
    const asked = idsOf(followed);
    const forgotten = openParts(task).filter(({ id }) => !asked.has(id));
    if (forgotten.length === 0) return;
    if (await this.#hasEnded(task)) await this.#cancelAll(task, forgotten);
  }

  async #cancelAll(task: Task, children: readonly TaskChild[]): Promise<void> {
    await Promise.all(children.map((child) => this.#cancel(task, child)));
  }

  async #cancel(task: Task, { agentId, id }: TaskChild): Promise<void> {
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
        signal: AbortSignal.timeout(CANCEL_MS),
        trace: forwardTrace(trace, newId, maxHops),
        ...(authz !== undefined && { authz }),
      },
    );
  }

  #track(leaving: Promise<void>): void {
    const tracked = leaving.catch(this.#options.onError).finally(() => {
      this.#leaving.delete(tracked);
    });
    this.#leaving.add(tracked);
  }
}

function idsOf(children: Iterable<FollowedChild>): ReadonlySet<string> {
  return new Set([...children].map(({ id }) => id));
}

function openParts({ children }: Task): readonly TaskChild[] {
  return children.filter(({ status }) => !hasEnded(status));
}

interface Attempt {
  readonly task: Task;
  readonly run: RunControls;
  readonly cause: Trace;
  readonly grants: readonly JsonObject[];
  readonly followed: ReadonlySet<FollowedChild>;
}
