// toolcall.v1: what becomes of a call, and what its caller is told.

import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { writeJcs } from '../../src/codec/canonical-jcs.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import type { Answer, RequestContext } from '../../src/content.ts';
import { SdlError } from '../../src/errors.ts';
import { answer } from '../../src/handlers/answer.ts';
import type { Tool } from '../../src/handlers/tools/tool.ts';
import { ToolError, defineTool } from '../../src/handlers/tools/tool.ts';
import type { ToolFailure } from '../../src/handlers/tools/call.ts';
import { createToolCallHandler } from '../../src/handlers/tools/toolcall.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { INITIAL_STATE, applyState } from '../../src/state/document.ts';
import { rightsOf } from '../support/trust/rights.ts';
import { textOf } from '../support/wire/bytes.ts';
import { EPOCH_MS, alice } from '../support/wire/envelopes.ts';
import {
  answersOf,
  memberOf,
  payloadOf,
  requestContext,
} from '../support/agents/handler-context.ts';

const failures: ToolFailure[] = [];

function call(
  tool: string,
  args: JsonObject,
  context: RequestContext = requestContext(),
  ...tools: Tool[]
): AsyncIterable<Answer> {
  const registry = new ToolRegistry();
  for (const added of tools) registry.add(added);
  failures.length = 0;
  const { handle } = createToolCallHandler({
    tools: registry,
    rights: rightsOf(),
    onFailure: (failure) => failures.push(failure),
  });
  const payload = { tool, call_id: 'call-1', args, expect: {} };
  return handle(payload, context) as AsyncIterable<Answer>;
}

const anyArgs = { type: 'object' } as const;

function toolThat(run: Parameters<typeof defineTool>[0]['run']): Tool {
  return { name: 'made.up', args: anyArgs, run };
}

async function errorOfTool(run: () => JsonValue | Promise<JsonValue>): Promise<JsonValue> {
  const payload = await payloadOf(call('made.up', {}, requestContext(), toolThat(run)));
  expect(payload['ok']).toBe(false);
  // Where v1 peers look.
  expect(payload['logs']).toEqual([memberOf(payload, 'result', 'error', 'message')]);
  return memberOf(payload, 'result', 'error')!;
}

describe('#content-types toolcall.v1', () => {
  test('is answered with the result of the tool and how long it took', async () => {
    let clock = EPOCH_MS;
    const slow = defineTool({
      name: 'made.up',
      args: anyArgs,
      run: (args, { log, callId }) => {
        clock += 250;
        log(`working on ${callId}`);
        return { got: args };
      },
    });
    const context = requestContext({ now: () => clock });
    expect(await payloadOf(call('made.up', { a: 1 }, context, slow))).toEqual({
      call_id: 'call-1',
      ok: true,
      result: { got: { a: 1 } },
      logs: ['working on call-1'],
      metrics: { latency_ms: 250, tool: 'made.up', agent_id: alice.agent_id },
    });
    expect(failures).toEqual([]);
  });

  test('gets a result for a tool that does not exist, as from v1 agents', async () => {
    const payload = await payloadOf(call('no.such.tool', {}));
    expect(payload).toMatchObject({ call_id: 'call-1', ok: false, metrics: { tool: '' } });
    expect(memberOf(payload, 'result', 'error', 'code')).toBe('TOOL_UNKNOWN');
    expect(JSON.stringify(payload)).not.toContain('no.such.tool');
    expect(failures).toMatchObject([{ tool: 'no.such.tool', agentId: alice.agent_id }]);
  });

  test('never runs a tool with arguments that do not fit', async () => {
    let runs = 0;
    const strict = defineTool({
      name: 'made.up',
      args: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
      run: () => (runs += 1),
    });
    const payload = await payloadOf(call('made.up', { size: 'secret' }, requestContext(), strict));
    expect(memberOf(payload, 'result', 'error')).toEqual({
      code: 'SCHEMA_INVALID',
      message: 'the payload does not fit its schema',
      details: {
        reason: 'PAYLOAD_INVALID',
        path: '/args/size',
        keyword: 'type',
        schema_path: '/properties/size/type',
      },
      retryable: false,
    });
    expect(runs).toBe(0);
    await payloadOf(call('made.up', { size: 1 }, requestContext(), strict));
    expect(runs).toBe(1);
  });

  test('gives a tool what its validator makes of the arguments', async () => {
    const typed = defineTool({
      name: 'made.up',
      args: z.object({ count: z.number().int(), unit: z.string().default('m') }),
      run: ({ count, unit }) => `${count * 2} ${unit}`,
    });
    expect(await payloadOf(call('made.up', { count: 21 }, requestContext(), typed))).toMatchObject({
      ok: true,
      result: '42 m',
    });
    const refused = await payloadOf(call('made.up', { count: 'secret' }, requestContext(), typed));
    expect(memberOf(refused, 'result', 'error', 'details')).toEqual({
      reason: 'PAYLOAD_INVALID',
      path: '/args/count',
    });
    expect(JSON.stringify(refused)).not.toContain('secret');
  });

  test('has null as the result of a tool that returns nothing', async () => {
    const silent = toolThat(() => undefined);
    expect(await payloadOf(call('made.up', {}, requestContext(), silent))).toMatchObject({
      ok: true,
      result: null,
    });
  });

  test('keeps a bounded number of log lines, of bounded length', async () => {
    const chatty = defineTool({
      name: 'made.up',
      args: anyArgs,
      run: (_args, { log }) => {
        for (let line = 0; line < 150; line += 1) log('x'.repeat(2_000));
        return null;
      },
    });
    const logs = (await payloadOf(call('made.up', {}, requestContext(), chatty)))['logs'];
    expect(logs).toHaveLength(100);
    expect((logs as string[]).every((line) => line.length === 1_000)).toBe(true);
  });
});

describe('#toolresult-error #schema-errors arguments that a validator refuses', () => {
  /** The place that the caller is told. */
  async function toldPath(args: Tool['args'], given: JsonObject, more = {}): Promise<JsonValue> {
    const tool: Tool = { name: 'made.up', args, run: () => null, ...more };
    const payload = await payloadOf(call('made.up', given, requestContext(), tool));
    return memberOf(payload, 'result', 'error', 'details', 'path')!;
  }

  const zodArgs = z.object({ rows: z.array(z.object({ size: z.number() })) });
  const valibotArgs = v.object({ rows: v.array(v.object({ size: v.number() })) });
  const arktypeArgs = type({ rows: type({ size: 'number' }).array() });

  test.each([
    ['zod', zodArgs],
    ['arktype', arktypeArgs],
  ])('are named in the words of the tool (%s)', async (_library, args) => {
    expect(await toldPath(args, {})).toBe('/args/rows');
    expect(await toldPath(args, { rows: [{ size: 1 }, { size: 'x' }] })).toBe('/args/rows/1/size');
    expect(await toldPath(args, { rows: [{}] })).toBe('/args/rows/0/size');
    const [described] = new ToolRegistry({ builtins: false })
      .add({ name: 'made.up', args, run: () => null })
      .list();
    expect(described!.args).toMatchObject({ properties: { rows: { type: 'array' } } });
  });

  test('have no name where the tool does not publish it, but one that is missing has', async () => {
    expect(await toldPath(valibotArgs, { rows: [{ size: 'x' }] })).toBe('/args/*/0/*');
    expect(await toldPath(valibotArgs, { rows: [{}] })).toBe('/args/*/0/size');
    const jsonSchema = {
      args: { properties: { rows: { items: { properties: { size: {} } } } } },
    };
    expect(await toldPath(valibotArgs, { rows: [{ size: 'x' }] }, { jsonSchema })).toBe(
      '/args/rows/0/size',
    );
  });

  test('are never named in words of the caller’s', async () => {
    const labels = z.object({ labels: z.record(z.string(), z.number()) });
    expect(await toldPath(labels, { labels: { hunter2: 'x' } })).toBe('/args/labels/*');
  });

  test('need no JSON Schema that the library could not write', async () => {
    const dated = z.object({ at: z.date() });
    expect(await toldPath(dated, { at: 'today' })).toBe('/args/*');
  });
});

describe('#toolresult-error #errors-no-data a tool that fails', () => {
  test('tells the words that its author meant for the caller', async () => {
    const error = await errorOfTool(() => {
      throw new ToolError('the printer is out of paper', { code: 'NO_PAPER', retryable: true });
    });
    expect(error).toEqual({
      code: 'NO_PAPER',
      message: 'the printer is out of paper',
      details: {},
      retryable: true,
    });
  });

  test('tells nothing of an accident, which only the log learns', async () => {
    const accident = new Error('password=hunter2');
    const error = await errorOfTool(() => Promise.reject(accident));
    expect(error).toMatchObject({ code: 'INTERNAL', message: 'internal error' });
    expect(JSON.stringify(error)).not.toContain('hunter2');
    expect(failures).toMatchObject([{ tool: 'made.up', callId: 'call-1', error: accident }]);
  });

  test('tells the fixed words of an error of ours', async () => {
    const error = await errorOfTool(() => {
      throw new SdlError('LIMIT_RATE', 'hunter2 asked too often');
    });
    expect(error).toMatchObject({ message: 'too many requests; try again later', retryable: true });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  test('is opaque where security refused', async () => {
    const error = await errorOfTool(() => {
      throw new SdlError('NOT_AUTHORIZED', 'no', { details: { why: 'hunter2' } });
    });
    expect(error).toMatchObject({ code: 'SECURITY_UNSUPPORTED', details: {} });
  });

  test('fails when its result is not what it promised', async () => {
    const liar = defineTool({
      name: 'made.up',
      args: anyArgs,
      result: { type: 'string' },
      run: () => 42,
    });
    const payload = await payloadOf(call('made.up', {}, requestContext(), liar));
    expect(payload['ok']).toBe(false);
    expect(failures).toHaveLength(1);
  });

  test('can only have codes that programs can match on', () => {
    expect(() => new ToolError('no', { code: 'not a code' })).toThrow(/"code"/);
  });
});

describe('#exchange a tool that streams', () => {
  const steps = defineTool({
    name: 'made.up',
    args: anyArgs,
    async *run() {
      yield 'one';
      yield { done: 0.5 };
      return 'result';
    },
  });

  test('sends what it yields as steps of one state document, and what it returns as the result', async () => {
    const context = requestContext({ wantsStream: true });
    const answers = await answersOf(call('made.up', {}, context, steps));
    expect(answers.map(({ ct }) => ct)).toEqual(['state.v1', 'state.v1', 'toolresult.v1']);
    let document = INITIAL_STATE;
    const seen = answers.slice(0, -1).map(({ payload }) => {
      document = applyState(document, payload);
      return memberOf(document.value, 'progress');
    });
    expect(seen).toEqual(['one', { done: 0.5 }]);
    expect(memberOf(document.value, 'call_id')).toBe('call-1');
    expect(answers.at(-1)!.payload).toMatchObject({ ok: true, result: 'result' });
  });

  test('gives the last value as the result where nothing is returned', async () => {
    const yielding = toolThat(async function* run() {
      yield 'early';
      yield 'late';
    });
    expect(await payloadOf(call('made.up', {}, requestContext(), yielding))).toMatchObject({
      ok: true,
      result: 'late',
    });
  });

  test('sends no events to a caller that takes none', async () => {
    expect(await answersOf(call('made.up', {}, requestContext(), steps))).toHaveLength(1);
  });

  test('sends explicit answers as they are', async () => {
    const watching = toolThat(async function* run() {
      yield answer('artifact.v1', { items: [], refs: [] }, 7);
      return answer('state.v1', { base: 'b', patch: [] }, 8);
    });
    const context = requestContext({ wantsStream: true });
    expect(await answersOf(call('made.up', {}, context, watching))).toEqual([
      { ct: 'artifact.v1', payload: { items: [], refs: [] }, generation: 7, isEvent: true },
      { ct: 'state.v1', payload: { base: 'b', patch: [] }, generation: 8 },
    ]);
  });

  test('is closed when nobody reads on', async () => {
    let isClosed = false;
    const endless = toolThat(async function* run() {
      try {
        for (let step = 0; ; step += 1) yield step;
      } finally {
        isClosed = true;
      }
    });
    const context = requestContext({ wantsStream: true });
    for await (const event of call('made.up', {}, context, endless)) {
      if (memberOf(applyState(INITIAL_STATE, event.payload).value, 'progress') === 0) break;
    }
    expect(isClosed).toBe(true);
  });

  test('that fails midway still ends with a result', async () => {
    const failing = toolThat(async function* run() {
      yield 'begun';
      throw new ToolError('the wire was cut');
    });
    const context = requestContext({ wantsStream: true });
    const answers = await answersOf(call('made.up', {}, context, failing));
    expect(answers.map(({ ct }) => ct)).toEqual(['state.v1', 'toolresult.v1']);
    expect(answers[1]!.payload).toMatchObject({
      ok: false,
      result: { error: { code: 'TOOL_FAILED', message: 'the wire was cut' } },
    });
  });
});

describe('#exchange a call that nobody waits for any more', () => {
  test('ends although the tool goes on', async () => {
    const controller = new AbortController();
    const stuck = toolThat(() => {
      controller.abort();
      return new Promise<never>(() => undefined);
    });
    const context = requestContext({ signal: controller.signal });
    const payload = await payloadOf(call('made.up', {}, context, stuck));
    expect(memberOf(payload, 'result', 'error', 'details', 'reason')).toBe('DEADLINE');
  });

  test('ends with the reason that it was given', async () => {
    const reason = new SdlError('DRAINING', 'stopping');
    const never = toolThat(() => {
      throw new Error('it ran');
    });
    const context = requestContext({ signal: AbortSignal.abort(reason) });
    const payload = await payloadOf(call('made.up', {}, context, never));
    expect(memberOf(payload, 'result', 'error', 'details', 'reason')).toBe('DRAINING');
  });

  test('ends a stream that is stuck, and the tool learns of it', async () => {
    const controller = new AbortController();
    let sawAbort = false;
    const stuck = defineTool({
      name: 'made.up',
      args: anyArgs,
      async *run(_args, { signal }) {
        signal.addEventListener('abort', () => (sawAbort = true));
        yield 'begun';
        await new Promise<never>(() => undefined);
      },
    });
    const context = requestContext({ signal: controller.signal, wantsStream: true });
    const answers: Answer[] = [];
    for await (const part of call('made.up', {}, context, stuck)) {
      answers.push(part);
      controller.abort();
    }
    expect(answers.map(({ ct }) => ct)).toEqual(['state.v1', 'toolresult.v1']);
    expect(sawAbort).toBe(true);
  });
});

describe('#values-numbers the sum of math.add', () => {
  test('is signed as any other number', async () => {
    const { result } = await payloadOf(call('math.add', { values: [1, 2, 3] }));
    expect(textOf(writeJcs(result!))).toBe('{"sum":6}');
  });

  test('is refused where no form could write it exactly', async () => {
    const payload = await payloadOf(call('math.add', { values: [9_007_199_254_740_991, 1] }));
    expect(memberOf(payload, 'result', 'error', 'code')).toBe('TOOL_FAILED');
  });
});
