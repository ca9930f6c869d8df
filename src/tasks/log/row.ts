// Owns the row of a task: the facts that need no look into its log, and who holds it. It stays small even if the task
// is large. Every change of a task changes its row, so the version of the row says whether anything has changed.

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject } from '../../codec/value.ts';
import { sha256Hex } from '../../crypto/sha256.ts';
import { copyIndex } from '../../stores/operation.ts';
import type { EntryIndex } from '../../stores/store.ts';
import type { StatusChange, TaskChange } from '../event.ts';
import { judge } from '../event.ts';
import type { Message } from '../message.ts';
import { readMessage, writeMessage } from '../part-json.ts';
import { plainText } from '../plain-text.ts';
import type { ShareClass } from '../share.ts';
import type { TaskSummary } from '../summary.ts';
import type { TaskAuthority, TaskFailure, TaskOrigin, TaskScope, TaskState } from '../task.ts';
import { isTerminal, isWaiting, optionalFacts } from '../task.ts';
import { readLandedRow } from './landed.ts';

/** Who works on a task, or was the last to. */
export interface Holder {
  readonly name: string;
  /** Nobody else takes the task before. Milliseconds since the epoch. */
  readonly until: number;
}

/** As it is stored, as JSON. What is undefined is not written. */
export interface TaskRow {
  readonly v: 2;
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  /** Tells this task from an earlier or later one of the same id. */
  readonly made: string;
  /** Two starts with the same id and digest are one task. */
  readonly digest?: string | undefined;
  readonly contextId?: string | undefined;
  readonly kind?: string | undefined;
  readonly parent?: string | undefined;
  readonly text: string;
  readonly state: TaskState;
  /** When that status began. */
  readonly at: number;
  /** The message of the status as JSON text, unless it is long. */
  readonly said?: string | undefined;
  readonly fraction?: number | undefined;
  /** The generation of the question that is open. */
  readonly asked?: number | undefined;
  readonly failure?: TaskFailure | undefined;
  readonly direct?: true | undefined;
  readonly generation: number;
  readonly attempt: number;
  readonly createdAt: number;
  readonly deadline?: number | undefined;
  /** The request's own deadline. */
  readonly latest?: number | undefined;
  readonly priority: number;
  readonly authority: TaskAuthority;
  /** Attempts that ended by a crash, or by an error that asked for another. */
  readonly failures: number;
  /** The last engine gave the task back properly, so the next attempt does not count as a failure. */
  readonly isReleased?: true | undefined;
  readonly hasCheckpoint?: true | undefined;
  /** In whose queue it was put, until work on it begins. */
  readonly queue?: string | undefined;
  /** Other agents were given parts of it. */
  readonly hasParts?: true | undefined;
  /** Who outside is told of it: the face and the number of each hook. */
  readonly hooks?: readonly string[] | undefined;
  /** Its time is over, and it is kept only because one of its hooks is still to be told of it. */
  readonly isUntold?: true | undefined;
  /** Who brought what its owner has sealed: the key of each in the space of carriers. */
  readonly carriers?: readonly string[] | undefined;
  readonly holder?: Holder | undefined;
  /** Whose share it uses. @default none: it was made before there were shares */
  readonly share?: ShareClass | undefined;
  /** Bytes that are set aside for it. */
  readonly reserved: number;
  /** What its log and its hooks take. */
  readonly bytes: number;
}

/** What a row begins with, beside what was asked. */
export interface RowFacts {
  readonly made: string;
  readonly digest: string | undefined;
  readonly priority: number;
  readonly share: ShareClass;
  readonly reserved: number;
}

const MAX_TEXT_LENGTH = 256;
/** A longer message stands in the log alone. */
const MAX_SAID_LENGTH = 2_048;

/** The row before the first event. Every member is named, so that all rows have one shape. */
export function newRow(origin: TaskOrigin, facts: RowFacts): TaskRow {
  const { tenant, owner, id, contextId, kind, parent, deadline, message, authority } = origin;
  const { createdAt } = origin;
  return {
    v: 2,
    tenant,
    owner,
    id,
    made: facts.made,
    digest: facts.digest,
    contextId,
    kind,
    parent,
    text: plainText(message.text, MAX_TEXT_LENGTH),
    state: 'submitted',
    at: createdAt,
    said: undefined,
    fraction: undefined,
    asked: undefined,
    failure: undefined,
    direct: undefined,
    generation: 0,
    attempt: 0,
    createdAt,
    deadline,
    latest: deadline,
    priority: facts.priority,
    authority,
    failures: 0,
    isReleased: undefined,
    hasCheckpoint: undefined,
    queue: undefined,
    hasParts: undefined,
    hooks: undefined,
    isUntold: undefined,
    carriers: undefined,
    holder: undefined,
    share: facts.share,
    reserved: facts.reserved,
    bytes: 0,
  };
}

/** One that nobody else has yet: who made it may still change it. */
export type NewTaskRow = { -readonly [name in keyof TaskRow]: TaskRow[name] };

/** One change with its moment and the size of its record. */
export interface RowChange {
  readonly change: TaskChange;
  readonly at: number;
  readonly record: Uint8Array;
}

/** The row after these changes, a copy; `undefined` when one of them may not happen. */
export function rowAfter(row: TaskRow, changes: readonly RowChange[]): NewTaskRow | undefined {
  const next: NewTaskRow = { ...row };
  for (const { change, at, record } of changes) {
    if (!advance(next, change, at)) return undefined;
    next.bytes += record.length;
  }
  return next;
}

function advance(row: NewTaskRow, change: TaskChange, at: number): boolean {
  const isFirst =
    row.generation === 0 && change.type === 'status' && change.status.state === 'submitted';
  const state = isFirst ? 'submitted' : judge(row, change);
  if (state === 'same' || state === 'refused') return false;
  row.generation += 1;
  if (change.type === 'artifact') return true;
  if (change.type === 'delegation') {
    row.hasParts = true;
    return true;
  }
  if (change.type === 'status') return advanceStatus(row, change, state, at);
  if (change.deadline !== undefined) row.deadline = change.deadline;
  if (state !== row.state) {
    row.state = state;
    row.at = at;
    row.said = row.asked = undefined;
  }
  return true;
}

function advanceStatus(
  row: NewTaskRow,
  { status, attempt, direct, deadline }: StatusChange,
  state: TaskState,
  at: number,
): boolean {
  const isProgress = status.state === 'working' && attempt === undefined;
  if (isProgress && isWaiting(row.state)) return true;
  if (deadline !== undefined) row.deadline = deadline;
  row.state = state;
  row.at = at;
  row.said = textOf(status.message);
  row.fraction = status.fraction;
  row.failure = status.failure;
  row.asked = isWaiting(state) ? row.generation : undefined;
  if (attempt !== undefined) {
    row.attempt = attempt;
    row.queue = undefined;
  }
  if (isTerminal(state)) {
    row.direct = direct;
    row.queue = row.holder = undefined;
  }
  return true;
}

function textOf(message: Message | undefined): string | undefined {
  if (message === undefined) return undefined;
  const text = decodeUtf8(writeJson(writeMessage(message)));
  return text.length > MAX_SAID_LENGTH ? undefined : text;
}

export function summaryOf(row: TaskRow): TaskSummary {
  const { tenant, owner, id, text } = row;
  const { state, at, said, fraction, asked, failure, generation, attempt, createdAt } = row;
  return {
    tenant,
    owner,
    id,
    ...optionalFacts(row),
    status: {
      state,
      at,
      ...(said !== undefined && { message: readMessage(readJson(encodeUtf8(said)), 'message') }),
      ...(fraction !== undefined && { fraction }),
      ...(asked !== undefined && { asked }),
      ...(failure !== undefined && { failure }),
    },
    generation,
    attempt,
    createdAt,
    text,
  };
}

export function encodeRow(row: TaskRow): Uint8Array {
  return encodeUtf8(JSON.stringify(row));
}

/** Reads also what the version before 0.2.0 wrote. */
export function decodeRow(value: Uint8Array): TaskRow {
  const row = JSON.parse(decodeUtf8(value)) as TaskRow;
  return row.v === 2 ? row : readLandedRow(row as unknown as JsonObject);
}

/** Hashes, so that ids of any length and content make names that every store takes. */
function nameOf(parts: readonly string[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, 40);
}

/** What was asked for lately, in two steps: every write names its owner, every question its task. */
class Recent<T> {
  readonly #byFirst = new Map<string, Map<string, T>>();
  #size = 0;

  /** @param make called for one that is not known. */
  at(first: string, second: string, make: () => T): T {
    let bySecond = this.#byFirst.get(first);
    const known = bySecond?.get(second);
    if (known !== undefined) return known;
    if (this.#size >= MAX_RECENT) {
      this.#byFirst.clear();
      this.#size = 0;
      bySecond = undefined;
    }
    if (bySecond === undefined) this.#byFirst.set(first, (bySecond = new Map()));
    const made = make();
    bySecond.set(second, made);
    this.#size += 1;
    return made;
  }
}

const MAX_RECENT = 4_096;

/** One owner: its name in the store, and the index of its tasks in each phase. */
interface OwnerEntry {
  readonly name: string;
  readonly indexes: Map<TaskPhase, EntryIndex>;
}

const owners = new Recent<OwnerEntry>();
const tasks = new Recent<string>();
/** By the owner with its phase, and the context. */
const contexts = new Recent<EntryIndex>();

export function taskKey(scope: TaskScope, id: string): string {
  const { tenant = '', owner } = scope;
  return tasks.at(ownerName(scope), id, () => nameOf(['task', tenant, owner, id]));
}

/** Of the record by which who carries for an owner finds its task. */
export function carrierKey({ tenant = '', owner }: TaskScope, id: string): string {
  return nameOf(['carrier', tenant, owner, id]);
}

export function ownerName(scope: TaskScope): string {
  return ownerEntry(scope).name;
}

function ownerEntry({ tenant = '', owner }: TaskScope): OwnerEntry {
  return owners.at(tenant, owner, () => ({
    name: nameOf(['owner', tenant, owner]),
    indexes: new Map(),
  }));
}

export function contextName(owner: string, contextId: string): string {
  return `${owner}:${nameOf(['context', contextId])}`;
}

/**
 * `active`: somebody has to work on it; `waiting`: for its owner; `direct`: ended, and in no list of any owner; `untold`:
 * gone for everybody but its hooks.
 */
export type TaskPhase = 'active' | 'waiting' | 'ended' | 'direct' | 'untold';

export const ENDED_PHASES: readonly TaskPhase[] = ['ended', 'direct'];

export function phaseOf({
  state,
  direct,
  isUntold,
}: Pick<TaskRow, 'state' | 'direct' | 'isUntold'>): TaskPhase {
  if (isUntold === true) return 'untold';
  if (isTerminal(state)) return direct === true ? 'direct' : 'ended';
  return isWaiting(state) ? 'waiting' : 'active';
}

export function indexOf(row: TaskRow): EntryIndex {
  const { name: owner, indexes } = ownerEntry(row);
  const phase = phaseOf(row);
  const { contextId } = row;
  if (contextId !== undefined && phase !== 'direct' && phase !== 'untold') {
    return contexts.at(`${phase}:${owner}`, contextId, () =>
      copyIndex({ ...indexIn(phase, owner), context: contextName(owner, contextId) }),
    );
  }
  let index = indexes.get(phase);
  if (index === undefined) indexes.set(phase, (index = copyIndex(indexIn(phase, owner))));
  return index;
}

function indexIn(phase: TaskPhase, owner: string): EntryIndex {
  if (phase === 'direct') return { phase, ended: owner };
  if (phase === 'untold') return { phase, untold: owner };
  return { phase, owner, ...(phase === 'ended' && { ended: owner }) };
}
