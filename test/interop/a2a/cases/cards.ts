// Cases 29 to 32: what is told to one caller alone, in one tenant alone, by the right agent alone, and after a restart.

import { randomUUID } from 'node:crypto';

import { expect } from 'vitest';

import { TOKENS } from '../../../support/a2a/agent.ts';
import type { JsonObject } from '../client.ts';
import type { Case } from './case.ts';
import { expectRefusal, taskIn } from './case.ts';

interface KeySet {
  readonly keys: readonly JsonObject[];
}

async function keysOf(origin: string): Promise<KeySet> {
  return (await fetch(`${origin}/.well-known/jwks.json`)).json() as Promise<KeySet>;
}

export const CARDS: readonly Case[] = [
  {
    number: 29,
    title: 'asks for the card that is for its caller alone',
    run: async ({ client }) => {
      const own = await client();
      expect(await own.extendedCard()).toEqual({
        name: 'matrix',
        description: 'For ~bearer:user.',
      });
    },
  },
  {
    number: 30,
    title: 'verifies the signature of the card, in both of its forms',
    run: async ({ agent, open, newAgent }) => {
      const { keys } = await keysOf(agent.origin);
      const [other] = (await keysOf((await newAgent()).origin)).keys;
      const forged = keys.map(({ kid }) => ({ ...other, kid }));
      for (const cardVersion of ['1.0', '0.3']) {
        expect((await open({ keys: { keys }, cardVersion })).found.name).toBe('matrix');
        await expect(open({ keys: { keys: forged }, cardVersion })).rejects.toThrow(/signature/i);
      }
    },
  },
  {
    number: 31,
    title: 'speaks in the tenant of its caller, and in no other',
    run: async (bench) => {
      const own = await bench.client('tenant');
      const [tenant, contextId] = ['acme', randomUUID()];
      const { id } = taskIn(await own.send({ text: 'hello', contextId, tenant }));
      const { tasks } = await own.list({ contextId, tenant });
      expect(tasks.map((task) => task.id)).toEqual([id]);
      const wish = { text: 'hello', tenant: 'another' };
      await expectRefusal(bench, 'send', 'TASK_NOT_FOUND', own.send(wish));
    },
  },
  {
    number: 32,
    title: 'goes on with its task after the agent has been started again',
    run: async ({ newAgent, newPlace, open }) => {
      const place = newPlace();
      const before = await newAgent({}, place);
      const token = TOKENS['user']!;
      const { id } = taskIn(await (await open({ token }, before)).send({ text: 'ask' }));
      await before.close();
      const own = await open({ token }, await newAgent({}, place));
      expect(await own.get(id)).toMatchObject({ state: 'input-required', words: 'which?' });
      const ended = taskIn(await own.send({ text: 'red', taskId: id }));
      expect(ended.artifacts.map(({ parts }) => parts)).toEqual([[{ text: 'told red' }]]);
    },
  },
];
