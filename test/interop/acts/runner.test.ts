// Proves the runner itself: a test that does not hold fails, and what the runner does not know is an error.

import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { abstractForm } from './abstract-form.ts';
import { members } from './document.ts';
import { find, findAll, isTrue } from './dot-path.ts';
import { nameOf } from './errors.ts';
import { eventForm, judgeStream } from './events.ts';
import { ActsFailure, Judge } from './judge.ts';
import { askedBy, withMessageId } from './requests.ts';
import { filled } from './variables.ts';

type Case = readonly [found: JsonValue | undefined, wanted: JsonValue, isHeld: boolean];

describe('matchers', () => {
  test.each<Case>([
    ['a', 'a', true],
    ['a', 'b', false],
    [1, '1', false],
    [{ a: { b: 1 } }, { a: { b: 1 } }, true],
    [{ a: { b: 1 } }, { a: { b: 2 } }, false],
    [{}, { a: 1 }, false],
    ['a', { type: 'string' }, true],
    [[], { type: 'object' }, false],
    [{}, { type: 'object' }, true],
    [null, { type: 'null' }, true],
    [undefined, { type: 'null' }, false],
    [{ type: 'x' }, { type: { type: 'string' } }, true],
    [{}, { type: { type: 'string' } }, false],
    [0, { exists: true }, true],
    [undefined, { exists: true }, false],
    [undefined, { absent: true }, true],
    ['', { absent: true }, false],
    ['b', { one_of: ['a', 'b'] }, true],
    ['c', { one_of: ['a', 'b'] }, false],
    [{ a: 1 }, { one_of: [{ b: { exists: true } }, { a: 1 }] }, true],
    [{ c: 1 }, { any_of: [{ a: 1 }, { b: 1 }] }, false],
    [{ b: 1 }, { any_of: [{ a: 1 }, { b: 1 }] }, true],
    ['ab', { all_of: [{ contains: 'a' }, { contains: 'c' }] }, false],
    ['ab', { all_of: [{ contains: 'a' }, { contains: 'b' }] }, true],
    ['abc', { starts_with: 'ab' }, true],
    ['abc', { starts_with: 'bc' }, false],
    ['abc', { matches: '.{3,}' }, true],
    ['abc', { matches: '^.{4,}' }, false],
    [[1, 2], { count: 2 }, true],
    [[1, 2], { count: 1 }, false],
    [[1, 2], { count_gte: 3 }, false],
    [[1, 2], { count_lte: 1 }, false],
    [[1, 2], { type: 'array', count_gte: 2, count_lte: 2 }, true],
    [undefined, { count_lte: 1 }, false],
    [[{ a: 1 }, { a: 2 }], { items: { a: { type: 'number' } } }, true],
    [[{ a: 1 }, { a: '2' }], { items: { a: { type: 'number' } } }, false],
    [[{ a: 1 }, { a: '2' }], { items: [{ a: 1 }] }, true],
    [[{ a: 1 }], { items: [{ a: 1 }, { a: 2 }] }, false],
  ])('%j as %j: %s', (found, wanted, isHeld) => {
    const judge = new Judge();
    const match = (): void => judge.match(found, wanted, 'it');
    if (isHeld) expect(match).not.toThrow();
    else expect(match).toThrow(ActsFailure);
    expect(judge.checks).toBeGreaterThan(0);
  });

  test.each<[JsonValue, string]>([
    [{ type: 'text' }, 'there is no type'],
    [{ exists: false }, 'expected true'],
    [{ one_of: [] }, 'expected a list'],
    [{ contains: 1 }, 'expected text'],
    [{ count: '1' }, 'expected a number'],
    [{ exists: true, extra: 1 }, 'are mixed'],
    [{}, 'nothing is wanted'],
  ])('%j is an error of the runner', (wanted, words) => {
    const match = (): void => new Judge().match('a', wanted, 'it');
    expect(match).toThrow(words);
    expect(match).not.toThrow(ActsFailure);
  });

  test('one of many has to fit', () => {
    const judge = new Judge();
    expect(() => judge.matchSome([{ a: 1 }, { a: 2 }], { a: 2 }, 'them')).not.toThrow();
    expect(() => judge.matchSome([], { a: 2 }, 'them')).toThrow(ActsFailure);
  });
});

describe('streams', () => {
  const events = (...states: string[]): JsonObject[] =>
    states.map((state) => ({ statusUpdate: { status: { state: `TASK_STATE_${state}` } } }));
  const judged = (list: readonly JsonObject[], wanted: object) => (): void =>
    judgeStream(new Judge(), list, wanted, eventForm);

  test.each([
    [true, ['SUBMITTED', 'WORKING', 'WORKING', 'COMPLETED']],
    [true, ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'WORKING', 'FAILED']],
    [false, ['SUBMITTED', 'COMPLETED']],
    [false, ['WORKING', 'SUBMITTED']],
    [false, ['SUBMITTED', 'SUBMITTED']],
    [false, ['WORKING', 'COMPLETED', 'WORKING']],
    [false, ['WORKING', 'COMPLETED', 'COMPLETED']],
    [false, ['INPUT_REQUIRED', 'COMPLETED']],
    [false, []],
  ])('an order is judged: %s for %j', (isHeld, states) => {
    const judge = judged(events(...states), { ordering: 'monotonic_state' });
    if (isHeld) expect(judge).not.toThrow();
    else expect(judge).toThrow(ActsFailure);
  });

  test('counts, places, the last and each are judged', () => {
    const list = events('WORKING', 'COMPLETED');
    const last = { status: { state: 'TASK_STATE_COMPLETED' } };
    expect(judged(list, { min_count: 2, final_event: last })).not.toThrow();
    expect(judged(list, { min_count: 3 })).toThrow(ActsFailure);
    expect(judged(list.slice(0, 1), { final_event: last })).toThrow(ActsFailure);
    expect(judged([], { final_event: last })).toThrow(ActsFailure);
    expect(judged(list, { each_event: last })).toThrow(ActsFailure);
    expect(judged(list, { events: [{ match: 'any_position', ...last }] })).not.toThrow();
    expect(judged(list, { events: [{ index: 1, status_update: last }] })).not.toThrow();
    expect(judged(list, { events: [{ index: 0, status_update: last }] })).toThrow(ActsFailure);
    const artifact = { match: 'any_position', artifact: { exists: true } };
    expect(judged(list, { events: [artifact] })).toThrow(ActsFailure);
  });

  test.each<[object, string]>([
    [{ ordering: 'any' }, 'there is no order'],
    [{ events: [{ match: 'nearby', task: {} }] }, 'is not matched by'],
    [{ events: [{ task: { exists: true } }] }, 'has no index'],
  ])('%j is an error of the runner', (wanted, words) => {
    const judge = judged(events('WORKING'), wanted);
    expect(judge).toThrow(words);
    expect(judge).not.toThrow(ActsFailure);
  });
});

describe('the rest of the language', () => {
  const root = { a: [{ b: 1 }, { b: 2 }], c: { d: 'x' } };

  test('paths', () => {
    expect(findAll(root, 'a[*].b')).toEqual([1, 2]);
    expect(findAll(root, 'a[1]')).toEqual([{ b: 2 }]);
    expect([find(root, 'c.d'), find(root, 'c.e'), find(root, 'a[7].b')]).toEqual([
      'x',
      undefined,
      undefined,
    ]);
    expect(() => find(root, 'a[*]')).toThrow('more than one place');
    expect(() => find(root, 'a[x]')).toThrow('no path');
  });

  test('conditions', () => {
    const held = ['c.d == x', 'c.d in [w, x]', 'c.d != y', 'c.e != x'];
    expect(held.map((one) => isTrue(one, root))).toEqual([true, true, true, true]);
    const broken = ['c.d == y', 'c.d in [w, y]', 'c.d != x', 'c.e == x'];
    expect(broken.map((one) => isTrue(one, root))).toEqual([false, false, false, false]);
    for (const odd of ['c.d', 'c.d ~ x', 'c.d in x', 'c.d == [x]']) {
      expect(() => isTrue(odd, root)).toThrow('no condition');
    }
  });

  test('variables: one that is not there is an error', () => {
    const variables = new Map([['a.b', 'x']]);
    expect(filled({ list: ['<{{a.b}}>'], n: 1 }, variables)).toEqual({ list: ['<x>'], n: 1 });
    expect(() => filled('{{a.c}}', variables)).toThrow('no variable "a.c"');
  });

  test('requests: unknown operations and params are errors', () => {
    const message = { role: 'ROLE_USER', parts: [] };
    const asked = askedBy('send_message', { message, taskId: 't' });
    expect(asked).toMatchObject({ method: 'SendMessage', request: { message: { taskId: 't' } } });
    expect(askedBy('get_agent_card', {})).toBe('card');
    expect(() => askedBy('get_task', { name: 'x' })).toThrow('"name" is not known');
    expect(() => askedBy('send_mail', {})).toThrow('no operation');
    expect(() => members({ a: 1 }, 'here', ['b'])).toThrow('here: "a" is not known');
    expect(withMessageId({ params: { message } })).toMatchObject({
      params: { message: { messageId: expect.any(String) as string } },
    });
  });

  test('an error has a name where code and reason fit together', () => {
    const info = (reason: string): JsonValue => [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason },
    ];
    expect(nameOf('jsonrpc', -32_001, info('TASK_NOT_FOUND'))).toBe('TaskNotFoundError');
    expect(nameOf('rest', 404, info('TASK_NOT_FOUND'))).toBe('TaskNotFoundError');
    expect(nameOf('rest', 400, info('TASK_NOT_FOUND'))).toBeUndefined();
    expect(nameOf('jsonrpc', -32_001, undefined)).toBeUndefined();
  });

  test('files and REST have the names of ACTS', () => {
    const parts = [{ raw: 'eA==', filename: 'f', mediaType: 'm' }, { url: 'u' }, { text: 't' }];
    expect(abstractForm({ parts, list: [{ url: 'u' }], protocolBinding: 'HTTP+JSON' })).toEqual({
      parts: [
        { ...parts[0], file: { raw: 'eA==', name: 'f', mediaType: 'm' } },
        { url: 'u', fileUrl: { url: 'u' } },
        { text: 't' },
      ],
      list: [{ url: 'u' }],
      protocolBinding: 'REST',
    });
  });
});
