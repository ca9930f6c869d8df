// Owns a door with a real engine behind it, on the store in memory: a test says who may do what, moves the time, and sees
// everything that was recorded and told.

import { onTestFinished } from 'vitest';

import type { AuditLog } from '../../../src/audit/log.ts';
import type { NewAuditEntry } from '../../../src/audit/entry.ts';
import type { CallContext } from '../../../src/door/call.ts';
import type { DoorOptions } from '../../../src/door/door.ts';
import { Door } from '../../../src/door/door.ts';
import type { DoorOutcome } from '../../../src/door/operation.ts';
import type { Principal } from '../../../src/door/principal.ts';
import type { Standing, Wish } from '../../../src/door/rights.ts';
import type { StartTask } from '../../../src/door/service.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import { openLog } from '../trust/audit.ts';

export const ANN: Principal = { id: '~test:ann', tenant: '', scheme: 'bearer', caller: 'ann' };
export const BEN: Principal = { id: '~test:ben', tenant: '', scheme: 'bearer', caller: 'ben' };

/** What one may do. `undefined` for nothing at all. */
interface Allowed {
  readonly ct?: readonly string[];
  readonly tools?: readonly string[];
  readonly isAdmin?: boolean;
}

export interface OpenDoor {
  readonly door: Door;
  /** What each may do now, by id; who is not named may do everything. */
  readonly allowed: Map<string, Allowed | undefined>;
  readonly entries: readonly NewAuditEntry[];
  readonly outcomes: readonly (DoorOutcome & { readonly isCovered: boolean })[];
  /** Set to move the time. */
  readonly clock: { nowMs: number };
  /** Calls what waits for the time, as if that were over. */
  readonly tick: () => Promise<void>;
  readonly callBy: (principal: Principal, parts?: Partial<CallContext>) => CallContext;
}

export async function openDoor(
  onTask: OnTask,
  options: Partial<DoorOptions> & { readonly recordEntry?: () => void } = {},
): Promise<OpenDoor> {
  const store = createMemoryStore();
  const log = await openLog(store);
  const { recordEntry, ...doorOptions } = options;
  const allowed = new Map<string, Allowed | undefined>();
  const entries: NewAuditEntry[] = [];
  const outcomes: OpenDoor['outcomes'][number][] = [];
  const clock = { nowMs: Date.now() };
  const timers = new Set<() => void>();
  const now = (): number => clock.nowMs;
  let ids = 0;
  const engine = createTaskEngine({ onTask, store, isAllowed: (task) => door.mayGoOn(task) });
  const door: Door = new Door({
    engine,
    opening: async () => undefined,
    admit: async () => () => undefined,
    onOutcome: (outcome, isCovered) => void outcomes.push({ ...outcome, isCovered }),
    onError: (cause) => {
      throw cause;
    },
    newId: () => `id-${(ids += 1)}`,
    now,
    setTimer: (callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    ...doorOptions,
  });
  const audit = {
    record: async (entry: NewAuditEntry): Promise<number> => {
      recordEntry?.();
      entries.push(entry);
      return log.record(entry);
    },
  };
  door.open({
    audit: audit as AuditLog,
    rights: { of: ({ id }) => standingOf(allowed.has(id) ? allowed.get(id) : {}) },
  });
  onTestFinished(async () => {
    door.close();
    await engine.close(0);
  });
  return {
    door,
    allowed,
    entries,
    outcomes,
    clock,
    tick: async () => {
      const due = Array.from(timers);
      timers.clear();
      for (const callback of due) callback();
      await new Promise(setImmediate);
    },
    callBy: (principal, parts = {}) => ({
      principal,
      face: 'test',
      agentId: 'did:key:agent',
      signal: new AbortController().signal,
      now,
      ...parts,
    }),
  };
}

function standingOf(allowed: Allowed | undefined): Standing | undefined {
  if (allowed === undefined) return undefined;
  const { ct = ['*'], tools = ['*'], isAdmin = false } = allowed;
  const isIn = (names: readonly string[], name: string): boolean =>
    names.includes('*') || names.includes(name);
  return {
    share: isAdmin ? 'operator' : 'known',
    isAdmin,
    allows: (wish: Wish) => ('ct' in wish ? isIn(ct, wish.ct) : isIn(tools, wish.tool)),
  };
}

export function asks(text: string, parts: Partial<StartTask> = {}): StartTask {
  return { message: { id: `m-${text}`, role: 'user', parts: [{ text }] }, ...parts };
}

/** To the end of a stream. */
export async function readAll<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

/** Takes one step of a stream and leaves. */
export async function readOne<T>(steps: AsyncIterable<T>): Promise<T | undefined> {
  for await (const step of steps) return step;
  return undefined;
}
