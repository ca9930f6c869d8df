// Owns how moments and spans of time are shown.

import { formatTimestamp } from '../../src/envelope/index.ts';

export const DAY_MS = 86_400_000;
/** Keys and certificates that end within this time are warned of. */
export const SOON_MS: number = 30 * DAY_MS;

/** The timestamp, and how far away it is. */
export function describeMoment(momentMs: number, nowMs: number): string {
  const days = Math.floor(Math.abs(momentMs - nowMs) / DAY_MS);
  const distance = days === 1 ? '1 day' : `${days} days`;
  const words = momentMs >= nowMs ? `in ${distance}` : `${distance} ago`;
  return `${formatTimestamp(momentMs)} (${words})`;
}
