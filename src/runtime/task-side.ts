// Owns the tasks of a runtime: the engine that works on them, the door before it, and what is given on to other agents
// and told to them. ARCHITECTURE.md ("The door").

import type { RemoteAgent } from '../client/remote-agent.ts';
import type { Delegator } from '../delegation/delegator.ts';
import { createDelegator } from '../delegation/delegator.ts';
import { DELEGATION_END, adoptEndMarks, createTellEnd } from '../delegation/ends.ts';
import type { DoorServices } from '../door/door.ts';
import { Door } from '../door/door.ts';
import { ownerOf } from '../door/ownership.ts';
import type { DoorOutcome } from '../door/operation.ts';
import { uuidV7 } from '../envelope/uuid.ts';
import { createHookDeliverer } from '../hooks/deliverer.ts';
import { createTellHooks, hookKind } from '../hooks/tell-hooks.ts';
import { createToolsFor } from '../handlers/task/tools.ts';
import type { ToolRegistry } from '../handlers/tools/registry.ts';
import type { Outbox, OutboxStats } from '../outbox/outbox.ts';
import { createOutbox } from '../outbox/outbox.ts';
import type { AdmissionControl } from '../pipeline/admission.ts';
import type { ToolBox } from '../tasks/context.ts';
import type { TaskStats } from '../tasks/engine/census.ts';
import type { TaskEngine } from '../tasks/engine/contract.ts';
import { createTaskEngine } from '../tasks/engine/engine.ts';
import { NO_TOOLS } from '../tasks/engine/options.ts';
import { setTimer } from '../tasks/engine/timer.ts';
import type { Task } from '../tasks/task.ts';
import type { ListenContext } from '../transport.ts';
import type { ResolvedRuntimeOptions } from './options.ts';
import { failuresOfOurs } from './services.ts';

export interface TaskSideParts {
  readonly tools: ToolRegistry;
  readonly admission: AdmissionControl;
  /** What ends each call at work when the runtime stops and waits no longer. */
  readonly running: Set<() => void>;
  /** Also while the runtime closes: agents that do parts of a task are told of its end. */
  readonly connect: (target: string) => RemoteAgent;
  /** Resolves once {@link TaskSide.open} was called. */
  readonly opening: () => Promise<unknown>;
  readonly onOutcome: (outcome: DoorOutcome, isCovered: boolean) => void;
}

export class TaskSide {
  readonly door: Door;
  readonly #engine: TaskEngine | undefined;
  readonly #delegator: Delegator;
  readonly #outbox: Outbox;
  readonly #options: ResolvedRuntimeOptions;
  readonly #tools: ToolRegistry;
  #toolsFor: (task: Task) => ToolBox = () => NO_TOOLS;

  constructor(
    options: ResolvedRuntimeOptions,
    onClose: 'release' | 'cancel',
    { tools, admission, running, connect, opening, onOutcome }: TaskSideParts,
  ) {
    const { onTask, on, now, store, identity, crypto, limits, accepts, randomBytes } = options;
    const { evidence: witness } = options;
    const { leaseMs, recoverEveryMs: lookEveryMs } = options.tasks;
    const newId = (): string => uuidV7(now(), randomBytes);
    this.#options = options;
    this.#tools = tools;
    this.#delegator = createDelegator({
      identity,
      crypto,
      now,
      newId,
      connect,
      maxHops: limits.maxHops,
      cancelHanded: options.cancelHanded,
      isAllowed: (task) => this.door.mayGoOn(task),
      taskNow: async (scope, id) => this.#engine?.get(scope, id),
      onError: on.error,
    });
    this.#outbox = createOutbox({
      store,
      now,
      // Never the same in two processes: it says who tells what.
      holder: newId(),
      // Who has no tasks cannot say whom to tell of their ends: that is left to those that share the store.
      deliverers: onTask === undefined ? {} : { [DELEGATION_END]: this.#delegator.ends },
      ...(leaseMs !== undefined && { leaseMs }),
      ...(lookEveryMs !== undefined && { lookEveryMs }),
      onError: on.error,
    });
    this.#engine =
      onTask &&
      createTaskEngine({
        onTask,
        store,
        onClose,
        ...options.tasks,
        now,
        toolsFor: (task) => this.#toolsFor(task),
        delegationFor: this.#delegator.forTask,
        isAllowed: (task) => this.door.mayGoOn(task),
        tellEnd: createTellEnd(this.#outbox),
        tellHooks: createTellHooks(this.#outbox),
        onError: on.error,
        onState: on.task,
      });
    this.door = new Door({
      engine: this.#engine,
      opening,
      admit: ({ id }, onStop) => {
        if (onStop === undefined) return admission.enter(id);
        const begin = (leave: () => void): (() => void) => {
          running.add(onStop);
          return () => {
            running.delete(onStop);
            leave();
          };
        };
        const entered = admission.enter(id);
        return entered instanceof Promise ? entered.then(begin) : begin(entered);
      },
      accepts,
      witness,
      onOutcome,
      onError: on.error,
      newId,
      now,
      setTimer,
    });
  }

  /** Is there anybody who does tasks? */
  get hasEngine(): boolean {
    return this.#engine !== undefined;
  }

  /** From now on the hooks of this face are told by it; `undefined` for who does no tasks. */
  get tellHooks(): ListenContext['tellHooks'] {
    const engine = this.#engine;
    if (engine === undefined) return undefined;
    const { identity, now } = this.#options;
    const { door } = this;
    return (face, teller) => {
      const deliverer = createHookDeliverer(teller, {
        hookAt: (key, made) => engine.hooks.at(key, made),
        drop: (key, made) => engine.hooks.dropMade(key, made),
        ended: (key, hook) => engine.hooks.ended(key, hook),
        steps: (scope, id, after) => engine.followKept(scope, id, after, NO_WAITING),
        mayBeTold: door.mayBeTold,
        told: (owner, step, signal) => {
          const { agentId } = identity();
          const principal = ownerOf(owner);
          door.sent({ principal, face: owner.face, agentId, signal, now }, step);
        },
        now,
      });
      this.#outbox.register(hookKind(face), deliverer);
    };
  }

  /** From now on tasks are worked on: also those that an earlier start has left. */
  open(services: DoorServices): void {
    const { on, now, store, identity } = this.#options;
    const toolsFor = createToolsFor({
      tools: this.#tools,
      rights: services.rights,
      onFailure: failuresOfOurs(on.error),
      agentId: identity().agentId,
      now,
    });
    this.#toolsFor = (task) => {
      const { ceiling } = task.authority;
      return toolsFor({
        principal: ownerOf(task),
        face: task.source.face,
        ...(ceiling !== undefined && { ceiling }),
      });
    };
    this.door.open(services);
    this.#engine?.open().catch(on.error);
    adoptEndMarks(store, this.#outbox)
      .catch(on.error)
      .then(() => this.#outbox.open())
      .catch(on.error);
  }

  /** Nothing of a runtime that does no tasks. */
  stats(): { readonly tasks?: TaskStats; readonly outbox?: OutboxStats } {
    if (this.#engine === undefined) return {};
    return { tasks: this.#engine.stats(), outbox: this.#outbox.stats() };
  }

  async close(): Promise<void> {
    this.door.close();
    await this.#engine?.close(0);
    await this.#outbox.close(LAST_WORDS_MS);
    await this.#delegator.idle();
  }
}

const LAST_WORDS_MS = 10_000;

/** For who follows a task only up to now. */
const NO_WAITING = {
  aborted: true,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};
