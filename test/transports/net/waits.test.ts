// Proves that many waits of one length end in the order in which they began, with one timer.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Waits } from '../../../transports/net/waits.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function newWaits(lengthMs = 100): { readonly waits: Waits<string>; readonly over: string[] } {
  const over: string[] = [];
  return { waits: new Waits<string>(lengthMs, (item) => over.push(item)), over };
}

describe('#transport-timeouts waits of the same length', () => {
  test('each end when their own time is over', () => {
    const { waits, over } = newWaits();
    waits.begin('first');
    vi.advanceTimersByTime(60);
    waits.begin('second');
    vi.advanceTimersByTime(40);
    expect(over).toEqual(['first']);
    vi.advanceTimersByTime(59);
    expect(over).toEqual(['first']);
    vi.advanceTimersByTime(1);
    expect(over).toEqual(['first', 'second']);
  });

  test('begin anew for one that waits already', () => {
    const { waits, over } = newWaits();
    waits.begin('first');
    waits.begin('second');
    vi.advanceTimersByTime(60);
    waits.begin('first');
    vi.advanceTimersByTime(40);
    expect(over).toEqual(['second']);
    vi.advanceTimersByTime(60);
    expect(over).toEqual(['second', 'first']);
  });

  test('end for nobody who has stopped, and nobody twice', () => {
    const { waits, over } = newWaits();
    waits.begin('first');
    waits.begin('second');
    waits.stop('first');
    vi.advanceTimersByTime(1_000);
    expect(over).toEqual(['second']);
  });

  test('go on where the end of one begins it again, and keep nobody else waiting', () => {
    const over: string[] = [];
    const start = performance.now();
    const waits = new Waits<string>(100, (item) => {
      over.push(`${item} ${performance.now() - start}`);
      waits.begin(item);
    });
    waits.begin('one');
    vi.advanceTimersByTime(40);
    waits.begin('other');
    vi.advanceTimersByTime(210);
    expect(over).toEqual(['one 100', 'other 140', 'one 200', 'other 240']);
  });

  test('need one timer for all, and none when nobody waits', () => {
    const { waits } = newWaits();
    for (let count = 0; count < 1_000; count += 1) waits.begin(`item ${count}`);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});
