// Proves that a task uses only the tools that its sender could call itself, in the way of `toolcall.v1`.

import { describe, expect, test } from 'vitest';
import { createTaskHandler } from '../../src/handlers/task/handler.ts';
import { createToolsFor } from '../../src/handlers/task/tools.ts';
import { ToolError } from '../../src/handlers/tools/tool.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { answer } from '../../src/handlers/answer.ts';
import type { RequestContext } from '../../src/content.ts';
import { issueGrant } from '../../src/security/policy/grant.ts';
import { NOW, crypto, entryFor } from '../support/agents/agents.ts';
import { alice } from '../support/wire/envelopes.ts';
import { forge, judge, newScene } from '../support/wire/forge.ts';
import { makePeer } from '../support/trust/peers.ts';
import {
  Gate,
  answersOf,
  contextWith,
  documentIn,
  payloadWith,
  testEngine,
} from '../support/agents/tasks.ts';

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

  test('a grant opens what it names, until it ends', async () => {
    const peer = makePeer(alice.agent_id, { contentTypes: ['task.v1'] });
    const granted = { ct: ['toolcall.v1'], tools: ['steps'], notAfterMs: 1_000 };
    let nowMs = 1_000;
    const context = contextWith({ peer, granted, now: () => nowMs });
    const box = toolsFor(context);
    expect(box.list()).toEqual(['steps']);
    nowMs += 1;
    expect(box.list()).toEqual([]);
    expect(await call('steps', context)).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
  });

  test('through the checks it ends with the grant too, in the middle of the task', async () => {
    const [held, gate] = [new Gate(), new Gate()];
    const seen: boolean[] = [];
    const { bob, mallory } = await newScene({
      onTask: async (_task, ctx) => {
        seen.push(ctx.tools.has('sys.ping'));
        held.open();
        await gate.opened;
        seen.push(ctx.tools.has('sys.ping'));
      },
    });
    bob.book.add(entryFor(mallory, { contentTypes: [] }));
    const grant = await issueGrant(
      {
        id: 'g',
        iss: bob.identity.agentId,
        sub: mallory.agentId,
        aud: bob.identity.agentId,
        allow: { ct: ['task.v1', 'toolcall.v1'], tools: ['sys.ping'] },
        maxHops: 0,
        notAfterMs: NOW + 1_000,
      },
      bob.identity.root.reveal(),
      crypto,
    );
    const judging = judge(
      bob,
      await forge(mallory, bob, { payload: payloadWith('t', { authz: { grant } }) }),
    );
    await held.opened;
    bob.clock.nowMs += 1_001;
    gate.open();
    expect((await judging).code).toBeUndefined();
    expect(seen).toEqual([true, false]);
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
