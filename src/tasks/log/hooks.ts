// Owns the hooks of a task in the store: one entry of the space `task-hook` for each task that has any. It changes only
// together with the row of the task, whose version therefore guards it.

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { JsonObject } from '../../codec/value.ts';
import type { Limits } from '../../limits.ts';
import { LARGEST_LIMITS, resolveLimits } from '../../limits.ts';
import type { Operation, Store } from '../../stores/store.ts';
import type { TaskHook } from '../hook.ts';
import type { TaskAuthority } from '../task.ts';

/** A hook, with what it is told by. */
export interface StoredHook extends TaskHook {
  readonly face: string;
  /** Tells it from an earlier or later one of the same name. */
  readonly made: string;
  /** On whose word it is told: its rights are asked each time. */
  readonly authority: TaskAuthority;
  readonly carrier?: HookCarrier;
}

/** Who carries the task for its owner, and asked for the hook. */
export interface HookCarrier {
  readonly tenant: string;
  readonly owner: string;
  readonly authority: TaskAuthority;
}

export interface HookRecord {
  readonly hooks: readonly StoredHook[];
  /** The number of the hook that was made last. */
  readonly last: number;
}

export const HOOK_SPACE = 'task-hook';
export const NO_HOOKS: HookRecord = { hooks: [], last: 0 };
const OWN_RECORDS: Limits = resolveLimits(LARGEST_LIMITS);

export function encodeHooks(record: HookRecord): Uint8Array {
  return writeJson(record as unknown as JsonObject);
}

export async function hooksAt(store: Store, key: string): Promise<HookRecord> {
  const found = await store.get(HOOK_SPACE, key);
  if (found === undefined) return NO_HOOKS;
  return readJson(found.value, OWN_RECORDS) as unknown as HookRecord;
}

/** What of them stands in the row of the task: enough to notice each. */
export function hookNames({ hooks }: HookRecord): readonly string[] {
  return hooks.map(hookName);
}

export function hookName({ face, number }: Pick<StoredHook, 'face' | 'number'>): string {
  return `${face} ${number}`;
}

/** For the transaction that writes the row. */
export function keepingHooks(key: string, value: Uint8Array): Operation {
  return { type: 'put', space: HOOK_SPACE, key, value };
}
