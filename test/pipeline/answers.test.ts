// From what a handler gives back to events and one answer, and who waits for whom.

import { describe, expect, test } from 'vitest';

import type { Answer } from '../../src/content.ts';
import { SdlError } from '../../src/errors.ts';
import { partsOf } from '../../src/pipeline/answers.ts';
import type { Part } from '../../src/pipeline/answers.ts';
import { Handover } from '../../src/pipeline/handover.ts';

const answer = (n: number, parts: Partial<Answer> = {}): Answer => ({
  ct: 'x.v1',
  payload: n,
  ...parts,
});

async function collect(parts: AsyncIterable<Part>): Promise<[unknown, boolean][]> {
  const seen: [unknown, boolean][] = [];
  for await (const part of parts) seen.push([part.answer?.payload, part.isLast]);
  return seen;
}

const never = new AbortController().signal;

describe('#exchange the parts of an answer', () => {
  test('one value is the last', async () => {
    expect(await collect(partsOf(answer(1), never))).toEqual([[1, true]]);
    expect(await collect(partsOf(Promise.resolve(answer(1)), never))).toEqual([[1, true]]);
  });

  test('of several the last is the last, and nothing is an empty last', async () => {
    const three = (async function* () {
      yield answer(1);
      yield answer(2);
      yield await Promise.resolve(answer(3));
    })();
    expect(await collect(partsOf(three, never))).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    const none = (async function* () {})();
    expect(await collect(partsOf(none, never))).toEqual([[undefined, true]]);
  });

  test('what says that it is an event goes out before the next is made', async () => {
    const made: number[] = [];
    const given = (async function* () {
      made.push(1);
      yield answer(1, { isEvent: true });
      made.push(2);
      yield await Promise.resolve(answer(2));
    })();
    const parts = partsOf(given, never);
    expect((await parts.next()).value).toMatchObject({ isLast: false });
    expect(made).toEqual([1]);
    expect((await parts.next()).value).toMatchObject({ isLast: true });
  });

  test('a handler that does not end is ended by the signal, with its reason', async () => {
    const controller = new AbortController();
    const pending = collect(partsOf(new Promise<Answer>(() => undefined), controller.signal));
    controller.abort(new SdlError('DEADLINE', 'too long'));
    await expect(pending).rejects.toMatchObject({ code: 'DEADLINE', reason: 'too long' });
  });

  test('an iteration that does not end is told to, and not waited for', async () => {
    const controller = new AbortController();
    let isToldToEnd = false;
    const given: AsyncIterable<Answer> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => {
          isToldToEnd = true;
          return new Promise(() => undefined);
        },
      }),
    };
    const pending = collect(partsOf(given, controller.signal));
    controller.abort(new Error('gone'));
    await expect(pending).rejects.toMatchObject({ code: 'DEADLINE' });
    expect(isToldToEnd).toBe(true);
  });
});

describe('#exchange the hand-over of replies', () => {
  test('a writer waits until its value is taken', async () => {
    const handover = new Handover<number>();
    const order: string[] = [];
    const writing = (async () => {
      await handover.put(1);
      order.push('1 taken');
      await handover.put(2);
      order.push('2 taken');
      handover.end(3);
    })();
    const seen: number[] = [];
    for await (const value of handover) {
      order.push(`read ${value}`);
      seen.push(value);
    }
    await writing;
    expect(seen).toEqual([1, 2, 3]);
    expect(order.indexOf('1 taken')).toBeLessThan(order.indexOf('read 2'));
  });

  test('a writer goes on when the reader has left', async () => {
    const handover = new Handover<number>();
    const writing = (async () => {
      for (let value = 0; value < 100; value += 1) await handover.put(value);
      handover.end();
    })();
    for await (const value of handover) if (value === 3) break;
    await writing;
  });

  test('ends without a value', async () => {
    const handover = new Handover<number>();
    handover.end();
    const seen: number[] = [];
    for await (const value of handover) seen.push(value);
    expect(seen).toEqual([]);
  });
});
