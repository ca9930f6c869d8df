// Proves that only whom the embedder named may look after the tasks of others, and only when it signs.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import { payloadWith, taskFace } from '../../support/agents/task-face.ts';
import type { TaskFace } from '../../support/agents/task-face.ts';
import { makePeer } from '../../support/trust/peers.ts';
import { rightsOf } from '../../support/trust/rights.ts';
import { alice, bob } from '../../support/wire/envelopes.ts';

const ADMIN = 'did:key:admin';
const asAdmin = { peer: makePeer(ADMIN) };
const asBob = { peer: makePeer(bob.agent_id) };
const unsigned = { peer: makePeer(ADMIN), keyThumbprint: undefined as unknown as string };

function faceWith(admins: readonly string[]): TaskFace {
  const entries = [ADMIN, alice.agent_id, bob.agent_id].map((id) => makePeer(id));
  return taskFace(async (_task, ctx) => (await ctx.ask('?')).text, {
    rights: rightsOf(entries, admins),
  });
}

const CALLS: readonly (readonly [string, JsonObject])[] = [
  ['task.get', { id: 't' }],
  ['task.list', {}],
  ['task.watch', { id: 't' }],
  ['task.reply', { id: 't', reply: 'yes' }],
  ['task.send', { id: 't', message: { parts: [{ text: 'yes' }] } }],
  ['task.cancel', { id: 't' }],
];

describe('#task-ids tasks of others', () => {
  test.each(CALLS)(
    '%s is for an administrator that signs, and for nobody else',
    async (tool, args) => {
      const { give, call, get } = faceWith([ADMIN]);
      await give(payloadWith('t'));
      const others = { ...args, owner: alice.agent_id };
      for (const context of [asBob, unsigned]) {
        const { result } = await call(tool, others, context);
        expect(result['error']).toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
      }
      expect((await get('t'))!.status.state).toBe('input-required');
      expect((await call(tool, others, asAdmin)).result).not.toHaveProperty('error');
    },
  );

  test('nobody is an administrator unless somebody was named', async () => {
    const { call } = faceWith([]);
    expect((await call('task.list', { owner: '*' }, asAdmin)).result).toHaveProperty('error');
    const own = { owner: ADMIN };
    expect((await call('task.list', own, asAdmin)).result).toEqual({ tasks: [], total: 0 });
  });

  test('an administrator lists those of everybody, by state', async () => {
    const { give, call, time } = faceWith([ADMIN]);
    await give(payloadWith('a'));
    time.pass(1);
    await give(payloadWith('b'), asBob);
    await call('task.cancel', { id: 'b' }, asBob);
    const owners = async (args: JsonObject): Promise<unknown[]> => {
      const { result } = await call('task.list', { owner: '*', ...args }, asAdmin);
      const tasks = result['tasks'] as readonly JsonObject[];
      return tasks.map(({ owner, id }) => [owner, id]);
    };
    expect(await owners({})).toEqual([
      [bob.agent_id, 'b'],
      [alice.agent_id, 'a'],
    ]);
    expect(await owners({ state: 'canceled' })).toEqual([[bob.agent_id, 'b']]);
    expect((await call('task.list', {}, asAdmin)).result).toEqual({ tasks: [], total: 0 });
  });

  test('“*” stands for everybody in a list, and for nobody anywhere else', async () => {
    const { give, call } = faceWith([ADMIN]);
    await give(payloadWith('t'));
    const { result } = await call('task.get', { id: 't', owner: '*' }, asAdmin);
    expect(result).toMatchObject({ error: { details: { reason: 'TASK_UNKNOWN' } } });
  });
});
