// Owns the row of a task: the facts that need no look into its log. It stays small even if the task is large.

import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import { sha256, toHex } from '../../crypto/sha256.ts';
import type { EntryIndex } from '../../stores/store.ts';
import { plainText } from '../plain-text.ts';
import type { TaskChange } from '../events.ts';
import { judge } from '../events.ts';
import { isTerminal, isWaiting } from '../task.ts';
import type { Task, TaskFailure, TaskProgress, TaskScope, TaskState } from '../task.ts';

/** What a list of tasks tells of each. */
export interface TaskSummary {
  readonly owner: string;
  readonly id: string;
  readonly state: TaskState;
  readonly generation: number;
  readonly attempt: number;
  /** At most 256 characters of it. */
  readonly goal: string;
  readonly kind?: string;
  readonly parent?: string;
  readonly contextId?: string;
  readonly progress?: TaskProgress;
  readonly failure?: TaskFailure;
  readonly deadline?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TaskRow extends TaskSummary {
  readonly tenant: string;
  /** The digest of the request: two requests with the same id and digest are one task. */
  readonly digest: string;
  readonly priority: number;
  /** The request's own deadline. */
  readonly latest?: number;
  /** Attempts that ended by a crash, or by an error that asked for another. */
  readonly failures: number;
  /** The last engine gave the task back properly, so the next attempt does not count as a failure. */
  readonly isReleased: boolean;
  readonly hasCheckpoint: boolean;
  /** In whose queue it was put, until work on it begins. */
  readonly queue?: string;
  /** Other agents were given parts of it. */
  readonly hasParts?: true;
  /** What its log takes. */
  readonly bytes: number;
}

const MAX_GOAL_LENGTH = 256;

/** The row before the first event. */
export function newRow(task: Task, digest: string): TaskRow {
  const { tenant, owner, id, request, contextId, parent, createdAt } = task;
  const { kind, deadline, priority } = request;
  return {
    tenant,
    owner,
    id,
    digest,
    state: 'submitted',
    generation: 0,
    attempt: 0,
    goal: plainText(request.goal, MAX_GOAL_LENGTH),
    ...(kind !== undefined && { kind }),
    ...(parent !== undefined && { parent }),
    ...(contextId !== undefined && { contextId }),
    ...(deadline !== undefined && { deadline, latest: deadline }),
    priority,
    failures: 0,
    isReleased: false,
    hasCheckpoint: false,
    bytes: 0,
    createdAt,
    updatedAt: createdAt,
  };
}

/** The row after one more event, or `undefined` for what may not happen. */
export function advanceRow(
  row: TaskRow,
  change: TaskChange,
  at: number,
  bytes: number,
): TaskRow | undefined {
  const isFirst = row.generation === 0 && change.type === 'status' && change.state === 'submitted';
  const state = isFirst ? 'submitted' : judge(row, change);
  if (state === 'same' || state === 'refused') return undefined;
  const next = {
    ...row,
    state,
    generation: row.generation + 1,
    updatedAt: at,
    bytes: row.bytes + bytes,
  };
  if (change.type === 'progress') return { ...next, progress: change.progress };
  if (change.type === 'artifact') return next;
  if (change.type === 'delegation') return { ...next, hasParts: true };
  const { deadline = row.deadline } = change;
  const dated = deadline === undefined ? next : { ...next, deadline };
  if (change.type === 'reply') return dated;
  const { failure, attempt = row.attempt + 1 } = change;
  if (state !== 'working') return { ...dated, ...(failure !== undefined && { failure }) };
  const { progress: _said, queue: _left, ...rest } = dated;
  return { ...rest, attempt };
}

export function summaryOf(row: TaskRow): TaskSummary {
  const {
    tenant: _tenant,
    digest: _digest,
    priority: _priority,
    latest: _latest,
    failures: _failures,
    isReleased: _released,
    hasCheckpoint: _checkpoint,
    queue: _queue,
    hasParts: _parts,
    bytes: _bytes,
    ...summary
  } = row;
  return summary;
}

export function encodeRow(row: TaskRow): Uint8Array {
  return encodeUtf8(JSON.stringify(row));
}

export function decodeRow(value: Uint8Array): TaskRow {
  return JSON.parse(decodeUtf8(value)) as TaskRow;
}

/** Of some owners: every write of a task names its own. */
const ownerNames = new Map<string, string>();
const MAX_OWNER_NAMES = 1_024;

/** Hashes, so that ids of any length and content make names that every store takes. */
function nameOf(...parts: readonly string[]): string {
  return toHex(sha256(encodeUtf8(JSON.stringify(parts)))).slice(0, 40);
}

export function taskKey({ tenant = '', owner }: TaskScope, id: string): string {
  return nameOf('task', tenant, owner, id);
}

export function ownerName({ tenant = '', owner }: TaskScope): string {
  const known = `${tenant.length}:${tenant}${owner}`;
  let name = ownerNames.get(known);
  if (name !== undefined) return name;
  if (ownerNames.size >= MAX_OWNER_NAMES) ownerNames.clear();
  name = nameOf('owner', tenant, owner);
  ownerNames.set(known, name);
  return name;
}

export function stateName(owner: string, state: TaskState): string {
  return `${owner}:${state}`;
}

export function contextName(owner: string, contextId: string): string {
  return `${owner}:${nameOf('context', contextId)}`;
}

/** `active`: somebody has to work on it; `waiting`: for its owner; `ended`. */
export type TaskPhase = 'active' | 'waiting' | 'ended';

export function phaseOf(state: TaskState): TaskPhase {
  if (isTerminal(state)) return 'ended';
  return isWaiting(state) ? 'waiting' : 'active';
}

export function indexOf(row: TaskRow): EntryIndex {
  const owner = ownerName(row);
  return {
    phase: phaseOf(row.state),
    owner,
    state: stateName(owner, row.state),
    ...(row.contextId !== undefined && { context: contextName(owner, row.contextId) }),
  };
}
