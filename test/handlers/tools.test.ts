// The registry of tools, and the two tools that every agent has.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { ToolContext } from '../../src/handlers/tools/tool.ts';
import { defineTool } from '../../src/handlers/tools/tool.ts';
import { exactSum } from '../../src/handlers/tools/exact-sum.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { codeOf, parse, textOf } from '../support/wire/bytes.ts';
import { requestContext } from '../support/agents/handler-context.ts';

const context: ToolContext = {
  ...requestContext(),
  callId: 'c',
  log: () => undefined,
  mayCall: () => true,
};

function run(name: string, args: string): string {
  const tool = new ToolRegistry().find(name)!;
  const given = tool.parseArgs(parse(args) as JsonObject);
  return textOf(writeJson(tool.run(given, context) as JsonObject));
}

describe('#content-types the built-in tools', () => {
  test('sys.ping tells the time and gives back what it got, unchanged', () => {
    expect(run('sys.ping', '{"n":1.0,"big":123456789012345678901}')).toBe(
      '{"pong":true,"ts_utc":"2026-01-01T00:00:00Z","echo":{"n":1.0,"big":123456789012345678901}}',
    );
  });

  test.each([
    ['[1,2,3]', '6.0'],
    ['[1.5,2.5]', '4.0'],
    ['[0.1,0.2]', '0.3'],
    ['[1e-7]', '1e-7'],
    ['[-1,1]', '0.0'],
    ['[1.0]', '1.0'],
    ['[-0.0]', '0.0'],
    ['[0e999999999,1]', '1.0'],
    ['[1e300,1,-1e300]', '1.0'],
    ['[123456789012345678901,-123456789012345678900]', '1.0'],
    ['[5e20,5e20]', '1e+21'],
  ])('math.add gives the sum of %s as the float %s', (values, sum) => {
    expect(run('math.add', `{"values":${values}}`)).toBe(`{"sum":${sum}}`);
  });

  test.each(['{}', '{"values":[]}', '{"values":["1"]}', '{"values":[true]}', '{"values":1}'])(
    'math.add refuses %s',
    (args) => expect(codeOf(() => run('math.add', args))).toBe('PAYLOAD_INVALID'),
  );

  test('math.add has no infinite sum', () => {
    expect(() => run('math.add', '{"values":[1.7e308,1.7e308]}')).toThrow('out of range');
  });

  test('are left out on request', () => {
    expect(new ToolRegistry().names()).toEqual(['math.add', 'sys.ping', 'tool.list']);
    expect(new ToolRegistry({ builtins: false }).names()).toEqual([]);
  });
});

describe('#values-numbers an exact sum', () => {
  test('of hundredths is what whole numbers say', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { maxLength: 50 }), (cents) => {
        const values = cents.map((cent) => {
          const digits = String(Math.abs(cent)).padStart(3, '0');
          const sign = cent < 0 ? '-' : '';
          return new LosslessNumber(`${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`);
        });
        const total = cents.reduce((sum, cent) => sum + cent, 0);
        expect(exactSum(values)).toBe(total === 0 ? 0 : total / 100);
      }),
    );
  });

  test('does not depend on the order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (values) => {
        expect(exactSum(values)).toBe(exactSum(values.toReversed()));
      }),
    );
  });
});

describe('#schema-work the registry of tools', () => {
  const tool = defineTool({ name: 'x.y', args: { type: 'object' }, run: () => null });

  test('has one tool a name', () => {
    const tools = new ToolRegistry().add(tool);
    expect(() => tools.add(tool)).toThrow('the tool "x.y" is registered already');
    expect(tools.find('x.y')?.name).toBe('x.y');
    expect(tools.find('toString')).toBeUndefined();
  });

  test.each(['', '*', 'with space', 'a'.repeat(129), 'ü'])('refuses the name "%s"', (name) => {
    expect(() => new ToolRegistry().add({ ...tool, name })).toThrow(/"name"/);
  });

  test('refuses what is no tool', () => {
    const tools = new ToolRegistry();
    expect(() => tools.add({ ...tool, run: 1 as never })).toThrow(/"run"/);
    expect(() => tools.add({ ...tool, args: 'string' as never })).toThrow(/"args"/);
    expect(() => tools.add({ ...tool, result: null as never })).toThrow(/"result"/);
    expect(codeOf(() => tools.add({ ...tool, args: { type: 'nothing' } }))).toBe(
      'SCHEMA_UNSUPPORTED',
    );
  });

  test('tells what tools take and give, without what runs them', () => {
    const tools = new ToolRegistry({ builtins: false })
      .add({ ...tool, description: 'Does nothing.', result: { type: 'null' } })
      .add(defineTool({ name: 'a.b', args: z.object({}), run: () => null }));
    expect(tools.list()).toMatchObject([
      {
        name: 'a.b',
        args: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: {},
        },
        result: true,
      },
      {
        name: 'x.y',
        description: 'Does nothing.',
        args: { type: 'object' },
        result: { type: 'null' },
      },
    ]);
  });

  test('keeps its own copy of a schema', () => {
    const args = { type: 'object', maxProperties: 0 };
    const tools = new ToolRegistry().add({ ...tool, args });
    args.maxProperties = 9;
    expect(codeOf(() => tools.find('x.y')!.parseArgs({ a: 1 }))).toBe('PAYLOAD_INVALID');
    expect(tools.find('x.y')!.description.args).toEqual({ type: 'object', maxProperties: 0 });
  });
});
