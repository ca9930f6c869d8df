// Content types of one's own: with JSON Schema, and with the validators of three libraries.

import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

import type { JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { ContentHandler } from '../../src/content.ts';
import { answer } from '../../src/handlers/answer.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import { toPlainValue } from '../../src/handlers/custom/plain-value.ts';
import { codeOf, parse } from '../support/wire/bytes.ts';
import {
  answersOf,
  payloadOf,
  refusalOf,
  requestContext,
} from '../support/agents/handler-context.ts';

const context = requestContext();

interface Weather {
  city: string;
  days: number;
}

const RUNS = { schema: { type: 'object' } } as const;

describe('#content-types a content type with a JSON Schema', () => {
  test('hands over payloads as they were read', async () => {
    const seen: JsonValue[] = [];
    const handler = defineContent({
      ct: 'weather.v1',
      schema: { type: 'object' },
      handle: (payload) => {
        seen.push(payload);
        return { celsius: 21 };
      },
    });
    expect(handler.schema).toEqual({ type: 'object' });
    const answers = await answersOf(handler.handle(parse('{"days":1.0}'), context));
    expect(answers).toEqual([{ ct: 'weather.v1', payload: { celsius: 21 } }]);
    expect(seen).toEqual([{ days: new LosslessNumber('1.0') }]);
  });

  test('answers with another content type where it says so', async () => {
    const handle = (): JsonValue => [1];
    const handler = defineContent({ ct: 'ask.v1', reply: 'reply.v1', ...RUNS, handle });
    expect(await answersOf(handler.handle({}, context))).toEqual([
      { ct: 'reply.v1', payload: [1] },
    ]);
  });

  test('may answer explicitly, and not at all', async () => {
    const explicit = defineContent({ ct: 'a.v1', ...RUNS, handle: () => answer('b.v1', 1, 4) });
    expect(await answersOf(explicit.handle({}, context))).toEqual([
      { ct: 'b.v1', payload: 1, generation: 4 },
    ]);
    const silent = defineContent({ ct: 'a.v1', ...RUNS, handle: async () => undefined });
    expect(await answersOf(silent.handle({}, requestContext({ type: 'evt' })))).toEqual([]);
  });

  test('takes a payload that looks like an answer for a payload', async () => {
    const payload = { ct: 'b.v1', payload: 1 };
    const handler = defineContent({ ct: 'a.v1', ...RUNS, handle: () => payload });
    expect(await payloadOf(handler.handle({}, context))).toEqual(payload);
  });

  test.each([
    ['"ct"', { ct: '' }],
    ['"ct"', { ct: 'x'.repeat(129) }],
    ['"reply"', { reply: '' }],
    ['"schema"', { schema: null }],
    ['"handle"', { handle: 'none' }],
  ])('names the option %s that is wrong', (option, wrong) => {
    const definition = { ct: 'a.v1', schema: {}, handle: () => null, ...wrong };
    expect(() => defineContent(definition as never)).toThrow(option);
  });
});

describe('#exchange a handler that answers more than once', () => {
  test('sends every value, and what a generator returns as the last', async () => {
    const handler = defineContent({
      ct: 'a.v1',
      ...RUNS,
      async *handle() {
        yield 1;
        yield answer('state.v1', { base: 'b', patch: [] });
        return 3;
      },
    });
    const answers = await answersOf(handler.handle({}, context));
    expect(answers.map(({ ct }) => ct)).toEqual(['a.v1', 'state.v1', 'a.v1']);
    expect(answers.at(-1)!.payload).toBe(3);
  });

  test('is closed when nobody reads on', async () => {
    let isClosed = false;
    const handler = defineContent({
      ct: 'a.v1',
      ...RUNS,
      async *handle() {
        try {
          for (;;) yield 1;
        } finally {
          isClosed = true;
        }
      },
    });
    const answers = handler.handle({}, context) as AsyncIterable<unknown>;
    for await (const _ of answers) break;
    expect(isClosed).toBe(true);
  });

  test('throws what its author throws', async () => {
    const handler = defineContent({
      ct: 'a.v1',
      ...RUNS,
      handle: () => {
        throw new RangeError('mine');
      },
    });
    await expect(answersOf(handler.handle({}, context))).rejects.toThrow('mine');
  });
});

const handle = ({ city, days }: Weather): JsonValue => ({ city, hours: days * 24 });

const LIBRARIES: readonly (readonly [string, ContentHandler])[] = [
  [
    'zod',
    defineContent({
      ct: 'weather.v1',
      schema: z.object({ city: z.string(), days: z.number().int().default(1) }),
      handle,
    }),
  ],
  [
    'valibot',
    defineContent({
      ct: 'weather.v1',
      schema: v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer()), 1) }),
      handle,
    }),
  ],
  [
    'arktype',
    defineContent({
      ct: 'weather.v1',
      schema: type({ city: 'string', days: 'number.integer = 1' }),
      handle,
    }),
  ],
];

describe.each(LIBRARIES)('#schema-errors a content type with a validator of %s', (_, handler) => {
  test('hands over what the validator makes of the payload', async () => {
    expect(await payloadOf(handler.handle(parse('{"city":"Oslo"}'), context))).toEqual({
      city: 'Oslo',
      hours: 24,
    });
  });

  test('sees plain numbers, whatever their text', async () => {
    expect(await payloadOf(handler.handle(parse('{"city":"Oslo","days":2.0}'), context))).toEqual({
      city: 'Oslo',
      hours: 48,
    });
  });

  test('refuses what does not fit, and quotes nothing of it', async () => {
    const refusal = await refusalOf(() =>
      handler.handle(parse('{"city":"hunter2","days":"hunter2"}'), context),
    );
    expect(refusal.code).toBe('PAYLOAD_INVALID');
    expect(refusal.message).toContain('"/days"');
    expect(refusal.message).not.toContain('hunter2');
    expect(refusal.details).toEqual({});
  });

  test('refuses an integer that a double would change', async () => {
    const payload = parse('{"city":"Oslo","days":9007199254740993}');
    expect((await refusalOf(() => handler.handle(payload, context))).code).toBe('NUMBER_INEXACT');
  });

  test('tells peers an open schema', () => expect(handler.schema).toEqual({}));
});

describe('#schema-own a validator with a JSON Schema beside it', () => {
  test('tells peers that schema', () => {
    const jsonSchema = { type: 'object' };
    const schema = z.object({});
    expect(defineContent({ ct: 'a.v1', schema, jsonSchema, handle: () => null }).schema).toBe(
      jsonSchema,
    );
  });

  test('types its payload', () => {
    defineContent({
      ct: 'a.v1',
      schema: z.object({ when: z.string().transform((text) => text.length) }),
      handle: (payload) => {
        expectTypeOf(payload).toEqualTypeOf<{ when: number }>();
        return payload.when;
      },
    });
  });

  test('may decide asynchronously', async () => {
    const schema = z.object({}).refine(async () => false);
    const handler = defineContent({ ct: 'a.v1', schema, handle: () => null });
    expect((await refusalOf(() => handler.handle({}, context))).code).toBe('PAYLOAD_INVALID');
  });
});

describe('#values-names plain values', () => {
  test('keep every member, and share nothing', () => {
    const value = parse('{"__proto__":{"a":[1.5,null,true]},"constructor":"c"}');
    const plain = toPlainValue(value) as Record<string, unknown>;
    expect(Object.keys(plain)).toEqual(['__proto__', 'constructor']);
    expect(plain).toEqual(value);
    plain['constructor'] = 'changed';
    expect((value as Record<string, unknown>)['constructor']).toBe('c');
  });

  test('round floats, and never integers', () => {
    expect(toPlainValue(parse('0.1000000000000000055511151231257827'))).toBe(0.1);
    expect(toPlainValue(parse('1E2'))).toBe(100);
    expect(codeOf(() => toPlainValue(parse('[-9007199254740993]')))).toBe('NUMBER_INEXACT');
  });
});
