// Owns how an entry stands in a row of SQLite.

import type { Entry, EntryIndex } from '../../src/stores/index.ts';
import { bytesOf } from './values.ts';

/** What a write has to know of the entry that is there. */
export interface Head {
  readonly sequence: number;
  readonly version: number;
  readonly expires_at: number | null;
  readonly fields: string | null;
}

/** The rank stands behind the value, so it is read only where the value is read or replaced too. */
export interface RankedHead extends Head {
  readonly rank: number | null;
}

export interface Row extends RankedHead {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const NO_INDEX: EntryIndex = Object.freeze(Object.create(null) as EntryIndex);

export function isExpired(row: { readonly expires_at: number | null }, now: number): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

export function entryOf(key: string, row: Omit<Row, 'key' | 'sequence'>): Entry {
  return {
    key,
    value: bytesOf(row.value),
    version: row.version,
    expiresAt: row.expires_at ?? undefined,
    index: indexOf(row.fields),
    rank: row.rank ?? undefined,
  };
}

export function fieldsText(index: EntryIndex): string | null {
  return Object.keys(index).length === 0 ? null : JSON.stringify(index);
}

/** The text was written by {@link fieldsText} from a checked index. */
export function indexOf(fields: string | null): EntryIndex {
  if (fields === null) return NO_INDEX;
  return Object.freeze(Object.setPrototypeOf(JSON.parse(fields), null) as EntryIndex);
}
