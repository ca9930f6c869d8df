// The time window of a message, strict and under the two switches that loosen it.

import { describe, expect, test } from 'vitest';

import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import type { FreshnessCheck } from '../../src/security/message/freshness.ts';
import { checkFreshness } from '../../src/security/message/freshness.ts';
import { codeOf } from '../support/wire/bytes.ts';
import { LAX_NOON, NEVER_A_DATE, NOON_MS } from '../support/wire/timestamps.ts';

const NOW = NOON_MS;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const at = (offsetMs: number): string => formatTimestamp(NOW + offsetMs);

function verdict(check: Partial<FreshnessCheck>): string | undefined {
  return codeOf(() => checkFreshness({ ts: at(0), nowMs: NOW, ...check }));
}

describe('#replay-window ts (W23)', () => {
  test.each([0, -2 * MINUTE, 2 * MINUTE])('is accepted %i ms away', (offset) => {
    expect(verdict({ ts: at(offset) })).toBeUndefined();
  });

  test.each([-2 * MINUTE - 1, 2 * MINUTE + 1, -HOUR, HOUR])('is refused %i ms away', (offset) => {
    expect(verdict({ ts: at(offset) })).toBe('TIME_INVALID');
  });

  test('is judged by the skew that is given', () => {
    expect(verdict({ ts: at(5 * SECOND), skewMs: 5 * SECOND })).toBeUndefined();
    expect(verdict({ ts: at(5 * SECOND), skewMs: 5 * SECOND - 1 })).toBe('TIME_INVALID');
  });

  test('may be old while exp is ahead, so that a retry can come late, but never ahead', () => {
    expect(verdict({ ts: at(-HOUR), exp: at(MINUTE) })).toBeUndefined();
    expect(verdict({ ts: at(2 * MINUTE + 1), exp: at(MINUTE) })).toBe('TIME_INVALID');
  });
});

describe('#replay-window exp (W20)', () => {
  test.each([1, MINUTE, HOUR])('is accepted %i ms ahead', (offset) => {
    expect(verdict({ exp: at(offset) })).toBeUndefined();
  });

  test.each([0, -1, -HOUR])('has passed %i ms from now, whatever the skew', (offset) => {
    expect(verdict({ exp: at(offset), skewMs: HOUR })).toBe('TIME_INVALID');
    expect(verdict({ exp: at(offset), longExp: true })).toBe('TIME_INVALID');
  });

  test('is refused further away than the longest window', () => {
    expect(verdict({ exp: at(HOUR + 1) })).toBe('TIME_INVALID');
    expect(verdict({ exp: at(MINUTE + 1), maxWindowMs: MINUTE })).toBe('TIME_INVALID');
  });

  test('may be any time ahead under long-exp, and that lifts nothing else', () => {
    const exp = '2099-01-01T00:00:00Z';
    expect(verdict({ exp })).toBe('TIME_INVALID');
    expect(verdict({ exp, longExp: true })).toBeUndefined();
    expect(verdict({ exp, longExp: true, ts: at(HOUR) })).toBe('TIME_INVALID');
    expect(verdict({ exp: '2099-01-01T00:00:00+00:00', longExp: true })).toBe('TIME_INVALID');
  });
});

describe('#replay-window the answer', () => {
  test('has both times in milliseconds', () => {
    const fresh = checkFreshness({ ts: at(-1_500), exp: at(MINUTE), nowMs: NOW });
    expect(fresh).toEqual({ tsMs: NOW - 1_500, expMs: NOW + MINUTE });
    expect(checkFreshness({ ts: at(0), nowMs: NOW }).expMs).toBeUndefined();
  });

  test.each(['nowMs', 'skewMs', 'maxWindowMs'])('accepts nothing when %s is NaN', (name) => {
    expect(verdict({ exp: at(MINUTE), [name]: NaN })).toBe('TIME_INVALID');
  });
});

describe('#replay-window dates under lax-dates (W23)', () => {
  test.each(LAX_NOON)('%j is noon', (text) => {
    expect(verdict({ ts: text, exp: '2026-01-31T12:59:00', laxDates: true })).toBeUndefined();
  });

  test.each(LAX_NOON)('%j is refused without the switch', (text) => {
    expect(verdict({ ts: text })).toBe('TIME_INVALID');
    expect(verdict({ exp: text, nowMs: NOW - MINUTE, ts: at(-MINUTE) })).toBe('TIME_INVALID');
  });

  test.each(NEVER_A_DATE)('%j is never a date', (text) => {
    expect(verdict({ ts: text, laxDates: true })).toBe('TIME_INVALID');
    expect(verdict({ exp: text, laxDates: true })).toBe('TIME_INVALID');
  });

  test('the window is as narrow as ever', () => {
    const ts = '2026-01-31T12:02:01+00:00';
    expect(verdict({ ts, laxDates: true })).toBe('TIME_INVALID');
    expect(verdict({ exp: '2026-01-31T14:00:00+01:00', laxDates: true })).toBeUndefined();
    expect(verdict({ exp: '2026-01-31T14:00:01+01:00', laxDates: true })).toBe('TIME_INVALID');
  });
});
