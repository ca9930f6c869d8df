// tool.list: what callers are told of the tools that they may call.

import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { JsonObject } from '../../src/codec/value.ts';
import type { Answer, RequestContext } from '../../src/content.ts';
import type { TaskService } from '../../src/door/service.ts';
import type { Tool } from '../../src/handlers/tools/tool.ts';
import { defineTool } from '../../src/handlers/tools/tool.ts';
import { createToolCallHandler } from '../../src/handlers/tools/toolcall.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { createTaskTools } from '../../src/handlers/task/operations.ts';
import { contentHash } from '../../src/schema/content-hash.ts';
import { compileTrusted } from '../../src/schema/trusted-schema.ts';
import type { ContextParts } from '../support/agents/handler-context.ts';
import { memberOf, payloadOf, requestContext } from '../support/agents/handler-context.ts';
import { makePeer } from '../support/trust/peers.ts';
import { rightsOf } from '../support/trust/rights.ts';
import { EPOCH_MS, alice } from '../support/wire/envelopes.ts';

async function call(
  name: string,
  args: JsonObject,
  tools: readonly Tool[],
  context: RequestContext = requestContext(),
): Promise<JsonObject> {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.add(tool);
  const { handle } = createToolCallHandler({ tools: registry, rights: rightsOf([context.peer]) });
  const payload = { tool: name, call_id: 'c', args, expect: {} };
  return payloadOf(handle(payload, context) as AsyncIterable<Answer>);
}

async function list(tools: readonly Tool[], context?: RequestContext): Promise<JsonObject[]> {
  const payload = await call('tool.list', {}, tools, context);
  expect(payload['ok']).toBe(true);
  return memberOf(payload, 'result', 'tools') as unknown as JsonObject[];
}

async function described(tool: Tool): Promise<JsonObject> {
  return (await list([tool])).find(({ name }) => name === tool.name)!;
}

const bare = { name: 'made.up', run: () => null } as const;

describe('#tool-list', () => {
  test('tells name, title, description, schemas and the hash of all that', async () => {
    const args = { type: 'object', properties: { n: { type: 'number', maximum: 1.5 } } } as const;
    const tool = defineTool({
      ...bare,
      title: 'Do',
      description: 'Does nothing.',
      args,
      result: { type: 'null' },
    });
    const { hash, ...rest } = await described(tool);
    expect(rest).toEqual({
      name: 'made.up',
      title: 'Do',
      description: 'Does nothing.',
      args,
      result: { type: 'null' },
    });
    expect(hash).toBe(contentHash(rest));
    const other = await described({ ...tool, description: 'Does something.' });
    expect(other['hash']).not.toBe(hash);
  });

  test('is sorted by name, and has each tool that is there when it is called', async () => {
    const registry = new ToolRegistry();
    registry.add({ ...bare, name: 'z.late', args: true });
    const { handle } = createToolCallHandler({ tools: registry, rights: rightsOf() });
    registry.add({ ...bare, name: 'a.later', args: true });
    const payload = { tool: 'tool.list', call_id: 'c', args: {}, expect: {} };
    const told = await payloadOf(handle(payload, requestContext()) as AsyncIterable<Answer>);
    const tools = memberOf(told, 'result', 'tools') as unknown as JsonObject[];
    expect(tools.map(({ name }) => name)).toEqual([
      'a.later',
      'math.add',
      'sys.ping',
      'tool.list',
      'z.late',
    ]);
  });

  test('has only what the entry of the peer, or a grant in force, lets the caller call', async () => {
    const names = async (parts: ContextParts): Promise<unknown[]> =>
      (await list([], requestContext(parts))).map(({ name }) => name);
    const peer = makePeer(alice.agent_id, { tools: ['tool.list', 'math.add'] });
    expect(await names({ peer })).toEqual(['math.add', 'tool.list']);
    const nobody = makePeer(alice.agent_id, { tools: [] });
    const allow = { ct: ['toolcall.v1'], tools: ['sys.ping', 'tool.list'] };
    const granted = { allow, notAfterMs: EPOCH_MS };
    expect(await names({ peer: nobody, granted })).toEqual(['sys.ping', 'tool.list']);
  });

  test('is not for who may not call it, or not any more', async () => {
    const allow = { ct: ['toolcall.v1'], tools: ['tool.list'] };
    const nobody = makePeer(alice.agent_id, { tools: [] });
    const mute = makePeer(alice.agent_id, { contentTypes: ['task.v1'] });
    for (const parts of [
      { peer: nobody },
      { peer: nobody, granted: { allow, notAfterMs: 0 } },
      { peer: mute },
      { peer: { ...makePeer(alice.agent_id), revoked: true } },
    ]) {
      const refused = await call('tool.list', {}, [], requestContext(parts));
      expect(refused).toMatchObject({
        ok: false,
        result: { error: { code: 'SECURITY_UNSUPPORTED' } },
      });
    }
  });

  test.each([
    ['zod', z.object({ size: z.number() })],
    ['arktype', type({ size: 'number' })],
  ])('has the JSON Schema that the validator writes itself (%s)', async (_library, validator) => {
    const { args, result } = await described({ ...bare, args: validator, result: validator });
    expect(args).toMatchObject({ properties: { size: { type: 'number' } }, required: ['size'] });
    expect(result).toEqual(args);
  });

  test('has true for a validator that writes none, or what the author tells instead', async () => {
    const validator = v.object({ size: v.number() });
    const tool = { ...bare, args: validator, result: validator };
    expect(await described(tool)).toMatchObject({ args: true, result: true });
    const jsonSchema = { args: { type: 'object' }, result: { type: 'string' } };
    expect(await described({ ...tool, jsonSchema })).toMatchObject(jsonSchema);
    expect(await described({ ...bare, args: z.object({ at: z.date() }) })).toMatchObject({
      args: true,
      result: true,
    });
  });

  test('of an agent says of every built-in tool what it is for, takes and gives', async () => {
    const tools = await list(createTaskTools({} as TaskService));
    expect(tools.map(({ name }) => name)).toEqual([
      'math.add',
      'sys.ping',
      'task.cancel',
      'task.get',
      'task.list',
      'task.reply',
      'task.send',
      'task.watch',
      'tool.list',
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.stringMatching(/^[A-Z]/),
        description: expect.stringMatching(/\.$/),
        args: { type: 'object' },
        result: { type: 'object' },
      });
      compileTrusted(tool['args'] as JsonObject);
    }
  });
});

describe('#tool-list what an author may say of a tool', () => {
  test('a result goes out as it was given, if its validator takes it', async () => {
    const result = z.object({ n: z.coerce.number() });
    const good = defineTool({ ...bare, args: true, result, run: () => ({ n: '7' }) });
    expect(await call('made.up', {}, [good])).toMatchObject({ ok: true, result: { n: '7' } });
    const bad = defineTool({ ...bare, args: true, result, run: () => ({ n: 'x' }) });
    expect(await call('made.up', {}, [bad])).toMatchObject({
      ok: false,
      result: { error: { code: 'INTERNAL' } },
    });
  });

  test.each<[object, RegExp]>([
    [{ title: 1 }, /"title" expected text/],
    [{ description: {} }, /"description" expected text/],
    [{ jsonSchema: { args: 'string' } }, /"jsonSchema.args" expected a JSON Schema/],
    [{ argsJsonSchema: {} }, /"argsJsonSchema" is now "jsonSchema"/],
  ])('%j is refused', (more, words) => {
    expect(() => new ToolRegistry().add({ ...bare, args: true, ...more })).toThrow(words);
  });
});
