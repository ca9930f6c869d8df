// Owns what the task engine can be told, and the check of it.

import { uuidV7 } from '../../envelope/uuid.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import type { Operation, Store } from '../../stores/store.ts';
import type { OnTask, RunControls, ToolBox } from '../context.ts';
import type { Delegation } from '../delegation.ts';
import { NO_DELEGATION } from '../delegation.ts';
import { TaskDamage } from '../log/damage.ts';
import { TaskError } from '../error.ts';
import { TaskCensus } from './census.ts';
import type { HolderName } from './holding.ts';
import { createHolderName } from './holding.ts';
import type { HookPlace } from './hooks.ts';
import type { TaskQueueOptions } from './queue.ts';
import type { ShareOptions } from './shares.ts';
import type { TaskSummary } from '../summary.ts';
import type { Task, TaskAuthority } from '../task.ts';
import type { SetTimer } from './timer.ts';
import { setTimer } from './timer.ts';

/** On whose word a task runs. */
interface TaskStanding {
  readonly tenant: string;
  readonly owner: string;
  readonly authority: TaskAuthority;
}

/** A task of which other agents were given parts, at its end. */
interface EndedTask {
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  /** Of its row; its log is named after it. */
  readonly key: string;
}

export interface TaskEngineOptions extends ShareOptions, TaskQueueOptions {
  /** Does the work of every task. */
  readonly onTask: OnTask;
  /** Where tasks are kept. Engines that share it share the work. @default memory, which a restart forgets */
  readonly store?: Store;
  /** Names this engine to those that share the store. @default none */
  readonly node?: string;
  /**
   * Promises that no other process uses the name `node` while this engine lives; a lock of yours must make sure of it.
   * Then the tasks of an earlier start are taken up at once. @default false: they wait until `leaseMs` is over
   */
  readonly isNodeExclusive?: boolean;
  /** The tools of a task. @default none */
  readonly toolsFor?: (task: Task) => ToolBox;
  /** How an attempt at a task gives parts of it to other agents. @default it cannot */
  readonly delegationFor?: (task: Task, run: RunControls) => Delegation;
  /**
   * Whether a task may go on: asked before every attempt, when a task that waits gets a reply, and by `endDisallowed`.
   * One that may not is canceled. @default yes
   */
  readonly isAllowed?: (standing: TaskStanding) => boolean;
  /**
   * What is stored together with the end of a task of which other agents were given parts, so that they are told of it;
   * `stored` is called after that. @default nobody is told
   */
  readonly tellEnd?: {
    readonly operations: (ended: EndedTask) => readonly Operation[];
    readonly stored: () => void;
  };
  /**
   * What is stored together with a hook, so that it is told from a generation of its task on, and with its end; `notice`
   * is called when there is something new for those that the row names. @default nobody is told
   */
  readonly tellHooks?: {
    readonly adding: (place: HookPlace, from: number) => readonly Operation[];
    readonly dropping: (place: HookPlace) => readonly Operation[];
    readonly notice: (key: string, hooks: readonly string[]) => void;
    /** Whether one of them is still to be told something: its task is kept for that. */
    readonly isTelling: (key: string, hooks: readonly string[]) => Promise<boolean>;
  };
  /** How long a task can be asked for after its end. @default 3600000 */
  readonly retentionMs?: number;
  /** How long one attempt may take, without the time that the owner takes for replies. @default 3600000 */
  readonly maxRunMs?: number;
  /** How long a task waits for a reply. @default 86400000 */
  readonly maxWaitMs?: number;
  /** Attempts that may crash, or end with an error that asks for another. @default 3 */
  readonly maxAttempts?: number;
  /** From such an error to the next attempt; twice as long after each. @default 1000 */
  readonly retryDelayMs?: number;
  /** What becomes of a task whose agent crashed. @default 'restart' */
  readonly recovery?: 'restart' | 'fail';
  /** How long an engine that is silent keeps its tasks. @default 30000 */
  readonly leaseMs?: number;
  /** From one look for tasks that nobody works on to the next. @default 10000 */
  readonly recoverEveryMs?: number;
  /** From one removal of tasks whose time is over to the next. @default 60000 */
  readonly purgeEveryMs?: number;
  /** Bytes of all output of one task as it travels: what fits into one answer. @default 524288 */
  readonly maxOutputBytes?: number;
  /** Events of one attempt. Progress stops being recorded at half of them; output beyond them fails the task. @default 10000 */
  readonly maxEvents?: number;
  /** Reports that wait to be stored. Progress beyond them is not recorded; output beyond them fails the task. @default 1000 */
  readonly maxPendingReports?: number;
  /** Bytes of one checkpoint. @default 262144 */
  readonly maxCheckpointBytes?: number;
  /** How long closing waits for work that was told to stop. @default 10000 */
  readonly stopGraceMs?: number;
  /** Closing gives tasks back for the next start, or cancels them. @default 'release' with a store, else 'cancel' */
  readonly onClose?: 'release' | 'cancel';
  /**
   * Gets the error that made a task fail; the owner of the task sees only the words of a `TaskError`. It also gets a
   * TASK_ENDED when a run ends in another way than its task already had. @default nobody is told
   */
  readonly onError?: (cause: unknown, task?: TaskSummary) => void;
  /** Told when an attempt at a task begins here, and of every other state that it reaches. @default nobody is told */
  readonly onState?: (task: TaskSummary) => void;
  /** Milliseconds since the epoch; the store's clock too. @default Date.now */
  readonly now?: () => number;
  /** An id for a task that came without one. @default a UUID version 7 */
  readonly newId?: () => string;
  /** @default real time */
  readonly setTimer?: SetTimer;
}

export interface ResolvedEngineOptions extends Required<
  Omit<TaskEngineOptions, 'node' | 'isNodeExclusive' | 'onState'>
> {
  /** This engine, as rows name it. */
  readonly holder: HolderName;
  /** Not there when nobody is told: then nothing is made for it. */
  readonly onState: TaskEngineOptions['onState'] | undefined;
  readonly census: TaskCensus;
}

const DEFAULT_NUMBERS = {
  maxTasks: 10_000,
  maxTasksPerOwner: 1_000,
  maxHeldBytes: 67_108_864,
  retentionMs: 3_600_000,
  maxConcurrent: 128,
  maxConcurrentPerOwner: 16,
  maxRunMs: 3_600_000,
  maxWaitMs: 86_400_000,
  maxAttempts: 3,
  retryDelayMs: 1_000,
  leaseMs: 30_000,
  recoverEveryMs: 10_000,
  purgeEveryMs: 60_000,
  maxOutputBytes: 524_288,
  maxEvents: 10_000,
  maxPendingReports: 1_000,
  maxCheckpointBytes: 262_144,
  stopGraceMs: 10_000,
} as const;

/** These may be zero. With any other limit at zero no task could run. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set(['retentionMs', 'stopGraceMs', 'retryDelayMs']);

/** Damaged tasks that are remembered. */
const MAX_DAMAGED = 10_000;

export const NO_TOOLS: ToolBox = Object.freeze({
  has: () => false,
  list: () => [],
  call: () => Promise.reject(new TaskError('this agent has no tools')),
});

export function resolveEngineOptions(options: TaskEngineOptions): ResolvedEngineOptions {
  if (typeof options.onTask !== 'function') throw new TypeError('"onTask" expected a function');
  const { now = Date.now, recovery = 'restart' } = options;
  const onClose = options.onClose ?? (options.store === undefined ? 'cancel' : 'release');
  assertOneOf('recovery', recovery, ['restart', 'fail']);
  assertOneOf('onClose', onClose, ['release', 'cancel']);
  const numbers: Record<keyof typeof DEFAULT_NUMBERS, number> = { ...DEFAULT_NUMBERS };
  for (const name of Object.keys(DEFAULT_NUMBERS) as (keyof typeof DEFAULT_NUMBERS)[]) {
    numbers[name] = options[name] ?? DEFAULT_NUMBERS[name];
    const least = MAY_BE_ZERO.has(name) ? 0 : 1;
    if (!Number.isSafeInteger(numbers[name]) || numbers[name] < least) {
      throw new RangeError(`"${name}" expected an integer of at least ${least}`);
    }
  }
  const { maxHeldBytesPerOwner = Math.ceil(numbers.maxHeldBytes / 4) } = options;
  return Object.freeze({
    onTask: options.onTask,
    store: options.store ?? createMemoryStore({ now }),
    // Two processes may be given one name, and a row must tell them apart.
    holder: createHolderName({
      node: options.node,
      isExclusive: options.isNodeExclusive ?? false,
      startId: uuidV7(now(), randomBytes),
    }),
    census: new TaskCensus(),
    toolsFor: options.toolsFor ?? (() => NO_TOOLS),
    delegationFor: options.delegationFor ?? (() => NO_DELEGATION),
    isAllowed: options.isAllowed ?? (() => true),
    tellEnd: options.tellEnd ?? { operations: () => [], stored: () => undefined },
    tellHooks: options.tellHooks ?? {
      adding: () => [],
      dropping: () => [],
      notice: () => undefined,
      isTelling: () => Promise.resolve(false),
    },
    ...numbers,
    maxHeldBytesPerOwner,
    recovery,
    onClose,
    onError: tolerant(options.onError),
    onState: options.onState,
    now,
    newId: options.newId ?? (() => uuidV7(now(), randomBytes)),
    setTimer: options.setTimer ?? setTimer,
  });
}

function assertOneOf(option: string, value: string, values: readonly string[]): void {
  if (!values.includes(value)) throw new TypeError(`"${option}" expected ${values.join(' or ')}`);
}

/** An `onError` that throws must not end a task. A damaged task is found again and again, but reported once. */
function tolerant(onError: TaskEngineOptions['onError']): ResolvedEngineOptions['onError'] {
  const damaged = new Set<string>();
  return (cause, task) => {
    if (cause instanceof TaskDamage) {
      if (damaged.has(cause.key)) return;
      if (damaged.size === MAX_DAMAGED) damaged.clear();
      damaged.add(cause.key);
    }
    try {
      onError?.(cause, task);
    } catch {
      // There is nobody left to tell.
    }
  };
}

/** Many at a time: each call of the system costs more than an id. */
const pool = new Uint8Array(4_096);
let used = pool.length;

/** Each byte is given out once. */
function randomBytes(length: number): Uint8Array {
  if (used + length > pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}
