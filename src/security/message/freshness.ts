// Owns the time window of a message: `ts` not ahead, `exp` ahead but not far; without `exp` a fresh `ts`. SPEC.md section 7 (#replay-window).

import { parseLaxTimestamp, parseTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';

/** How far the clocks of two agents may differ. */
export const DEFAULT_SKEW_MS = 120_000;
/** How far ahead `exp` may be. */
const DEFAULT_MAX_WINDOW_MS = 3_600_000;

export interface FreshnessCheck {
  readonly ts: string;
  /** `sec.replay.exp`, if there is one. */
  readonly exp?: string | undefined;
  readonly nowMs: number;
  /** @default 120000 */
  readonly skewMs?: number | undefined;
  /** @default 3600000 */
  readonly maxWindowMs?: number | undefined;
  /** The switch `lax-dates`: read what {@link parseLaxTimestamp} reads. @default false */
  readonly laxDates?: boolean | undefined;
  /** The switch `long-exp`: `exp` may be any time ahead. @default false */
  readonly longExp?: boolean | undefined;
}

/** Milliseconds since the epoch. */
export interface Freshness {
  readonly tsMs: number;
  readonly expMs: number | undefined;
}

/** Throws TIME_INVALID unless the message is of now (W20, W23). */
export function checkFreshness(check: FreshnessCheck): Freshness {
  const { nowMs, skewMs = DEFAULT_SKEW_MS, maxWindowMs = DEFAULT_MAX_WINDOW_MS } = check;
  const read = check.laxDates === true ? parseLaxTimestamp : parseTimestamp;
  const tsMs = read(check.ts);
  if (tsMs === undefined) throw refusal('ts is not a timestamp');
  // Each condition says what is accepted, so that a NaN among the options accepts nothing.
  if (!(tsMs - nowMs <= skewMs)) throw refusal('ts is ahead of the clock');
  if (check.exp === undefined) {
    if (!(nowMs - tsMs <= skewMs)) throw refusal('ts is too old for a message without exp');
    return { tsMs, expMs: undefined };
  }
  const expMs = read(check.exp);
  if (expMs === undefined) throw refusal('exp is not a timestamp');
  if (!(expMs > nowMs)) throw refusal('exp has passed');
  if (check.longExp !== true && !(expMs - nowMs <= maxWindowMs)) {
    throw refusal('exp is further away than the longest window');
  }
  return { tsMs, expMs };
}

function refusal(reason: string): SdlError {
  return new SdlError('TIME_INVALID', reason);
}
