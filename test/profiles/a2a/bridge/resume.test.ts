// Proves that a bridge goes on where it was: after a restart nothing is told twice, left out or put into another order,
// whether or not the upstream numbers its events, streams them, or has none.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { A2aAgent, Binding, InterfaceWish } from '../../../../profiles/a2a/index.ts';
import { connectA2a } from '../../../../profiles/a2a/index.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { OnTask } from '../../../../src/tasks/context.ts';
import { agentFor, grpcAgentFor } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { openBridge, tokenAt } from '../../../support/a2a/bridge/bridge.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { Recorded } from '../../../support/a2a/scripted-agent.ts';
import {
  answerRpc,
  artifactJson,
  cardOf,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

/** Opens the bridge, and opens it again on the same store. */
function restartable(url: string, caller = 'user', prefer: InterfaceWish = {}) {
  const store = createMemoryStore({ now: Date.now });
  let close = async (): Promise<void> => undefined;
  onTestFinished(() => close());
  return async (): Promise<A2aAgent> => {
    await close();
    const bridge = await openBridge(
      { upstreams: { behind: url }, doubtMs: 300, prefer },
      { runtime: { store, tasks: { node: 'bridge', isNodeExclusive: true } } },
    );
    close = () => bridge.runtime.close({ graceMs: 0 });
    return connectA2a(bridge.origin, { credentials: [tokenAt(bridge, caller)] });
  };
}

async function begin(client: A2aAgent): Promise<string> {
  const sent = await client.send({ message: message('x'), isWaiting: false });
  return 'task' in sent ? sent.task.id : '';
}

/** All that was ever told of a task, from its log: words, pieces, the end. */
async function logOf(client: A2aAgent, id: string): Promise<readonly string[]> {
  const told: string[] = [];
  // No log has this place: so all of it is told.
  for await (const { event } of client.subscribe(id, { lastEventId: '0' })) {
    if (event.type === 'artifact') {
      const mark = event.append ? '+' : '';
      told.push(
        mark + event.artifact.parts.map((part) => ('text' in part ? part.text : '')).join(),
      );
    } else if (event.type === 'status' && event.status.message !== undefined) {
      told.push(event.status.message.text);
    }
  }
  return told;
}

describe('#bridge-kept #bridge-resume a restarted bridge', () => {
  test.each<Binding>(['JSONRPC', 'GRPC'])(
    'goes on by the number of the last event over %s',
    async (binding) => {
      let goOn = (): void => undefined;
      const work: OnTask = async (_task, ctx) => {
        await ctx.artifact({ id: 'a', text: 'one ' });
        await ctx.progress('half');
        await ctx.artifact({ id: 'a', text: 'one ', append: true });
        await new Promise<void>((resolve) => (goOn = resolve));
        // The same words again: only their numbers tell them apart.
        await ctx.progress('half');
        await ctx.artifact({ id: 'a', text: 'one ', append: true });
        await ctx.answer('ready', { isTask: true });
      };
      const upstream = await grpcAgentFor({ runtime: { onTask: work } });
      const restart = restartable(upstream.origin, 'user', { binding });
      const first = await restart();
      const id = await begin(first);
      const textAt = async (client: A2aAgent): Promise<string> =>
        (await client.get(id)).artifacts.map(({ text }) => text).join();
      await expect.poll(() => textAt(first)).toBe('one one ');
      const second = await restart();
      goOn();
      await expect.poll(async () => (await second.get(id)).status.state).toBe('completed');
      expect(await textAt(second)).toBe('one one one ');
      expect(await logOf(second, id)).toEqual(['one ', 'half', '+one ', 'half', '+one ', 'ready']);
    },
  );

  test('compares the task of an upstream that does not number its events', async () => {
    const subscriptions: Recorded[] = [];
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        const stream = streamRpc(response, request);
        if (request.rpc === 'SendStreamingMessage') {
          stream.send({ task: taskJson('t', 'WORKING') });
          stream.send(artifactJson('t', 'a', 'one '));
          stream.send(statusJson('t', 'WORKING', 'half'));
          return;
        }
        subscriptions.push(request);
        const artifacts = [{ artifactId: 'a', parts: [{ text: 'one two ' }] }];
        const half = statusJson('t', 'WORKING', 'half') as { statusUpdate: { status: Json } };
        const { status } = half.statusUpdate;
        stream.send({ task: { ...(taskJson('t', 'WORKING', { artifacts }) as object), status } });
        stream.send(artifactJson('t', 'a', 'three', true));
        stream.send(statusJson('t', 'COMPLETED', 'ready'));
        stream.end();
      },
    });
    const restart = restartable(upstream.origin);
    const first = await restart();
    const id = await begin(first);
    await expect.poll(async () => (await first.get(id)).status.message?.text).toBe('half');
    const second = await restart();
    await expect.poll(async () => (await second.get(id)).status.state).toBe('completed');
    expect(await logOf(second, id)).toEqual(['one ', 'half', '+two ', '+three', 'ready']);
    expect(subscriptions[0]!.headers['last-event-id']).toBeUndefined();
  });

  test('does not trust a stream that does not say where it goes on: it asks for the task', async () => {
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        if (request.rpc === 'GetTask') {
          const artifacts = [{ artifactId: 'a', parts: [{ text: 'one two three' }] }];
          answerRpc(response, request, taskJson('t', 'COMPLETED', { artifacts }));
          return;
        }
        const stream = streamRpc(response, request);
        if (request.rpc === 'SendStreamingMessage') {
          stream.send({ task: taskJson('t', 'WORKING') });
          stream.send(artifactJson('t', 'a', 'one '));
        } else stream.send(artifactJson('t', 'a', 'three', true));
      },
    });
    const restart = restartable(upstream.origin);
    const first = await restart();
    const id = await begin(first);
    await expect.poll(async () => (await first.get(id)).artifacts.length).toBe(1);
    const second = await restart();
    await expect.poll(async () => (await second.get(id)).status.state).toBe('completed');
    expect(await logOf(second, id)).toEqual(['one ', '+two three']);
  });

  test('asks an upstream without streams', async () => {
    let text = 'one ';
    const upstream = await scriptedAgent({
      card: (origin) => cardOf(origin, { capabilities: {} }),
      handle: (request, response) => {
        const artifacts = [{ artifactId: 'a', parts: [{ text }] }];
        const task = taskJson('t', text === 'one ' ? 'WORKING' : 'COMPLETED', { artifacts });
        answerRpc(response, request, request.rpc === 'SendMessage' ? { task } : task);
      },
    });
    const restart = restartable(upstream.origin);
    const first = await restart();
    const id = await begin(first);
    await expect.poll(async () => (await first.get(id)).artifacts.length).toBe(1);
    const second = await restart();
    text = 'one two';
    await expect
      .poll(async () => (await second.get(id)).status.state, { timeout: 10_000 })
      .toBe('completed');
    expect(await logOf(second, id)).toEqual(['one ', '+two']);
    expect(upstream.requests.filter(({ rpc }) => rpc === 'SendMessage')).toHaveLength(1);
  });

  test('sends a reply that came while it was away', async () => {
    const work: OnTask = async (_task, ctx) => {
      const reply = await ctx.ask('which?');
      await ctx.answer(`took ${reply.text}`, { isTask: true });
    };
    const upstream = await agentFor({ runtime: { onTask: work } });
    const restart = restartable(upstream.origin);
    const first = await restart();
    const id = await begin(first);
    await expect.poll(async () => (await first.get(id)).status.state).toBe('input-required');
    const second = await restart();
    const sent = await second.send({ message: message('this'), taskId: id });
    const { status } = 'task' in sent ? sent.task : { status: undefined };
    expect([status?.state, status?.message?.text]).toEqual(['completed', 'took this']);
    expect(await logOf(second, id)).toEqual(['which?', 'took this']);
  });
});
