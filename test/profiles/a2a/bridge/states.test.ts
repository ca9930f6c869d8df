// Proves how the states and words of an upstream become those of a task, and that it hears when nobody wants it any more.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { OnTask } from '../../../../src/tasks/context.ts';
import { TaskError } from '../../../../src/tasks/error.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import { agentFor, onTask } from '../../../support/a2a/agent.ts';
import { bridgeFor, failureOf, openBridge } from '../../../support/a2a/bridge/bridge.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import {
  answerRpc,
  artifactJson,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

/** A bridge before an agent of this package. */
async function before(work: OnTask = onTask) {
  const upstream = await agentFor({ runtime: { onTask: work } });
  return bridgeFor({ upstreams: { behind: upstream.origin } });
}

describe('#bridge-states of an upstream', () => {
  test('failed and rejected, in its words and marked as such', async () => {
    const bridge = await before();
    const failed = failureOf(await bridge.ask('fail'));
    expect(failed).toEqual(['failed', 'UPSTREAM_FAILED', 'behind says: there is no paper']);
    const rejected = failureOf(await bridge.ask('reject'));
    expect(rejected).toEqual(['rejected', 'UPSTREAM_REJECTED', 'behind says: not on Sundays']);
  });

  test('canceled is canceled', async () => {
    const bridge = await before(async () => {
      throw new TaskError('nobody wants it', { cancels: true });
    });
    expect((await bridge.ask('x')).status.state).toBe('canceled');
  });

  test('words of every kind: progress, questions and the last ones', async () => {
    const parts = [{ text: 'half' }, { data: { done: 5 } }];
    const bridge = await before(async (_task, ctx) => {
      await ctx.progress({ words: parts });
      const reply = await ctx.ask({ data: { which: [1, 2] } });
      await ctx.answer([{ text: `took ${reply.text}` }, { data: { it: true } }], { isTask: true });
    });
    const seen: unknown[] = [];
    let id = '';
    for await (const { event } of bridge.client.stream({ message: message('x') })) {
      if (event.type === 'task') ({ id } = event.task);
      if (event.type === 'status') seen.push(event.status.message?.parts);
    }
    expect(seen).toEqual([undefined, parts, [{ data: { which: [1, 2] } }]]);
    const sent = await bridge.client.send({ message: message('one'), taskId: id });
    const status = 'task' in sent ? sent.task.status : undefined;
    expect([status?.state, status?.message?.parts]).toEqual([
      'completed',
      [{ text: 'took one' }, { data: { it: true } }],
    ]);
  });

  test('what is said unasked reaches it', async () => {
    const bridge = await before();
    const begun = await bridge.client.send({ message: message('next'), isWaiting: false });
    const { id } = 'task' in begun ? begun.task : { id: '' };
    await bridge.client.send({ message: message('more'), taskId: id, isWaiting: false });
    const texts: string[] = [];
    const steps = bridge.client.follow(
      { taskId: id },
      { isOver: ({ status }) => status.state === 'completed' },
    );
    for await (const step of steps) {
      if ('task' in step) texts.push(step.task.artifacts.map(({ text }) => text).join());
    }
    expect(texts.at(-1)).toBe('then more');
  });

  test('an artifact that goes on after its last piece is told anew', async () => {
    const piece = (text: string, append: boolean) => ({
      artifactUpdate: {
        taskId: 't',
        contextId: 'context',
        artifact: { artifactId: 'a', parts: [{ text }] },
        append,
        lastChunk: true,
      },
    });
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'WORKING') });
        for (const [at, text] of ['one ', 'two ', 'three'].entries())
          stream.send(piece(text, at > 0));
        stream.send(statusJson('t', 'COMPLETED'));
        stream.end();
      },
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    expect((await bridge.ask('x')).artifacts.map(({ text }) => text)).toEqual(['one two three']);
  });

  test('auth-required may end without a reply', async () => {
    let allow = (): void => undefined;
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'AUTH_REQUIRED') });
        if (request.rpc === 'SendStreamingMessage') return stream.end();
        allow = () => {
          stream.send(statusJson('t', 'WORKING'));
          stream.send(statusJson('t', 'COMPLETED', 'let in'));
          stream.end();
        };
        return undefined;
      },
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const { id, status } = await bridge.ask('x');
    expect(status.state).toBe('auth-required');
    await expect.poll(() => upstream.requests.length).toBe(2);
    allow();
    await expect.poll(async () => (await bridge.client.get(id)).status.state).toBe('completed');
  });
});

describe('#bridge-cancel an upstream whose task nobody wants any more', () => {
  test('is told when the task is canceled, before and after it has named its own', async () => {
    const ended: string[] = [];
    let isWorking = false;
    const bridge = await before(async (task, ctx) => {
      isWorking = true;
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
      ended.push(task.text);
    });
    const begun = await bridge.client.send({ message: message('one'), isWaiting: false });
    const { id } = 'task' in begun ? begun.task : { id: '' };
    await expect.poll(() => isWorking).toBe(true);
    await bridge.client.cancel(id);
    await expect.poll(() => ended).toEqual(['one']);
    let name = (): void => undefined;
    const slow = await scriptedAgent({
      handle: (request, response) => {
        if (request.rpc === 'CancelTask') {
          answerRpc(response, request, { ...(taskJson('t', 'CANCELED') as object) });
          return;
        }
        const stream = streamRpc(response, request);
        name = () => stream.send({ task: taskJson('t', 'WORKING') });
      },
    });
    const other = await bridgeFor({ upstreams: { behind: slow.origin } });
    const waiting = await other.client.send({ message: message('x'), isWaiting: false });
    await expect.poll(() => slow.requests.length).toBe(1);
    await other.client.cancel('task' in waiting ? waiting.task.id : '');
    name();
    await expect.poll(() => slow.requests.at(-1)?.rpc).toBe('CancelTask');
  });

  test('is told after a restart, too', async () => {
    const store = createMemoryStore({ now: Date.now });
    let isAway = true;
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        if (request.rpc === 'CancelTask') {
          if (isAway) response.destroy();
          else answerRpc(response, request, taskJson('t', 'CANCELED'));
          return;
        }
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'WORKING') });
        stream.send(artifactJson('t', 'a', 'begun'));
      },
    });
    const upstreams = { behind: upstream.origin };
    const first = await bridgeFor({ upstreams }, { runtime: { store } });
    const begun = await first.client.send({ message: message('x'), isWaiting: false });
    const { id } = 'task' in begun ? begun.task : { id: '' };
    // What it made is stored behind that it has the task.
    await expect.poll(async () => (await first.client.get(id)).artifacts.length).toBe(1);
    await first.client.cancel(id);
    await expect.poll(() => upstream.requests.at(-1)?.rpc).toBe('CancelTask');
    await first.runtime.close({ graceMs: 0 });
    isAway = false;
    const heard = upstream.requests.length;
    const second = await openBridge({ upstreams }, { runtime: { store } });
    onTestFinished(() => second.runtime.close({ graceMs: 0 }));
    await expect
      .poll(() => upstream.requests.slice(heard).map(({ rpc }) => rpc), { timeout: 15_000 })
      .toEqual(['CancelTask']);
  }, 30_000);
});
