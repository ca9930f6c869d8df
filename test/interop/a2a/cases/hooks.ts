// Cases 42 to 46: web hooks are made, looked at, dropped, and told what happens.

import { expect } from 'vitest';

import { isEnd, kindOf, receiverFor, stateIn } from '../../../support/a2a/receiver.ts';
import type { Delivery, Receiver } from '../../../support/a2a/receiver.ts';
import type { Hook } from '../client.ts';
import type { Case } from './case.ts';
import { expectRefusal, taskIn } from './case.ts';

const SECRETS = {
  token: 'the-token-of-the-hook',
  authentication: { scheme: 'Bearer', credentials: 'the-credentials-of-the-hook' },
};

function hookTo(url: string, id: string): Hook {
  return { id, url, ...SECRETS };
}

/** What comes back: who may look at a hook need not know its credentials. */
function withoutCredentials({ authentication, ...hook }: Hook): object {
  return { ...hook, authentication: { scheme: authentication!.scheme } };
}

/** All that it was told, once the task has ended. */
async function toldTo(receiver: Receiver): Promise<readonly Delivery[]> {
  await receiver.until((all) => all.some(isEnd));
  for (const { headers } of receiver.all) {
    expect(headers).toMatchObject({
      'x-a2a-notification-token': SECRETS.token,
      authorization: `Bearer ${SECRETS.authentication.credentials}`,
    });
  }
  return receiver.all;
}

export const HOOKS: readonly Case[] = [
  {
    number: 42,
    title: 'makes a web hook, and looks at it',
    run: async (bench) => {
      const own = await bench.client();
      const { id } = taskIn(await own.send({ text: 'ask' }));
      const hook = hookTo('https://example.com/hook', 'hook-1');
      expect(await own.createHook(id, hook)).toEqual(withoutCredentials(hook));
      expect(await own.getHook(id, 'hook-1')).toEqual(withoutCredentials(hook));
      const other = await bench.client('other');
      await expectRefusal(bench, 'getHook', 'TASK_NOT_FOUND', other.getHook(id, 'hook-1'));
      await expectRefusal(bench, 'createHook', 'TASK_NOT_FOUND', other.createHook(id, hook));
    },
  },
  {
    number: 43,
    title: 'lists its web hooks, and drops them',
    run: async ({ client }) => {
      const own = await client();
      const { id } = taskIn(await own.send({ text: 'ask' }));
      const ids = async (): Promise<string[]> => {
        const hooks = await own.listHooks(id);
        return hooks.map((hook) => hook.id!).sort();
      };
      expect(await ids()).toEqual([]);
      for (const name of ['hook-1', 'hook-2', 'hook-1']) {
        await own.createHook(id, hookTo(`https://example.com/${name}`, name));
      }
      expect(await ids()).toEqual(['hook-1', 'hook-2']);
      for (let time = 0; time < 2; time += 1) await own.deleteHook(id, 'hook-1');
      expect(await ids()).toEqual(['hook-2']);
    },
  },
  {
    number: 44,
    title: 'is told at its web hook what happens to a task that waited',
    run: async ({ client }) => {
      const [own, receiver] = [await client(), await receiverFor()];
      const { id } = taskIn(await own.send({ text: 'ask' }));
      await own.createHook(id, hookTo(receiver.url(), 'hook-1'));
      await own.send({ text: 'red', taskId: id });
      const told = await toldTo(receiver);
      expect(told.map(kindOf)).toContain('artifactUpdate');
      expect(JSON.stringify(told.map(({ body }) => body))).toContain('told red');
      expect(stateIn(told.at(-1)!)).toMatch(/completed/i);
    },
  },
  {
    number: 45,
    title: 'brings a web hook with its message, and is told of the new task there',
    run: async ({ client }) => {
      const [own, receiver] = [await client(), await receiverFor()];
      const hook = hookTo(receiver.url(), 'hook-1');
      const { id } = taskIn(await own.send({ text: 'chunks', hook }));
      expect((await own.getHook(id, 'hook-1')).url).toBe(hook.url);
      const told = await toldTo(receiver);
      const bodies = JSON.stringify(told.map(({ body }) => body));
      expect([bodies.includes(id), bodies.includes('one '), bodies.includes('two')]).toEqual([
        true,
        true,
        true,
      ]);
    },
  },
  {
    number: 46,
    title: 'is told that there are no web hooks, where there are none',
    run: async (bench) => {
      const agent = await bench.newAgent({ pushNotifications: false });
      const own = await bench.client('user', agent);
      const { id } = taskIn(await own.send({ text: 'ask' }));
      const hook = hookTo('https://example.com/hook', 'hook-1');
      const reason = 'PUSH_NOTIFICATION_NOT_SUPPORTED';
      // Some clients do not even ask an agent whose card says so.
      await expectRefusal(bench, 'createHook', reason, (async () => own.createHook(id, hook))());
    },
  },
];
