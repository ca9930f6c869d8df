// Cases 33 to 41: what is refused, as the user of the client is told it.

import { expect } from 'vitest';

import { TOKENS } from '../../../support/a2a/agent.ts';
import type { Case } from './case.ts';
import { allOf, expectRefusal, taskIn } from './case.ts';

export const REFUSALS: readonly Case[] = [
  {
    number: 33,
    title: 'a task that is not there',
    run: async (bench) => {
      const own = await bench.client();
      const reason = 'TASK_NOT_FOUND';
      await expectRefusal(bench, 'get', reason, own.get('nothing'));
      await expectRefusal(bench, 'cancel', reason, own.cancel('nothing'));
      await expectRefusal(bench, 'subscribe', reason, allOf(own.subscribe('nothing')));
      const wish = { text: 'hello', taskId: 'nothing' };
      await expectRefusal(bench, 'send', reason, own.send(wish));
      await expectRefusal(bench, 'stream', reason, allOf(own.stream(wish)));
    },
  },
  {
    number: 34,
    title: 'the task of somebody else, as if it were not there',
    run: async (bench) => {
      const { id } = taskIn(await (await bench.client()).send({ text: 'ask' }));
      const other = await bench.client('other');
      await expectRefusal(bench, 'get', 'TASK_NOT_FOUND', other.get(id));
      await expectRefusal(bench, 'cancel', 'TASK_NOT_FOUND', other.cancel(id));
    },
  },
  {
    number: 35,
    title: 'canceling a task that has ended',
    run: async (bench) => {
      const own = await bench.client();
      const { id } = taskIn(await own.send({ text: 'hello' }));
      await expectRefusal(bench, 'cancel', 'TASK_NOT_CANCELABLE', own.cancel(id));
    },
  },
  {
    number: 36,
    title: 'saying something to a task that has ended, and following it',
    run: async (bench) => {
      const own = await bench.client();
      const { id } = taskIn(await own.send({ text: 'hello' }));
      const reason = 'UNSUPPORTED_OPERATION';
      await expectRefusal(bench, 'send', reason, own.send({ text: 'more', taskId: id }));
      await expectRefusal(bench, 'subscribe', reason, allOf(own.subscribe(id)));
    },
  },
  {
    number: 37,
    title: 'the context of another task',
    run: async (bench) => {
      const own = await bench.client();
      const { id } = taskIn(await own.send({ text: 'ask' }));
      const wish = { text: 'red', taskId: id, contextId: 'another' };
      await expectRefusal(bench, 'send', 'INVALID_PARAMS', own.send(wish));
    },
  },
  {
    number: 38,
    title: 'a wrong token, and none',
    run: async (bench) => {
      for (const connection of [{ token: 'of-nobody' }, {}]) {
        const nobody = await bench.open(connection);
        await expectRefusal(bench, 'send', 'UNAUTHENTICATED', nobody.send({ text: 'hello' }));
        await expectRefusal(bench, 'get', 'UNAUTHENTICATED', nobody.get('nothing'));
      }
    },
  },
  {
    number: 39,
    title: 'a version that is not supported',
    run: async (bench) => {
      const newer = await bench.open({ token: TOKENS['user']!, version: '9.9' });
      await expectRefusal(bench, 'send', 'VERSION_NOT_SUPPORTED', newer.send({ text: 'hello' }));
      await expectRefusal(bench, 'get', 'VERSION_NOT_SUPPORTED', newer.get('nothing'));
    },
  },
  {
    number: 40,
    title: 'a file of a type that is not taken',
    run: async (bench) => {
      const agent = await bench.newAgent({ inputModes: ['text/plain'] });
      const own = await bench.client('user', agent);
      const parts = [{ url: 'https://example.com/', mediaType: 'image/png' }];
      await expectRefusal(bench, 'send', 'CONTENT_TYPE_NOT_SUPPORTED', own.send({ parts }));
    },
  },
  {
    number: 41,
    title: 'a message without the extension that the agent requires',
    run: async (bench) => {
      const uri = 'https://example.com/needed/v1';
      const agent = await bench.newAgent({ extensions: [{ uri, required: true }] });
      const token = TOKENS['user']!;
      const plain = await bench.open({ token }, agent);
      await expectRefusal(
        bench,
        'send',
        'EXTENSION_SUPPORT_REQUIRED',
        plain.send({ text: 'hello' }),
      );
      const able = await bench.open({ token, extensions: [uri] }, agent);
      expect(taskIn(await able.send({ text: 'hello' })).state).toBe('completed');
    },
  },
];
