// Owns what a caller asks of a list or a count, checked and completed, and the cursors between pages.

import { SdlError } from '../errors.ts';
import { checkInteger, copyIndex } from './operation.ts';
import type { CountOptions, EntryIndex, ListOptions, ListOrder } from './store.ts';
import { STORE_LIMITS } from './store.ts';

/** {@link CountOptions}, checked and completed. */
export interface Counting {
  readonly index: EntryIndex;
  readonly since: number | undefined;
  readonly atMost: number;
}

/** A place in a list: that of an entry, or one where no entry is. It stays when the entry is gone. */
export interface ListPlace {
  /** Means nothing in an order by creation. */
  readonly rank: number;
  readonly sequence: number;
}

/** {@link ListOptions}, checked and completed. */
export interface Listing {
  readonly index: EntryIndex;
  readonly limit: number;
  readonly order: ListOrder;
  /** The page starts with the entry next to this place, downwards for 'newest' and 'highest'. */
  readonly start: ListPlace;
  /** What 'lowest' has passed is below this already: there `start` is enough. */
  readonly since: number | undefined;
}

/** Before all ranks and numbers, and after all of them. */
const BOTTOM: ListPlace = { rank: 0, sequence: -1 };
const TOP: ListPlace = { rank: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER };

const STARTS: Readonly<Record<ListOrder, ListPlace>> = {
  oldest: BOTTOM,
  newest: TOP,
  highest: TOP,
  lowest: BOTTOM,
};

export function checkCounting(options: CountOptions): Counting {
  const { since, atMost = Number.MAX_SAFE_INTEGER } = options;
  if (since !== undefined) checkInteger('since', since);
  checkInteger('atMost', atMost);
  return { index: copyIndex(options.index), since, atMost };
}

export function checkListing(options: ListOptions): Listing {
  const { after, since, limit = 100, order = 'oldest' } = options;
  checkInteger('limit', limit, 1, STORE_LIMITS.page);
  if (since !== undefined) checkInteger('since', since);
  if (!Object.hasOwn(STARTS, order)) {
    throw new TypeError(`"order" must be 'oldest', 'newest', 'highest' or 'lowest'`);
  }
  const place = after === undefined ? STARTS[order] : readCursor(order, after);
  const isBelow = order === 'lowest' && since !== undefined && place.rank < since;
  const start = isBelow ? { rank: since, sequence: -1 } : place;
  return { index: copyIndex(options.index), limit, order, start, since };
}

/** Says after which entry the next page starts. */
export function writeCursor(order: ListOrder, { rank, sequence }: ListPlace): string {
  const number = sequence.toString(36);
  const place = isByRank(order) ? `${rank.toString(36)}.${number}` : number;
  return `${order[0]}.${place}`;
}

function isByRank(order: ListOrder): boolean {
  return order === 'highest' || order === 'lowest';
}

/** The letter is the first one of the order. */
const CURSOR = /^([onhl])\.(?:([0-9a-z]{1,11})\.)?([0-9a-z]{1,11})$/;
/** What versions before 0.2.0 wrote, for any order. */
const EARLIER_CURSOR = /^c[0-9a-z]{1,11}$/;

/** A cursor may come from a peer, so a wrong one is wrong input, not wrong use. */
function readCursor(order: ListOrder, cursor: string): ListPlace {
  const [, letter, rank = '0', sequence = ''] = CURSOR.exec(cursor) ?? [];
  if (EARLIER_CURSOR.test(cursor)) {
    throw refused('is of an earlier version: begin again without it');
  }
  if (letter === undefined) throw refused('was not made by a store');
  if (letter !== order[0]) throw refused(`is of a list in another order than '${order}'`);
  const place = { rank: Number.parseInt(rank, 36), sequence: Number.parseInt(sequence, 36) };
  const isSafe = Number.isSafeInteger(place.rank) && Number.isSafeInteger(place.sequence);
  if (!isSafe || writeCursor(order, place) !== cursor) throw refused('was not made by a store');
  return place;
}

function refused(why: string): SdlError {
  return new SdlError('PAYLOAD_INVALID', `the cursor ${why}`);
}
