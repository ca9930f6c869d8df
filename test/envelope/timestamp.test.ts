// Timestamps, and the member `ts` that holds one.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { checkShape } from '../../src/envelope/shape.ts';
import {
  formatTimestamp,
  parseLaxTimestamp,
  parseTimestamp,
} from '../../src/envelope/timestamp.ts';
import { codeOf, errorOf } from '../support/wire/bytes.ts';
import { alice, patched, put, registry } from '../support/wire/envelopes.ts';
import { LAX_NOON, NEVER_A_DATE, NOON_MS } from '../support/wire/timestamps.ts';

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

describe('#timestamp W23 timestamps under lax-dates', () => {
  test.each(LAX_NOON)('%j is noon', (text) => {
    expect(parseLaxTimestamp(text)).toBe(NOON_MS);
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test.each(NEVER_A_DATE)('%j is never a date', (text) => {
    expect(parseLaxTimestamp(text)).toBeUndefined();
  });

  test('keep their fractions', () => {
    expect(parseLaxTimestamp('2026-01-31T12:00:00.123456+00:00')).toBe(NOON_MS + 123);
    expect(parseLaxTimestamp('2026-01-31T12:00:00.5')).toBe(NOON_MS + 500);
  });

  test('mean the same as before where they are strict', () => {
    const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, (date) => {
        const text = formatTimestamp(date.getTime());
        expect(parseLaxTimestamp(text)).toBe(parseTimestamp(text));
      }),
    );
  });
});

describe('#timestamp W23 an envelope of a sender with lax-dates', () => {
  const LAX = '2026-01-31T13:00:00+01:00';
  const laxTs = put('/ts', LAX);
  const laxExp = put('/sec', { mode: 'none', replay: { nonce: 'n', exp: LAX } });
  const laxDates = (agentId: string): boolean => agentId === alice.agent_id;
  const pathOf = (value: ReturnType<typeof patched>, lax = laxDates): unknown =>
    errorOf(() => checkShape(value, { contentTypes: registry.contentTypes, laxDates: lax }))
      ?.details['path'];

  test('may have a loose ts and a loose exp', () => {
    expect(pathOf(patched(laxTs, laxExp))).toBeUndefined();
  });

  test('may have no other text there', () => {
    expect(pathOf(patched(put('/ts', '2026-W05-6')))).toBe('/ts');
    expect(
      pathOf(patched(laxTs, put('/sec', { mode: 'none', replay: { nonce: 'n', exp: 1 } }))),
    ).toBe('/sec/replay/exp');
  });

  test('differs from one of every other sender, and of nobody where no switch is asked for', () => {
    const mallory = put('/from/agent_id', 'did:key:mallory');
    expect(pathOf(patched(laxTs, mallory))).toBe('/ts');
    expect(pathOf(patched(laxExp, mallory))).toBe('/sec/replay/exp');
    expect(errorOf(() => check(patched(laxTs)))?.details['path']).toBe('/ts');
    expect(errorOf(() => check(patched(laxExp)))?.details['path']).toBe('/sec/replay/exp');
  });

  test('is asked about by an id that is well formed, and only for a date that is loose', () => {
    const asked: string[] = [];
    const ask = (agentId: string): boolean => {
      asked.push(agentId);
      return true;
    };
    expect(pathOf(patched(put('/ts', '2026-01-31T12:00:00Z')), ask)).toBeUndefined();
    expect(pathOf(patched(put('/ts', 'noon')), ask)).toBe('/ts');
    for (const from of [null, 'alice', {}, { agent_id: 7 }, { agent_id: 'x'.repeat(513) }]) {
      expect(pathOf(patched(laxTs, put('/from', from)), ask)).toBe('/ts');
    }
    expect(asked).toEqual([]);
  });

  test('has the first wrong member named, as ever', () => {
    expect(pathOf(patched(laxTs, put('/from/name', 7)))).toBe('/from/name');
    expect(pathOf(patched(laxTs, put('/type', 'x')))).toBe('/type');
    expect(pathOf(patched(laxTs, put('/id', '')))).toBe('/id');
  });
});
