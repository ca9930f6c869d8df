// Owns the two tools that every v1 agent has: `sys.ping` and `math.add`. SPEC.md section 9 (#content-types).

import type { JsonNumber } from '../../codec/decimal.ts';
import { LosslessNumber } from '../../codec/value.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import { exactSum } from './exact-sum.ts';
import type { Tool } from './tool.ts';
import { ToolError, defineTool } from './tool.ts';

const ping = defineTool({
  name: 'sys.ping',
  title: 'Ping',
  description: 'Answers with the time and with what it was given.',
  args: { type: 'object', description: 'anything; it comes back' },
  result: {
    type: 'object',
    properties: {
      pong: { const: true },
      ts_utc: { type: 'string', description: 'the time of the agent, in UTC' },
      echo: { type: 'object', description: 'the arguments' },
    },
    required: ['pong', 'ts_utc', 'echo'],
  },
  run: (args, { now }) => ({
    pong: true,
    ts_utc: formatTimestamp(Math.floor(now() / 1_000) * 1_000),
    echo: args,
  }),
});

const add = defineTool({
  name: 'math.add',
  title: 'Add numbers',
  description: 'Adds numbers, without a rounding error on the way.',
  args: {
    type: 'object',
    properties: { values: { type: 'array', items: { type: 'number' }, minItems: 1 } },
    required: ['values'],
  },
  result: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  run: ({ values }) => ({ sum: toFloat(exactSum(values as unknown as JsonNumber[])) }),
});

export const BUILTIN_TOOLS: readonly Tool[] = [ping, add];

/** JCS writes no whole number between the two, and the answer may be signed over JCS. */
const EXACT_AGAIN_FROM = 1e21;

/** A number whose text has a point or an exponent: v1 peers see a float, whole or not. */
function toFloat(sum: number): JsonNumber {
  if (!Number.isInteger(sum) || Math.abs(sum) >= EXACT_AGAIN_FROM) {
    if (Number.isFinite(sum)) return sum;
    throw new ToolError('the sum is out of range');
  }
  if (Number.isSafeInteger(sum)) return new LosslessNumber(`${sum}.0`);
  throw new ToolError('the sum is too large to be written exactly');
}
