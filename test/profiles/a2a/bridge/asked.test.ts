// Proves what an upstream gets and what it never gets, how a task says which one it is for, and that nothing goes in circles.

import { describe, expect, onTestFinished, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/index.ts';
import { createClient, createIdentity } from '../../../../src/index.ts';
import { http } from '../../../../transports/http/index.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { bridgeFor, failureOf, openBridge, tokenAt } from '../../../support/a2a/bridge/bridge.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { Recorded, ScriptedAgent } from '../../../support/a2a/scripted-agent.ts';
import { cardOf, scriptedAgent, streamRpc, taskJson } from '../../../support/a2a/scripted-agent.ts';

const TRACE = 'https://w3id.org/a2a-sdl/ext/trace/v1';

/** Completes every task at once. */
function completing(): Promise<ScriptedAgent> {
  let tasks = 0;
  return scriptedAgent({
    handle: (request, response) => {
      const stream = streamRpc(response, request);
      stream.send({ task: taskJson(`task-${(tasks += 1)}`, 'COMPLETED') });
      stream.end();
    },
  });
}

function messageIn({ body }: Recorded): Readonly<Record<string, Json>> {
  const { params } = body as { params: { message: Readonly<Record<string, Json>> } };
  return params.message;
}

describe('#bridge-asked what an upstream gets', () => {
  test('is the content, and nothing that proves who asks; its own secrets only at its origin', async () => {
    const upstream = await completing();
    const bridge = await bridgeFor({
      upstreams: { behind: upstream.origin },
      credentials: [
        { origin: upstream.origin, scheme: 'api-key', key: 'own-key' },
        { origin: 'https://elsewhere.example', scheme: 'bearer', token: 'of-another-origin' },
      ],
    });
    await bridge.client.send({
      message: {
        id: 'own-id',
        role: 'user',
        parts: [{ text: 'hello' }, { data: { n: 1 } }],
        metadata: { skill: 'echo' },
        references: ['another-task'],
      },
      acceptedOutputModes: ['text/plain'],
      hook: { url: 'http://hooks.example/', token: 'hook-token' },
    });
    const [request] = upstream.requests;
    const sent = messageIn(request!);
    expect(sent).toMatchObject({
      parts: [{ text: 'hello' }, { data: { n: 1 } }],
      metadata: { skill: 'echo', [TRACE]: { hops: 1 } },
    });
    expect(request!.headers).toMatchObject({ 'x-api-key': 'own-key' });
    expect(request!.headers.authorization).toBeUndefined();
    expect(request!.text).toContain('text/plain');
    for (const secret of ['own-id', 'another-task', 'hook', 'the-token', '"user"', 'of-another']) {
      expect(`${request!.text} ${JSON.stringify(request!.headers)}`).not.toContain(`${secret}-`);
    }
    expect(sent['referenceTaskIds']).toBeUndefined();
    expect(sent['messageId']).not.toBe('own-id');
  });

  test('has one context for a context of one owner, and never that of another owner', async () => {
    const upstream = await completing();
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const other = await connectA2a(bridge.origin, { credentials: [tokenAt(bridge, 'other')] });
    await bridge.client.send({ message: message('one'), contextId: 'shared' });
    await bridge.client.send({ message: message('two'), contextId: 'shared' });
    await other.send({ message: message('three'), contextId: 'shared' });
    await bridge.client.send({ message: message('four') });
    const contexts = upstream.requests.map((request) => messageIn(request)['contextId']);
    expect(contexts[1]).toBe(contexts[0]);
    expect(new Set(contexts).size).toBe(3);
    expect(contexts).not.toContain('shared');
  });
});

describe('#bridge-choice which upstream', () => {
  test('is said by the metadata of a message, and has to be where there are several', async () => {
    const [one, two] = [await completing(), await completing()];
    const bridge = await bridgeFor({ upstreams: { one: one.origin, two: { url: two.origin } } });
    const metadata = { upstream: 'two' };
    await bridge.client.send({ message: { ...message('x'), metadata } });
    await bridge.client.send({ message: message('x'), metadata });
    expect([one.requests.length, two.requests.length]).toEqual([0, 2]);
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['rejected', 'UPSTREAM_UNKNOWN']);
    expect(words).toContain('one, two');
  });

  test('is said by the kind of a task in envelopes', async () => {
    const [one, two] = [await completing(), await completing()];
    const [its, mine] = [await createIdentity(), await createIdentity()];
    const upstreams = { one: one.origin, two: two.origin };
    const bridge = await bridgeFor(
      { upstreams },
      { runtime: { identity: its, peers: [mine.bundle] } },
    );
    const client = createClient({ identity: mine, peers: [its.bundle], transports: [http()] });
    onTestFinished(() => client.close());
    const peer = client.connect(`${bridge.origin}/a2a`, { agentId: its.agentId });
    const done = await peer.task({ goal: 'x', context: { task: { kind: 'two' } } }).result();
    expect(done.status).toBe('completed');
    expect([one.requests.length, two.requests.length]).toEqual([0, 1]);
    expect(messageIn(two.requests[0]!)['parts']).toEqual([{ text: 'x' }]);
    expect(two.requests[0]!.text).not.toContain(mine.agentId);
  });

  test('is refused where it is none', () => {
    expect(() => openBridge({ upstreams: {} })).toThrow('at least one');
    expect(() => openBridge({ upstreams: { 'a b': 'http://x' } })).toThrow('expected names');
    expect(() => openBridge({ upstreams: { a: 'ftp://x' } })).toThrow('http or https');
  });
});

describe('#bridge-loops circles', () => {
  test('end at the bridge that sent the request to its upstream before', async () => {
    let near = '';
    const towards = await scriptedAgent({
      card: (origin) =>
        cardOf(origin, {
          supportedInterfaces: [{ url: near, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        }),
    });
    const far = await bridgeFor({ upstreams: { near: towards.origin } });
    const bridge = await bridgeFor({ upstreams: { far: far.origin } });
    near = bridge.rpc;
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['rejected', 'UPSTREAM_REJECTED']);
    expect(words).toBe(
      'far says: near says: the request was sent to far before: it goes in a circle',
    );
  });

  test('are refused by the number of hops', async () => {
    const upstream = await completing();
    const bridge = await bridgeFor({
      upstreams: { behind: upstream.origin },
      limits: { maxHops: 3 },
    });
    const asked = async (hops: number) => {
      const metadata = { [TRACE]: { hops, via: [] } };
      const sent = await bridge.client.send({ message: { ...message('x'), metadata } });
      return 'task' in sent ? failureOf(sent.task) : undefined;
    };
    expect((await asked(2))?.[0]).toBe('completed');
    expect((await asked(3))?.slice(0, 2)).toEqual(['rejected', 'LIMIT_HOPS']);
    expect(upstream.requests).toHaveLength(1);
  });
});
