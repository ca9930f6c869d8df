// Owns how hooks hear of their tasks: from the log, in its order, one step after the other, by the outbox. A hook that is
// stuck holds up neither its task nor other hooks. SPEC.md section 9 (#task-hooks).

import type { HookTeller } from '../door/hook-teller.ts';
import { SdlError } from '../errors.ts';
import type { Deliverer, Delivered } from '../outbox/deliverer.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import type { TaskStep } from '../tasks/event.ts';
import type { StoredHook } from '../tasks/log/hooks.ts';
import type { TaskAuthority, TaskScope } from '../tasks/task.ts';
import { isTerminal } from '../tasks/task.ts';

/** What an entry of the outbox says of a hook. Nothing of it is secret. */
export interface HookFacts {
  readonly tenant: string;
  readonly owner: string;
  /** Of the task. */
  readonly id: string;
  /** Of its row in the store. */
  readonly key: string;
  /** Which hook of the task. */
  readonly made: string;
  /** The generation of the task that it is told first. */
  readonly from: number;
  readonly lane: string;
}

/** On whose word a hook is told. */
interface HookOwner {
  readonly tenant: string;
  readonly owner: string;
  readonly authority: TaskAuthority;
  readonly face: string;
}

export interface HookServices {
  /** `undefined` when it is not there any more. */
  readonly hookAt: (key: string, made: string) => Promise<StoredHook | undefined>;
  readonly drop: (key: string, made: string) => Promise<void>;
  /** It was told the end of its task. */
  readonly ended: (key: string, hook: StoredHook) => Promise<void>;
  /** The task as it was after a generation, and each step since, up to now. Throws TASK_UNKNOWN. */
  readonly steps: (scope: TaskScope, id: string, after: number) => AsyncIterable<TaskStep>;
  readonly mayBeTold: (owner: HookOwner) => boolean;
  /** A step was told. */
  readonly told: (owner: HookOwner, step: TaskStep, signal: AbortSignal) => void;
  readonly now: () => number;
}

/** Steps that are told one after the other before it is written down how far it got. */
const MAX_STEPS = 16;
/** After so long no further step is begun. */
const PATIENCE_MS = 10_000;

/** Hooks that are told at the same time. Each waits for somebody else most of the time. */
const AT_ONCE = 256;
const MAX_ATTEMPTS = 50;
const MAX_AGE_MS = 86_400_000;
const FIRST_DELAY_MS = 1_000;
/** A hook that does not answer keeps no agent from stopping: another node, or the next start, goes on. */
const LAST_WORDS_MS = 2_000;

export function createHookDeliverer(teller: HookTeller, services: HookServices): Deliverer {
  return {
    deliver: (entry, signal) =>
      tellHook(teller, services, entry, signal).catch((thrown: unknown) => {
        // It was removed meanwhile: nobody knows any more what happened to it.
        if (thrown instanceof SdlError && thrown.code === 'TASK_UNKNOWN') return 'done';
        throw thrown;
      }),
    maxAttempts: MAX_ATTEMPTS,
    maxAgeMs: MAX_AGE_MS,
    firstDelayMs: FIRST_DELAY_MS,
    atOnce: AT_ONCE,
    lastWordsMs: LAST_WORDS_MS,
    // Those that failed leave places to those of the same host that did not.
    lanesOf: ({ facts, attempt }) => {
      const { tenant, owner, lane } = facts as unknown as HookFacts;
      return [`${tenant} ${owner}`, lane, ...(attempt > 0 ? ['again'] : [])];
    },
  };
}

async function tellHook(
  teller: HookTeller,
  services: HookServices,
  entry: OutboxEntry,
  signal: AbortSignal,
): Promise<Delivered> {
  const { tenant, owner, id, key, made, from } = entry.facts as unknown as HookFacts;
  const hook = await services.hookAt(key, made);
  if (hook === undefined) return 'done';
  const { face, authority, carrier } = hook;
  const asked = { tenant, owner, authority, face };
  const mayBeTold = (): boolean =>
    services.mayBeTold(asked) &&
    (carrier === undefined || services.mayBeTold({ ...carrier, face }));
  const latest = services.now() + PATIENCE_MS;
  let { position } = entry;
  let left = MAX_STEPS;
  const after = position === 0 ? from : position;
  for await (const step of services.steps({ tenant, owner }, id, after)) {
    const { generation, status } = step.task;
    // What it was told before.
    if (generation <= position) continue;
    if (left === 0 || services.now() >= latest) return { position };
    if (!mayBeTold()) return 'done';
    const isLast = isTerminal(status.state);
    const deliveryId = `${made}.${generation}`;
    const answer = await teller.tell(
      { hook, step, isLast, deliveryId, earlier: () => services.steps({ tenant, owner }, id, 1) },
      signal,
    );
    if (answer === 'gone') {
      await services.drop(key, made);
      return 'done';
    }
    if (answer !== 'told') return { later: answer === 'later' ? 0 : answer.later, position };
    services.told(asked, step, signal);
    if (isLast) {
      await services.ended(key, hook);
      return 'done';
    }
    position = generation;
    left -= 1;
  }
  return { position, isCaughtUp: true };
}
