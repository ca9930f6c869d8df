// The hostile messages, and the plain one that they are compared with.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { LosslessNumber } from '../../../src/codec/value.ts';
import type { Encoding } from '../../../src/envelope/decode.ts';
import { encodeMessage } from '../../../src/envelope/encode.ts';
import { SdlError } from '../../../src/errors.ts';
import type { Schema } from '../../../src/schema/descriptor.ts';
import { embed } from '../../../src/schema/descriptor.ts';
import { SchemaRegistry } from '../../../src/schema/registry.ts';
import { taskPayload, taskRequest } from '../../support/wire/envelopes.ts';
import { receive } from '../receive.ts';

const MIB = 1_048_576;

export interface Hostile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly encoding?: Encoding;
}

/** The plain message first. */
export function allCases(): Hostile[] {
  return [{ name: 'a plain 1 MiB message', bytes: plainMessage() }, ...hostileCases()];
}

/** Fresh registries in turn: little may be saved by having seen a message before. */
const registries = Array.from({ length: 64 }, () => new SchemaRegistry());
let turn = 0;

/** The code of the error, or "passed". */
export function outcomeOf({ bytes, encoding = 'json' }: Hostile): string {
  turn = (turn + 1) % registries.length;
  try {
    receive(bytes, encoding, registries[turn]!);
    return 'passed';
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown.code;
    throw thrown;
  }
}

function plainMessage(): Uint8Array {
  const item = {
    id: 1,
    name: 'item',
    tags: ['a', 'b'],
    note: 'some words that say little',
    ok: true,
  };
  const items = Array.from({ length: 9_900 }, (_, id) => ({ ...item, id }));
  return message({ ...taskPayload, inputs: { items } });
}

function message(payload: JsonObject, schema?: Schema): Uint8Array {
  const request = taskRequest();
  const envelope = schema === undefined ? request : { ...request, schema: embed(schema) };
  const bytes = encodeMessage({ ...envelope, payload }, 'json');
  if (bytes.length > MIB) throw new Error(`a case has ${bytes.length} bytes`);
  return bytes;
}

function withGoal(goal: string, schema: Schema): Uint8Array {
  return message({ ...taskPayload, goal }, { properties: { goal: schema } });
}

function withInputs(inputs: JsonValue, schema: Schema): Uint8Array {
  return message(
    { ...taskPayload, inputs: { x: inputs } },
    { properties: { inputs: { properties: { x: schema } } } },
  );
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function hostileCases(): Hostile[] {
  const strict = plainMessage();
  const numbers = Array.from({ length: 9_000 }, (_, index) => [index, index % 7]);
  return [
    { name: '1 MiB of [', bytes: new Uint8Array(MIB).fill(0x5b) },
    { name: '1 MiB of {"a":', bytes: text('{"a":'.repeat(MIB / 5)) },
    { name: '1 MiB of CBOR arrays', bytes: new Uint8Array(MIB).fill(0x81), encoding: 'cbor' },
    {
      name: 'CBOR array of 2^32-1',
      bytes: Uint8Array.of(0x9a, 255, 255, 255, 255),
      encoding: 'cbor',
    },
    { name: '1 MiB of one key', bytes: text(`{"${'k'.repeat(MIB - 6)}":1}`) },
    { name: '1 MiB of one key, escaped', bytes: text(`{"${'\\u006b'.repeat(174_000)}":1}`) },
    {
      name: '100,000 keys',
      bytes: text(`{${Array.from({ length: 100_000 }, (_, k) => `"${k}":0`).join()}}`),
    },
    {
      name: '100,000 keys, deep down',
      bytes: text(`{"a":[{${Array.from({ length: 100_000 }, (_, k) => `"${k}":0`).join()}}]}`),
    },
    { name: '1 MiB of digits', bytes: text(`[${'1'.repeat(MIB - 2)}]`) },
    {
      name: '1 MiB with one 1.0',
      bytes: text(new TextDecoder().decode(strict).replace('"hops":0', '"hops":0,"x":1.0')),
    },
    {
      name: '1 MiB of strings with escapes',
      bytes: text(`[${Array.from({ length: 9_999 }, () => `"${'\\n'.repeat(50)}"`).join()},1.0]`),
    },
    { name: 'a catastrophic regex', bytes: withGoal(`${'a'.repeat(30)}!`, { pattern: '^(a+)+$' }) },
    {
      name: 'a catastrophic regex on 1 MB',
      bytes: withGoal(`${'a'.repeat(1_000_000)}!`, { pattern: '^(a+)+$' }),
    },
    {
      name: 'a large regex on 1 MB',
      bytes: withGoal('ab'.repeat(500_000), { pattern: '(a?b?){200}c' }),
    },
    {
      name: 'a regex with very many states',
      bytes: withGoal(abText(20_000), { pattern: '(a|b)*a(a|b){14}c' }),
    },
    {
      name: 'a regex that will not fit',
      bytes: withGoal('a', { pattern: '((a{900}){900}){900}' }),
    },
    {
      name: '5,000 regexes',
      bytes: withGoal('a'.repeat(100), {
        allOf: Array.from({ length: 5_000 }, (_, k) => ({ pattern: `^[a-z${k}]+\\p{L}*$` })),
      }),
    },
    { name: 'a $ref bomb', bytes: withGoal('a', refBomb(40)) },
    { name: 'a $ref loop', bytes: message(taskPayload, { $ref: '#' }) },
    {
      name: 'a $dynamicRef loop',
      bytes: message(taskPayload, { $dynamicAnchor: 'x', allOf: [{ $dynamicRef: '#x' }] }),
    },
    { name: '10,000 nested allOf', bytes: nestedAllOf(10_000) },
    {
      name: '10,000 allOf side by side',
      bytes: withInputs(numbers, {
        items: { allOf: Array.from({ length: 10_000 }, () => ({ type: 'array' })) },
      }),
    },
    { name: 'uniqueItems on 9,000 arrays', bytes: withInputs(numbers, { uniqueItems: true }) },
    {
      name: 'a huge enum on 9,000 arrays',
      bytes: withInputs(numbers, { items: { enum: numbers } }),
    },
    {
      name: 'contains within contains',
      bytes: withInputs([numbers, numbers], {
        contains: { contains: { contains: { const: -1 } } },
      }),
    },
    {
      name: 'unevaluatedItems',
      bytes: withInputs(numbers, {
        anyOf: Array.from({ length: 500 }, () => ({
          prefixItems: [true],
          contains: { type: 'array' },
        })),
        unevaluatedItems: { type: 'array' },
      }),
    },
    {
      name: '2,000 patterns on 2,000 names',
      bytes: withInputs(manyNames(2_000), { patternProperties: manyPatterns(2_000) }),
    },
    {
      name: 'a regex of letters on 16,000 texts',
      bytes: withInputs(nested(16_000, 'AAAAAA'), {
        items: { items: { not: { pattern: '\\p{Lu}\\p{L}{3}c' } } },
      }),
    },
    {
      name: 'a regex of 480 characters on 16,000 texts',
      bytes: withInputs(nested(16_000, 'AAAAAAAA'), {
        items: { items: { not: { pattern: `A[${separateCharacters(480)}A]{9}c` } } },
      }),
    },
    {
      name: 'a $ref of 990,000 slashes',
      bytes: message(taskPayload, { $ref: `#${'/'.repeat(990_000)}` }),
    },
    {
      name: '9,999 numbers as names, counted 200 times',
      bytes: withInputs(numericNames(9_999), {
        allOf: Array.from({ length: 200 }, () => ({ minProperties: 1 })),
      }),
    },
    {
      name: '9,999 numbers as names, read 200 times',
      bytes: withInputs(numericNames(9_999), {
        allOf: Array.from({ length: 200 }, () => ({ propertyNames: true })),
      }),
    },
    {
      name: '255,000 times 1.0',
      bytes: withInputs(nested(255_000, new LosslessNumber('1.0')), true),
    },
    {
      name: '340,000 times -0',
      bytes: withInputs(nested(340_000, new LosslessNumber('-0')), true),
    },
    { name: '340,000 times {}', bytes: withInputs(nested(340_000, {}), true) },
    {
      name: '255,000 times 1.0 in the schema',
      bytes: message(taskPayload, { u: nested(255_000, new LosslessNumber('1.0')) }),
    },
  ];
}

/** A value so many times, in arrays that are not too long. */
function nested(count: number, value: JsonValue): JsonValue {
  const inner = Array.from({ length: 5_000 }, () => value);
  return Array.from({ length: Math.ceil(count / 5_000) }, (_, index) =>
    inner.slice(0, count - index * 5_000),
  );
}

/** No two of them make a range. */
function separateCharacters(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index)).join(
    '',
  );
}

/** Engines keep names that are numbers in an order of their own. */
function numericNames(count: number): JsonObject {
  const names = Array.from(
    { length: count },
    (_, index) => (index * 2_654_435_761) % 4_294_967_291,
  );
  return Object.fromEntries(names.map((name) => [String(name), 0]));
}

/** Letters that never repeat for long. */
function abText(length: number): string {
  let state = 1;
  const letters = Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 64 ? 'a' : 'b';
  });
  return letters.join('');
}

function refBomb(levels: number): Schema {
  const $defs: Record<string, JsonValue> = { [`d${levels}`]: true };
  for (let level = 0; level < levels; level += 1) {
    // Inside the envelope the bomb stands at a place of its own, hence its own id.
    const next = { $ref: `urn:bomb#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  return { $id: 'urn:bomb', $defs, $ref: 'urn:bomb#/$defs/d0' };
}

/** Written by hand: no writer of ours would nest so deep. */
function nestedAllOf(levels: number): Uint8Array {
  const schema = `${'{"allOf":['.repeat(levels)}true${']}'.repeat(levels)}`;
  const bytes = new TextDecoder().decode(message(taskPayload, true));
  return text(bytes.replace('"embedded":true', `"embedded":${schema}`));
}

function manyNames(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, index]));
}

function manyPatterns(count: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`^n[a-z]*${index}$`, true]),
  );
}
