// Proves that a task uses only the tools that its sender could call itself, in the way of `toolcall.v1`.

import { describe, expect, test } from 'vitest';
import type { Ceiling } from '../../../src/door/rights.ts';
import { answer } from '../../../src/handlers/answer.ts';
import { createToolsFor } from '../../../src/handlers/task/tools.ts';
import { ToolRegistry } from '../../../src/handlers/tools/registry.ts';
import type { ToolContext } from '../../../src/handlers/tools/tool.ts';
import { ToolError } from '../../../src/handlers/tools/tool.ts';
import { issueGrant } from '../../../src/security/policy/grant.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import type { ToolBox } from '../../../src/tasks/context.ts';
import { NOW, crypto, entryFor } from '../../support/agents/agents.ts';
import type { ContextParts } from '../../support/agents/handler-context.ts';
import { documentIn, payloadWith, taskFace } from '../../support/agents/task-face.ts';
import { Gate } from '../../support/agents/time.ts';
import { makePeer } from '../../support/trust/peers.ts';
import { rightsOf } from '../../support/trust/rights.ts';
import { alice, bob as self } from '../../support/wire/envelopes.ts';
import { forge, judge, newScene } from '../../support/wire/forge.ts';

const { signal } = new AbortController();
const args = { type: 'object', required: ['n'] } as const;
let seen: ToolContext | undefined;

function newTools(): ToolRegistry {
  const tools = new ToolRegistry();
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
  tools.add({
    name: 'looks',
    args: {},
    run: (_args, context) => {
      seen = context;
      return null;
    },
  });
  return tools;
}

async function call(name: string, parts: ContextParts = {}) {
  const entries = parts.peer === undefined ? [] : [parts.peer];
  const face = taskFace(async (_task, ctx) => ctx.tools.call(name, {}), {
    tools: newTools(),
    rights: rightsOf(entries),
  });
  return documentIn((await face.give(payloadWith('t'), parts)).at(-1)!);
}

/** The tools of a task of alice, a clock, and her entry, which may change. */
function box(peer: Peer, ceiling?: Ceiling) {
  const clock = { now: 0 };
  const entries = new Map([[alice.agent_id, peer]]);
  const toolsFor = createToolsFor({
    tools: newTools(),
    rights: rightsOf(entries),
    agentId: self.agent_id,
    now: () => clock.now,
  });
  const principal = { id: alice.agent_id, tenant: '', scheme: 'sdl' };
  const tools: ToolBox = toolsFor({ principal, face: 'sdl', ...(ceiling && { ceiling }) });
  return { tools, clock, entries };
}

describe('#grant tools of a task', () => {
  test('a result comes back', async () => {
    expect(await call('steps')).toMatchObject({ artifacts: [{ text: 'last' }] });
  });

  test('a peer that may not call a tool cannot have a task call it', async () => {
    const peer = makePeer(alice.agent_id, { tools: ['steps'] });
    const { tools } = box(peer);
    expect(tools.list()).toEqual(['steps']);
    expect(tools.has('sys.ping')).toBe(false);
    expect(await call('sys.ping', { peer })).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
    expect(await call('nothing', { peer })).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
    expect(await call('steps', { peer })).toMatchObject({ status: 'completed' });
  });

  test('a peer that may not call tools at all has none', () => {
    const { tools } = box(makePeer(alice.agent_id, { contentTypes: ['task.v1'] }));
    expect(tools.list()).toEqual([]);
  });

  test('what is taken away or narrowed counts at the next look and the next call', async () => {
    const { tools, entries } = box(makePeer(alice.agent_id));
    expect(tools.has('steps')).toBe(true);
    entries.set(alice.agent_id, makePeer(alice.agent_id, { tools: ['sys.ping'] }));
    expect(tools.list()).toEqual(['sys.ping']);
    entries.set(alice.agent_id, { ...makePeer(alice.agent_id), revoked: true });
    expect(tools.list()).toEqual([]);
    const calling = tools.call('sys.ping', {}, signal);
    await expect(calling).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  });

  test('a grant opens what it names, until it ends; scopes of a token only narrow', async () => {
    const peer = makePeer(alice.agent_id, { contentTypes: ['task.v1'] });
    const allow = { ct: ['toolcall.v1'], tools: ['steps'] };
    const { tools, clock } = box(peer, { allow, notAfterMs: 1_000, isGrant: true });
    clock.now = 1_000;
    expect(tools.list()).toEqual(['steps']);
    clock.now += 1;
    expect(tools.list()).toEqual([]);
    const calling = tools.call('steps', {}, signal);
    await expect(calling).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    const narrowed = box(makePeer(alice.agent_id), { allow, notAfterMs: 1_000 });
    expect(narrowed.tools.list()).toEqual(['steps']);
    expect(box(peer, { allow, notAfterMs: 1_000 }).tools.list()).toEqual([]);
  });

  test('a tool is told who calls, and of no message: there may be none', async () => {
    await box(makePeer(alice.agent_id)).tools.call('looks', {}, signal);
    expect(seen).toMatchObject({ agentId: self.agent_id, wantsStream: false });
    expect(seen!.call).toMatchObject({ principal: { id: alice.agent_id }, face: 'sdl', signal });
    expect([seen!.request, seen!.peer, seen!.mode, seen!.keyThumbprint]).toEqual(
      Array(4).fill(undefined),
    );
  });

  test('through the checks it ends with the grant too, in the middle of the task', async () => {
    const [held, gate] = [new Gate(), new Gate()];
    const had: boolean[] = [];
    const { bob, mallory } = await newScene({
      onTask: async (_task, ctx) => {
        had.push(ctx.tools.has('sys.ping'));
        held.open();
        await gate.opened;
        had.push(ctx.tools.has('sys.ping'));
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
    // All that the sender may do here came with the grant, and has ended with it.
    expect((await judging).code).toBe('NOT_AUTHORIZED');
    expect(had).toEqual([true, false]);
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
