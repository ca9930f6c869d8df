// Timestamps, and the member `ts` that holds one.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { checkShape } from '../src/envelope/shape.ts';
import { formatTimestamp, parseTimestamp } from '../src/envelope/timestamp.ts';
import { codeOf, errorOf } from './support/bytes.ts';
import { patched, put, registry } from './support/envelopes.ts';

const check = (value: ReturnType<typeof patched>): unknown => checkShape(value, registry);

describe('#timestamp W23 timestamps', () => {
  test.each([
    ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
    ['2024-02-29T23:59:59.5Z', Date.UTC(2024, 1, 29, 23, 59, 59, 500)],
    ['2026-11-16T00:28:29.123456789Z', Date.UTC(2026, 10, 16, 0, 28, 29, 123)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('%s is read', (text, epochMs) => {
    expect(parseTimestamp(text)).toBe(epochMs);
    expect(codeOf(() => check(patched(put('/ts', text))))).toBeUndefined();
  });
  test.each([
    '2026-W01-1',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00+14:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01t00:00:00z',

    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',

    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-01-01T24:00:00Z',

    '2026-01-01T23:59:60Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00.Z',
    '12026-01-01T00:00:00Z',

    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00Z',
    ' 2026-01-01T00:00:00Z',
    '２026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '-2026-01-01T00:00:00Z',
    '',
  ])('%j is refused', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
    const error = errorOf(() => check(patched(put('/ts', text))));
    expect(error?.details['path']).toBe('/ts');
  });
  test('what is written is read back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1, 0, 1) + 62_135_596_800_000, max: 253_402_300_799_999 }),
        (ms) => {
          expect(parseTimestamp(formatTimestamp(ms))).toBe(ms);
        },
      ),
    );
    expect(formatTimestamp(Date.UTC(2026, 0, 1))).toBe('2026-01-01T00:00:00Z');
  });
});
