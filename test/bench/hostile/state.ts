// State patches that are made to cost much: each fits into one message, and each document is within its limits.

import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { LosslessNumber, newJsonObject } from '../../../src/codec/value.ts';
import { SdlError } from '../../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { contentHash } from '../../../src/schema/content-hash.ts';
import { MAX_STATE_SIZE, measure } from '../../../src/state/extent.ts';
import type { StateDocument } from '../../../src/state/document.ts';
import { applyState } from '../../../src/state/document.ts';

export interface HostileState {
  readonly name: string;
  /** The code of the error, or "passed". */
  readonly run: () => string;
}

/** Applying alone, with the hash of the result; reading the message is not part of it. */
export function hostileStateCases(): HostileState[] {
  return [...comparisons(), ...pointers(), ...copies(), ...edits(), ...largestDocuments()];
}

function comparisons(): HostileState[] {
  const lexemes = repeated(1_000, new LosslessNumber(`1.${'0'.repeat(1_020)}`));
  const ones = { op: 'test', path: '/a', value: repeated(1_000, 1) };
  const wide = randomNames(2_000, 'm');
  return [
    state('480 tests of long numbers', { a: lexemes }, repeated(480, ones)),
    state(
      '25 tests of 2,000 members',
      { a: wide },
      repeated(25, { op: 'test', path: '/a', value: wide }),
    ),
    state('one test of many long numbers', { a: lexemes }, [
      { op: 'test', path: '/a', value: lexemes },
    ]),
    state('two tests of a long string', { a: 'x'.repeat(500_000) }, [
      { op: 'test', path: '/a', value: 'x'.repeat(500_000) },
      { op: 'test', path: '/a', value: 'x'.repeat(500_000) },
    ]),
  ];
}

function pointers(): HostileState[] {
  const deep = nested(50);
  return [
    state('a path of 1,000,000 slashes', {}, [add('/'.repeat(1_000_000))]),
    state('a path of 500,000 escapes', {}, [add(`/${'~1'.repeat(500_000)}`)]),
    state(
      '10,000 paths of 30 tokens',
      { a: deep },
      repeated(10_000, replace(`/a${'/0'.repeat(29)}`)),
    ),
    state(
      '7,500 tests of 40 tokens',
      { a: deep },
      repeated(7_500, { op: 'test', path: `/a${'/0'.repeat(39)}`, value: nested(11) }),
    ),
  ];
}

function copies(): HostileState[] {
  const nulls = repeated(100_000, null);
  const toAndFro = [copy('/a', '/b'), replace('/a/1'), replace('/b/1')];
  return [
    state('four copies of 100,000 elements', { a: nulls, b: 0 }, repeated(4, copy('/a', '/b'))),
    state('copies of an array, each changed', { a: nulls, b: 0 }, repeated(3_000, ...toAndFro)),
    state(
      'copies that double',
      { a: [0], b: [0] },
      repeated(30, copy('/a', '/b/-'), copy('/b', '/a/-')),
    ),
    ...['', 'm'].map((prefix) =>
      state(
        `copies of ${prefix === '' ? 'integer' : 'other'} names, each changed`,
        { a: randomNames(14_000, prefix, '1'), b: 0 },
        repeated(3_000, ...toAndFro),
      ),
    ),
    state(
      'a wide object moved to and fro',
      { a: randomNames(14_000, '', '1') },
      repeated(
        5_000,
        { op: 'move', from: '/a', path: '/b' },
        { op: 'move', from: '/b', path: '/a' },
      ),
    ),
    state('a wide object moved once, then changed', { a: randomNames(20_000, '') }, [
      { op: 'move', from: '/a', path: '/b' },
      add('/b/new'),
    ]),
    state('a wide object moved twice, then changed', { a: randomNames(20_000, '') }, [
      { op: 'move', from: '/a', path: '/b' },
      { op: 'move', from: '/b', path: '/a' },
      add('/a/new'),
    ]),
    state(
      'an object of 9,000 members given and changed',
      {},
      repeated(6, { op: 'add', path: '/a', value: randomNames(9_000, '') }, add('/a/new')),
    ),
  ];
}

function edits(): HostileState[] {
  const elements = Array.from({ length: 110_000 }, (_, index) => index % 10);
  const objects = Array.from({ length: 1_700 }, (_, index) => randomNames(10, `${index}.`));
  return [
    state('10,000 insertions in front of a large array', elements, repeated(10_000, add('/0'))),
    state(
      '10,000 removals in front of a large array',
      elements,
      repeated(10_000, { op: 'remove', path: '/0' }),
    ),
    state(
      '10,000 replacements in a large array',
      elements,
      Array.from({ length: 10_000 }, (_, index) => replace(`/${index * 10}`)),
    ),
    state(
      '10,000 removals from a wide object',
      randomNames(20_000, '', '5'),
      repeated(5_000, { op: 'remove', path: '/5' }, add('/5')),
    ),
    state(
      'changes in each of 1,700 objects',
      objects,
      objects.map((_, index) => add(`/${index}/new`)),
    ),
  ];
}

function largestDocuments(): HostileState[] {
  const random = randomTexts(100_000);
  const fillings: Record<string, JsonValue[]> = {
    nulls: repeated(131_000, null),
    'empty objects': Array.from({ length: 130_000 }, newJsonObject),
    fractions: Array.from({ length: 60_000 }, (_, index) => index + 0.123_456_789),
    'numbers with a zero fraction': repeated(100_000, new LosslessNumber('1.0')),
    'short strings': repeated(110_000, 'é'),
    'control characters': repeated(2, '\u0001'.repeat(520_000)),
    'objects of one member': random.map((name) => members([name])),
  };
  return [
    ...Object.entries(fillings).map(([what, values]) => {
      const held = fitting(values);
      return state(`a member more beside ${what}`, { held }, [add('/new')]);
    }),
    ...['', 'm', '\u{1F600}'].map((prefix) =>
      state(
        `a member more beside ${prefix === '' ? 'integer' : prefix} names`,
        fittingObject(prefix),
        [add('/new')],
      ),
    ),
    state('a member more, in a document never seen', fittingObject('m'), [add('/new')], false),
  ];
}

function state(name: string, value: JsonValue, patch: JsonArray, isCarried = true): HostileState {
  if (writeJson(patch).length > DEFAULT_LIMITS.maxBytes)
    throw new Error(`${name}: ${writeJson(patch).length} bytes`);
  const start: StateDocument = { value, hash: contentHash(value) };
  // An empty patch makes the weight of the value known, as it is of every document that patches made.
  const document = isCarried ? applyState(start, { base: start.hash, patch: [] }) : start;
  const payload = { base: document.hash, patch };
  return {
    name,
    run: () => {
      try {
        applyState(document, payload);
        return 'passed';
      } catch (thrown) {
        if (thrown instanceof SdlError) return thrown.code;
        throw thrown;
      }
    },
  };
}

const add = (path: string): JsonObject => ({ op: 'add', path, value: null });
const replace = (path: string): JsonObject => ({ op: 'replace', path, value: 1 });
const copy = (from: string, path: string): JsonObject => ({ op: 'copy', from, path });

function repeated<T>(count: number, ...values: T[]): T[] {
  return Array.from({ length: count }, () => values).flat();
}

function nested(depth: number): JsonValue {
  let value: JsonValue = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function members(names: readonly string[]): JsonObject {
  const object = newJsonObject();
  for (const name of names) object[name] = null;
  return object;
}

/** Different numbers of ten digits, in no order. */
function randomTexts(count: number): string[] {
  let random = 1;
  return Array.from({ length: count }, () => {
    random = (random * 48_271) % 2_147_483_647;
    return String(1_000_000_000 + random);
  });
}

function randomNames(count: number, prefix: string, ...more: string[]): JsonObject {
  return members([...randomTexts(count).map((name) => prefix + name), ...more]);
}

/** As many of the values as the largest document holds, less some space. */
function fitting(values: readonly JsonValue[]): JsonValue[] {
  let left = MAX_STATE_SIZE - 200;
  return values.slice(0, values.findIndex((value) => (left -= measure(value).size) < 0) >>> 0);
}

function fittingObject(prefix: string): JsonObject {
  const { size } = measure(randomNames(1_000, prefix));
  return randomNames(Math.floor((MAX_STATE_SIZE - 200) / (size / 1_000)), prefix);
}
