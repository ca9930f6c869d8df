// Proves that a bridge uses upstreams over gRPC: work, questions, cancels and failures both ways.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { message } from '../../../support/a2a/client-suite.ts';
import { bridgeFor, failureOf } from '../../../support/a2a/bridge/bridge.ts';
import { grpcAgentFor } from '../../../support/a2a/agent.ts';
import type { ForeignServer } from '../../../support/a2a/js-servers.ts';
import { startJsV03, startJsV1 } from '../../../support/a2a/js-servers.ts';

const servers = new Map<string, ForeignServer>();
beforeAll(async () => {
  servers.set('SDK 1.3', await startJsV1());
  servers.set('SDK 0.3.14', await startJsV03());
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())));

describe.each(['our own agent', 'SDK 1.3', 'SDK 0.3.14'])('#bridge-asked %s', (name) => {
  test('does the tasks of a bridge over gRPC', async () => {
    const { origin } = servers.get(name) ?? (await grpcAgentFor());
    const bridge = await bridgeFor({ upstreams: { behind: origin }, prefer: { binding: 'GRPC' } });
    const { client, ask } = bridge;
    const done = await ask('hello');
    expect([done.status.state, done.artifacts.map(({ text }) => text).join('')]).toEqual([
      'completed',
      'done hello',
    ]);
    expect((await ask('chunks')).artifacts.map(({ text }) => text)).toEqual(['one two']);
    const [state, , words] = failureOf(await ask('fail'));
    expect([state, words]).toEqual(['failed', expect.stringContaining('no paper')]);
    const asked = await ask('ask');
    expect([asked.status.state, asked.status.message?.text]).toEqual(['input-required', 'which?']);
    const told = await client.send({ message: message('red'), taskId: asked.id });
    expect('task' in told && told.task.artifacts.map(({ text }) => text)).toEqual(['told red']);
    const held = await client.send({ message: message('hold'), isWaiting: false });
    const { id } = 'task' in held ? held.task : { id: '' };
    await expect.poll(async () => (await client.get(id)).status.state).toBe('working');
    expect((await client.cancel(id)).status.state).toBe('canceled');
  });
});
