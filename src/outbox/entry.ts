// Owns what must be told, as it stands in the store: one entry of the space `outbox` for each thing and whom it is for.

import { readJson } from '../codec/json/read.ts';
import { writeJson } from '../codec/json/write.ts';
import type { JsonObject } from '../codec/value.ts';
import type { Limits } from '../limits.ts';
import { LARGEST_LIMITS, resolveLimits } from '../limits.ts';
import type { Entry, Operation, Store } from '../stores/store.ts';

/** What somebody outside must be told. */
export interface OutboxEntry {
  /** Which deliverer it is for. */
  readonly kind: string;
  /** Names it among those of its kind. */
  readonly key: string;
  readonly facts: JsonObject;
  /** How far it was told, such as a generation: what follows is still to be told. From 0. */
  readonly position: number;
  /** Which try this is since it was added or last got on. From 1. */
  readonly attempt: number;
}

/** An entry with what decides who tells it, and when. */
export interface StoredEntry extends OutboxEntry {
  /** 0 before the first try. */
  readonly attempt: number;
  /** When it was added, or last got on. Milliseconds since the epoch. */
  readonly since: number;
  /** Nobody takes it up before; while somebody tells it, that is when the others may. */
  readonly notBefore: number;
  /** Who tells it now. */
  readonly holder?: string;
  /** Something new came while it was told: it may have come too late for that. */
  readonly isNoticed?: true;
}

export interface VersionedEntry {
  readonly entry: StoredEntry;
  readonly version: number;
}

export const SPACE = 'outbox';
const KIND = /^[a-z][a-z0-9-]{0,63}$/;
const OWN_RECORDS: Limits = resolveLimits(LARGEST_LIMITS);

export function nameOf({ kind, key }: Pick<OutboxEntry, 'kind' | 'key'>): string {
  return `${kind}:${key}`;
}

/** For somebody else's transaction. What is there under this name is told no more: the new one takes its place. */
export function addingEntry(
  kind: string,
  key: string,
  facts: JsonObject,
  nowMs: number,
): Operation {
  if (!KIND.test(kind)) throw new TypeError('"kind" expected lower-case letters, digits and "-"');
  const entry = { kind, key, facts, position: 0, attempt: 0, since: nowMs, notBefore: nowMs };
  return { type: 'put', space: SPACE, key: nameOf(entry), ...storedForm(entry) };
}

/** For somebody else's transaction. Who tells it now finds nothing to go on with. */
export function removingEntry(kind: string, key: string): Operation {
  return { type: 'delete', space: SPACE, key: nameOf({ kind, key }) };
}

/** How it is written: by `notBefore` as its rank, those that are due are found without a look at the others. */
export function storedForm(entry: StoredEntry): Pick<Entry, 'value' | 'index' | 'rank'> {
  const { kind, notBefore: rank } = entry;
  return { value: writeJson(entry as unknown as JsonObject), index: { kind }, rank };
}

export async function entryAt(store: Store, name: string): Promise<VersionedEntry | undefined> {
  const found = await store.get(SPACE, name);
  return found && decoded(found);
}

/** Some of a kind whose time has come, and when that of the next one comes. */
export interface DueEntries {
  readonly due: readonly VersionedEntry[];
  readonly next: number;
  /** From where to go on; `undefined` when all that are due were found. */
  readonly more: string | undefined;
}

export async function dueEntries(
  store: Store,
  kind: string,
  nowMs: number,
  atMost: number,
  after?: string,
): Promise<DueEntries> {
  const options = { index: { kind }, order: 'lowest', limit: atMost, after } as const;
  const { entries, next } = await store.list(SPACE, options);
  const found = entries.map(decoded);
  const due = found.filter(({ entry }) => entry.notBefore <= nowMs);
  const more = due.length === found.length ? next : undefined;
  const following = found[due.length]?.entry.notBefore ?? Infinity;
  return { due, next: more === undefined ? following : nowMs, more };
}

function decoded({ value, version }: Entry): VersionedEntry {
  return { entry: readJson(value, OWN_RECORDS) as unknown as StoredEntry, version };
}
