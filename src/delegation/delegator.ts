// Owns how a task is given on: what the other agent is told of where it comes from, how long it has, what it may do, and
// what becomes of it when the task ends. SPEC.md sections 2, 8 and 10 (#trace-forward, #task-ids, #grant).

import type { RemoteAgent, TaskInput } from '../client/remote-agent.ts';
import { writeJson } from '../codec/json-write.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import type { JsonObject } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { sha256 } from '../crypto/sha256.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { forwardTrace, startTrace } from '../envelope/trace.ts';
import type { Trace } from '../envelope/types.ts';
import { uuidV8 } from '../envelope/uuid.ts';
import { originOf } from '../handlers/task-origin.ts';
import type { RunControls } from '../tasks/task-context.ts';
import type {
  ChildInput,
  ChildTask,
  DelegateOptions,
  Delegation,
} from '../tasks/task-delegation.ts';
import { TaskError } from '../tasks/task-error.ts';
import type { Task } from '../tasks/task.ts';
import { isTerminal } from '../tasks/task.ts';
import type { SetTimer } from '../tasks/timer.ts';
import { setTimer } from '../tasks/timer.ts';
import type { GrantServices } from './child-grants.ts';
import { childAuthz } from './child-grants.ts';
import { FOLLOW_S, FollowedChild } from './child-task.ts';
import { hasEnded, hasFailed } from './child-tree.ts';

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
  /** Resolves when the other agents were told of every task that nobody wants any more. */
  idle(): Promise<void>;
}

/** So that a list of them fits into every state of the task. */
const MAX_CHILDREN = 64;
const CANCEL_MS = 10_000;

export function createDelegator(options: DelegatorOptions): Delegator {
  return new TaskDelegator(options);
}

class TaskDelegator implements Delegator {
  readonly #options: DelegatorOptions;
  /** What the present attempt of each run has given on. */
  readonly #followed = new WeakMap<RunControls, Set<FollowedChild>>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: DelegatorOptions) {
    this.#options = options;
  }

  readonly forTask = (task: Task, run: RunControls): Delegation => {
    const { trace, grants } = originOf(task);
    const cause = trace ?? startTrace(this.#options.newId);
    // What an earlier attempt gave on is joined by this one, or else canceled when the task ends.
    for (const child of this.#followed.get(run) ?? []) child.detach();
    const followed = new Set<FollowedChild>();
    this.#followed.set(run, followed);
    const onAbort = (): void => this.#track(this.#cancelForgotten(task, followed));
    if (task.children.some(({ status }) => !hasEnded(status))) {
      run.signal.addEventListener('abort', onAbort, { once: true });
    }
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

  async idle(): Promise<void> {
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }

  #delegate(
    attempt: Attempt,
    target: string,
    given: string | ChildInput,
    options: DelegateOptions,
  ): FollowedChild & ChildTask {
    const { task, run, cause, grants, followed } = attempt;
    const { newId, maxHops } = this.#options;
    const newTrace = (): Trace => forwardTrace(cause, newId, maxHops);
    newTrace();
    if (task.children.length + followed.size >= MAX_CHILDREN) {
      const words = `a task is given on in at most ${MAX_CHILDREN} parts`;
      throw new TaskError(words, { code: 'TOO_MANY_PARTS' });
    }
    const peer = this.#connect(target);
    const input = typeof given === 'string' ? { goal: given } : given;
    const { id, deadline, isKnown } = placeOf(
      peer.agentId,
      input,
      options,
      attempt,
      this.#options.now(),
    );
    return new FollowedChild(
      {
        target,
        peer,
        id,
        deadline,
        isKnown,
        input: childInput(input, task, id, deadline),
        trace: newTrace,
        isRelayed: options.relay ?? true,
        authz: () =>
          childAuthz({ held: grants, agentId: peer.agentId, deadline, options }, this.#options),
      },
      run,
      {
        hasTaskEnded: () => this.#hasEnded(task),
        track: (leaving) => this.#track(leaving),
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
    if (!(await this.#hasEnded(task))) return;
    const asked = new Set([...followed].map(({ id }) => id));
    const forgotten = task.children.filter(({ id, status }) => !hasEnded(status) && !asked.has(id));
    await Promise.all(
      forgotten.map(async ({ agentId, id }) => {
        const signal = AbortSignal.timeout(CANCEL_MS);
        await this.#connect(agentId).call('task.cancel', { id }, { signal });
      }),
    );
  }

  #track(leaving: Promise<void>): void {
    const tracked = leaving.catch(this.#options.onError).finally(() => {
      this.#leaving.delete(tracked);
    });
    this.#leaving.add(tracked);
  }
}

interface Attempt {
  readonly task: Task;
  readonly run: RunControls;
  readonly cause: Trace;
  readonly grants: readonly JsonObject[];
  readonly followed: ReadonlySet<FollowedChild>;
}

interface Place {
  readonly id: string;
  readonly deadline: number | undefined;
  /** An earlier attempt gave it on, and it is worth joining. */
  readonly isKnown: boolean;
}

/** The same for the same part of the same task, so that a later attempt finds what an earlier one began. */
function placeOf(
  agentId: string,
  input: ChildInput,
  options: DelegateOptions,
  { task, run, followed }: Attempt,
  nowMs: number,
): Place {
  const asked = new Set([...followed].map((child) => child.id));
  const latest = Math.min(run.deadline, options.deadline ?? Infinity);
  if (Number.isNaN(latest))
    throw new RangeError('"deadline" expected milliseconds since the epoch');
  const deadline = Number.isFinite(latest) ? Math.floor(latest) : undefined;
  const { tenant, owner, createdAt } = task;
  const content = writeJson(input as unknown as JsonObject);
  for (let nth = 0; ; nth += 1) {
    const parts = [tenant, owner, task.id, createdAt, agentId, nth];
    const head = encodeUtf8(`${JSON.stringify(parts)}\n`);
    const id = options.id ?? uuidV8(sha256(concat(head, content)));
    const known = task.children.find((child) => child.agentId === agentId && child.id === id);
    const isOver =
      known !== undefined && (hasFailed(known.status) || isPast(known.deadline, nowMs));
    if (options.id === undefined && (asked.has(id) || isOver)) continue;
    // It is joined only by what it was begun with.
    return known === undefined
      ? { id, deadline, isKnown: false }
      : { id, deadline: known.deadline, isKnown: true };
  }
}

function isPast(deadline: number | undefined, nowMs: number): boolean {
  return deadline !== undefined && deadline <= nowMs;
}

/** Everything but the grants, which are no part of what makes two tasks equal. */
function childInput(
  input: ChildInput,
  { id: parent, contextId }: Task,
  id: string,
  deadline: number | undefined,
): TaskInput {
  const context = input.context ?? {};
  const named = isJsonObject(context['task']) ? context['task'] : {};
  return {
    ...input,
    id,
    constraints: { ...input.constraints, time_budget_s: FOLLOW_S },
    context: {
      ...context,
      task: {
        ...named,
        id,
        parent,
        ...(contextId !== undefined && { context_id: contextId }),
        ...(deadline !== undefined && { deadline: formatTimestamp(deadline) }),
      },
    },
  };
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
