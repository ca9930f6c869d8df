// How long calls wait for a PostgreSQL server that is away: by a clock that stands still until it is told to go on.

import { describe, expect, test } from 'vitest';

import { StoreError } from '../../../src/stores/store.ts';
import { Absence } from '../../../stores/postgres/absence.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { startPostgres } from '../../support/stores/postgres-server.ts';

const AWAY = new StoreError('failed', 'away', undefined, true);

describe('a server that is away', () => {
  let now = 0;
  const look = (absence: Absence): string => {
    try {
      absence.assertWorthALook();
      return 'look';
    } catch (thrown) {
      expect(thrown).toBe(AWAY);
      return 'fail';
    }
  };

  test('is waited for once, and not by each call anew', () => {
    const absence = new Absence(5_000, () => now);
    expect(look(absence)).toBe('look');
    expect(absence.note(AWAY, 20)).toBe(true);
    now += 1_900;
    expect([look(absence), absence.note(AWAY, 50), absence.note(AWAY, 100)]).toEqual([
      'look',
      true,
      false,
    ]);
    now += 100;
    expect(look(absence)).toBe('fail');
    expect(look(absence)).toBe('fail');
  });

  test('is looked at again by one call at a time, and is well when it answers', () => {
    const absence = new Absence(100, () => now);
    absence.note(AWAY, 0);
    now += 300;
    // However long that look takes, nobody else waits for it.
    expect(look(absence)).toBe('look');
    now += 5_000;
    expect(look(absence)).toBe('fail');
    expect(absence.note(AWAY, 20)).toBe(false);
    expect(look(absence)).toBe('fail');
    now += 250;
    expect(look(absence)).toBe('look');
    absence.end();
    expect(look(absence)).toBe('look');
    expect(absence.note(AWAY, 20)).toBe(true);
  });
});

const server = await startPostgres(['-F']);

test.skipIf(server === undefined)(
  '#errors-store a server that is stopped makes every call fail as one to try again, with its place and without secrets',
  async () => {
    const url = `${server!.url}&password=s3cret`;
    const store = await openPostgresStore({ connection: url });
    await store.put('s', 'k', new Uint8Array(1));
    await server!.stop();
    const folder = decodeURIComponent(/host=([^&]*)/.exec(url)![1]!);
    const value = new Uint8Array(1);
    for (const call of [
      () => store.get('s', 'k'),
      () => store.put('s', 'k', value),
      () => store.list('s'),
      () => store.append('l', [value]),
    ]) {
      const error: unknown = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ fault: 'failed', code: 'UNAVAILABLE' });
      expect(String(error)).toContain(
        `PostgreSQL at ${folder}, database postgres cannot be reached`,
      );
      expect(String(error)).not.toContain('s3cret');
    }
    await store.close();
    const opening = openPostgresStore({ connection: url, busyTimeoutMs: 50 });
    await expect(opening).rejects.toThrow(`PostgreSQL at ${folder}`);
  },
);
