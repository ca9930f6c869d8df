// Proves that only whom the embedder named may look after the tasks of others, and only when it signs.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import type { RequestContext } from '../../src/content.ts';
import { createTaskTools } from '../../src/handlers/task/operations.ts';
import { createToolCallHandler } from '../../src/handlers/tools/toolcall.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import type { TaskEngine } from '../../src/tasks/engine/engine.ts';
import { alice, bob } from '../support/wire/envelopes.ts';
import { makePeer } from '../support/trust/peers.ts';
import { answersOf, contextWith, start, testEngine } from '../support/agents/tasks.ts';

const ADMIN = 'did:key:admin';
const asAdmin = contextWith({ peer: makePeer(ADMIN), keyThumbprint: 'k' });
const asBob = contextWith({ peer: makePeer(bob.agent_id), keyThumbprint: 'k' });
const unsigned = contextWith({ peer: makePeer(ADMIN) });

type Call = (tool: string, args: JsonObject, context: RequestContext) => Promise<JsonObject>;

function toolsFor(admins: readonly string[]): {
  readonly engine: TaskEngine;
  readonly call: Call;
} {
  const { engine } = testEngine(async (_task, ctx) => ctx.ask('?'));
  const tools = new ToolRegistry();
  for (const tool of createTaskTools(engine, { admins })) tools.add(tool);
  const handler = createToolCallHandler({ tools });
  const call: Call = async (tool, args, context) => {
    const payload = { tool, call_id: 'c', args, expect: {} };
    return (await answersOf(handler, payload, context)).at(-1)!.payload['result'] as JsonObject;
  };
  return { engine, call };
}

const CALLS: readonly (readonly [string, JsonObject])[] = [
  ['task.get', { id: 't' }],
  ['task.list', {}],
  ['task.watch', { id: 't' }],
  ['task.reply', { id: 't', reply: 'yes' }],
  ['task.cancel', { id: 't' }],
];

describe('#task-ids tasks of others', () => {
  test.each(CALLS)(
    '%s is for an administrator that signs, and for nobody else',
    async (tool, args) => {
      const { engine, call } = toolsFor([ADMIN]);
      const { events } = await start(engine, { id: 't' });
      for await (const event of events(0)) {
        if (event.type === 'status' && event.state === 'input-required') break;
      }
      const others = { ...args, owner: alice.agent_id };
      for (const context of [asBob, unsigned]) {
        const refused = (await call(tool, others, context))['error'];
        expect(refused).toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
      }
      expect((await engine.get(alice.agent_id, 't'))!.state).toBe('input-required');
      expect(await call(tool, others, asAdmin)).not.toHaveProperty('error');
    },
  );

  test('nobody is an administrator unless somebody was named', async () => {
    const { call } = toolsFor([]);
    expect(await call('task.list', { owner: '*' }, asAdmin)).toHaveProperty('error');
    const own = { owner: ADMIN };
    expect(await call('task.list', own, asAdmin)).toEqual({ tasks: [] });
  });

  test('an administrator lists those of everybody, by state', async () => {
    const { engine, call } = toolsFor([ADMIN]);
    await start(engine, { id: 'a', owner: alice.agent_id });
    await start(engine, { id: 'b', owner: bob.agent_id });
    await engine.cancel(bob.agent_id, 'b');
    const owners = async (args: JsonObject): Promise<unknown[]> => {
      const { tasks } = await call('task.list', { owner: '*', ...args }, asAdmin);
      return (tasks as readonly JsonObject[]).map(({ owner, id }) => [owner, id]);
    };
    expect(await owners({})).toEqual([
      [bob.agent_id, 'b'],
      [alice.agent_id, 'a'],
    ]);
    expect(await owners({ state: 'canceled' })).toEqual([[bob.agent_id, 'b']]);
    expect(await call('task.list', {}, asAdmin)).toEqual({ tasks: [] });
  });
});
