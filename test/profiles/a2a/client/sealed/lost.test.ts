// Proves that what is sealed is opened whole where streams break, processes end, and others bring messages of their own.

import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { A2aAgent } from '../../../../../profiles/a2a/index.ts';
import { a2a } from '../../../../../profiles/a2a/index.ts';
import type { OnTask } from '../../../../../src/tasks/context.ts';
import { createMemoryStore } from '../../../../../src/stores/memory.ts';
import { http } from '../../../../../transports/http/index.ts';
import { runtimeFor } from '../../../../support/a2a/agent.ts';
import { message } from '../../../../support/a2a/client-suite.ts';
import { sealedClient, stepsOf } from '../../../../support/sealed-face/client.ts';
import { knowing, newSides } from '../../../../support/sealed-face/user.ts';
import { freePort } from '../../../../support/wire/free-port.ts';

/** A server on the way that breaks off the first streams, each after its first event. */
async function breaking(most: number): Promise<{ origin: string; target: string; broken: number }> {
  const place = { origin: '', target: '', broken: 0 };
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    const outgoing = ask(`${place.target}${url}`, { method, headers }, (told) => {
      answer.writeHead(told.statusCode!, told.headers);
      const isStream = told.headers['content-type']?.startsWith('text/event-stream') === true;
      told.on('data', (chunk: Uint8Array) => {
        answer.write(chunk);
        if (!isStream || place.broken >= most) return;
        place.broken += 1;
        setImmediate(() => answer.destroy());
        outgoing.destroy();
      });
      told.on('end', () => answer.end());
      told.on('error', () => answer.destroy());
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  place.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return place;
}

/** Says one piece after the other, and no more than one while nobody has heard it. */
const pieces: OnTask = async (_task, ctx) => {
  for (let at = 0; at < 20; at += 1) {
    await ctx.progress(`step ${at}`);
    await ctx.artifact({ id: 'log', text: `${at} `, append: at > 0, last: at === 19 });
  }
};

describe('#a2a-client-sealed #a2a-client-sealed-kept', () => {
  test.each(['JSONRPC', 'HTTP+JSON'] as const)(
    '%s: a stream that is broken off again and again is told whole, and nothing twice',
    async (binding) => {
      const side = await newSides();
      const middle = await breaking(4);
      const runtime = await runtimeFor(knowing(side, { runtime: { onTask: pieces } }));
      onTestFinished(() => runtime.close({ graceMs: 0 }));
      const port = await freePort();
      await runtime.listen(http({ port, publicUrl: `${middle.origin}/a2a` }), a2a());
      middle.target = `http://127.0.0.1:${port}`;
      const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      const client = await sealedClient(side, middle.origin, {
        prefer: { binding },
        wait,
        sealed: { policy: 'require' },
      });
      const steps = await stepsOf(client, 'go');
      const told = steps.flatMap(({ piece }) => piece?.artifact.parts ?? []);
      const whole = Array.from({ length: 20 }, (_, at) => `${at} `).join('');
      expect(steps.at(-1)!.task).toMatchObject({
        status: { state: 'completed' },
        protection: 'sealed',
      });
      const { task, isWhole } = steps[0]!;
      const begun = isWhole === true ? task.artifacts.map(({ text }) => text).join('') : '';
      expect(begun + told.map((part) => ('text' in part ? part.text : '')).join('')).toBe(whole);
      expect(middle.broken).toBeGreaterThan(0);
    },
  );

  test('a second process, with the store of the first, opens and answers what that began', async () => {
    const side = await newSides();
    const runtime = await runtimeFor(knowing(side));
    onTestFinished(() => runtime.close({ graceMs: 0 }));
    const [host] = await runtime.listen(http({ port: 0 }), a2a());
    const { origin } = new URL(host!.urls[0]!);
    const store = createMemoryStore({ now: Date.now });
    const connect = (): Promise<A2aAgent> =>
      sealedClient(side, origin, { sealed: { policy: 'require', store } });
    const asked = await (await connect()).send({ message: message('ask') });
    const id = 'task' in asked ? asked.task.id : '';
    const second = await connect();
    expect((await second.get(id)).status.message?.text).toBe('which?');
    await second.send({ message: message('blue'), taskId: id });
    const third = await connect();
    const ended = await third.get(id);
    expect([ended.protection, ended.artifacts.map(({ text }) => text)]).toEqual([
      'sealed',
      ['told blue'],
    ]);
    const without = await sealedClient(side, origin, { sealed: { policy: 'require' } });
    await expect(without.get(id)).rejects.toMatchObject({ code: 'REQUEST_UNKNOWN' });
  });

  test('the same message sent twice is done once', async () => {
    const side = await newSides();
    let runs = 0;
    const runtime = await runtimeFor(
      knowing(side, { runtime: { onTask: async () => void (runs += 1) } }),
    );
    onTestFinished(() => runtime.close({ graceMs: 0 }));
    const [host] = await runtime.listen(http({ port: 0 }), a2a());
    const client = await sealedClient(side, new URL(host!.urls[0]!).origin);
    const same = message('once');
    const [one, two] = [await client.send({ message: same }), await client.send({ message: same })];
    expect('task' in one && 'task' in two && one.task.id === two.task.id).toBe(true);
    expect(runs).toBe(1);
  });
});
