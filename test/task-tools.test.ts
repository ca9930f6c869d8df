// Proves that a task uses only the tools that its sender could call itself, in the way of `toolcall.v1`.

import { describe, expect, test } from 'vitest';
import { createTaskHandler } from '../src/handlers/task.ts';
import { createToolsFor } from '../src/handlers/task-tools.ts';
import { ToolError } from '../src/handlers/tool.ts';
import { ToolRegistry } from '../src/handlers/tools.ts';
import { answer } from '../src/handlers/answer.ts';
import type { RequestContext } from '../src/content.ts';
import { alice } from './support/envelopes.ts';
import { makePeer } from './support/peers.ts';
import { answersOf, contextWith, documentIn, payloadWith, testEngine } from './support/tasks.ts';

const tools = new ToolRegistry();
const args = { type: 'object', required: ['n'] } as const;
tools.add({
  name: 'fails',
  args: {},
  run: () => Promise.reject(new ToolError('no luck', { code: 'LUCK' })),
});
tools.add({ name: 'breaks', args: {}, run: () => Promise.reject(new Error('secret')) });
tools.add({ name: 'picky', args, run: () => 'fine' });
tools.add({ name: 'odd', args: {}, run: () => answer('weather.v1', {}) });
tools.add({
  name: 'steps',
  args: {},
  async *run() {
    yield 'first';
    yield 'last';
  },
});

const toolsFor = createToolsFor({ tools });

async function call(name: string, context: RequestContext = contextWith()) {
  const { engine } = testEngine(async (_task, ctx) => ctx.tools.call(name, {}));
  const handler = createTaskHandler({ engine, toolsFor });
  return documentIn((await answersOf(handler, payloadWith(), context)).at(-1)!);
}

function restrictedTo(...names: string[]): RequestContext {
  return contextWith({ peer: makePeer(alice.agent_id, { tools: names }) });
}

describe('#grant tools of a task', () => {
  test('a result comes back', async () => {
    expect(await call('steps')).toMatchObject({ artifacts: [{ text: 'last' }] });
  });

  test('a peer that may not call a tool cannot have a task call it', async () => {
    const context = restrictedTo('steps');
    expect(toolsFor(context).list()).toEqual(['steps']);
    expect(toolsFor(context).has('sys.ping')).toBe(false);
    expect(await call('sys.ping', context)).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
    expect(await call('nothing', context)).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
    expect(await call('steps', context)).toMatchObject({ status: 'completed' });
  });

  test('a peer that may not call tools at all has none', () => {
    const peer = makePeer(alice.agent_id, { contentTypes: ['task.v1'] });
    expect(toolsFor(contextWith({ peer })).list()).toEqual([]);
  });

  test('a grant opens what it names', () => {
    const peer = makePeer(alice.agent_id, { contentTypes: ['task.v1'] });
    const granted = { ct: ['toolcall.v1'], tools: ['steps'] };
    expect(toolsFor(contextWith({ peer, granted })).list()).toEqual(['steps']);
  });

  test.each([
    ['fails', { code: 'LUCK', message: 'no luck' }],
    ['breaks', { code: 'INTERNAL', message: 'internal error' }],
    ['picky', { code: 'SCHEMA_INVALID', message: 'the payload does not fit its schema' }],
    ['odd', { code: 'TOOL_FAILED' }],
  ])('the tool that %s fails the task in safe words', async (name, error) => {
    expect(await call(name)).toMatchObject({ status: 'failed', error });
  });
});
