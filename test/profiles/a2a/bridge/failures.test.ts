// Proves that outages, garbage and slowness of an upstream are survived, or end a task in words.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { agentFor, onTask } from '../../../support/a2a/agent.ts';
import { bridgeFor, failureOf } from '../../../support/a2a/bridge/bridge.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { Script } from '../../../support/a2a/scripted-agent.ts';
import {
  answerJson,
  answerRpc,
  artifactJson,
  cardOf,
  refuseRpc,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

/** Streams the beginning of a task and loses the connection; the rest is as the others say. */
function breaking(others: NonNullable<Script['handle']>): ReturnType<typeof scriptedAgent> {
  return scriptedAgent({
    handle: (request, response) => {
      if (request.rpc !== 'SendStreamingMessage') return others(request, response);
      const stream = streamRpc(response, request);
      stream.send({ task: taskJson('t', 'WORKING') });
      stream.send(artifactJson('t', 'a', 'one '));
      setImmediate(stream.cut);
      return undefined;
    },
  });
}

describe('#bridge-failures an upstream that is away', () => {
  test('at the start is waited for, and the task done when it is there', async () => {
    const server = createServer((request, response) => {
      const { origin } = new URL(`http://${request.headers.host}`);
      if (request.method === 'GET') return answerJson(response, cardOf(origin));
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number };
        const stream = streamRpc(response, { id } as never);
        stream.send({ task: taskJson('t', 'COMPLETED') });
        stream.end();
      });
      return undefined;
    });
    const listen = (port: number): Promise<void> =>
      new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
    await listen(0);
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const notices: string[] = [];
    const bridge = await bridgeFor({
      upstreams: { behind: `http://127.0.0.1:${port}` },
      onNotice: (words) => {
        notices.push(words);
        void listen(port);
      },
    });
    expect((await bridge.ask('x')).status.state).toBe('completed');
    expect(notices).toEqual(['behind cannot be found']);
  });

  test('for too long ends the task, and says whether anything was sent', async () => {
    const upstream = await breaking((_request, response) => response.destroy());
    const upstreams = { behind: upstream.origin };
    const after = await bridgeFor({ upstreams, maxAwayMs: 300 });
    const [state, code, words] = failureOf(await after.ask('x'));
    expect([state, code]).toEqual(['failed', 'UPSTREAM_AWAY']);
    expect(words).toContain('outcome: unknown');
    const before = await bridgeFor(
      { upstreams: { behind: 'http://127.0.0.1:1' }, maxAwayMs: 100 },
      { runtime: { tasks: { maxAttempts: 1 } } },
    );
    expect(failureOf(await before.ask('x'))).toEqual([
      'failed',
      'UPSTREAM_AWAY',
      expect.stringContaining('nothing was sent'),
    ]);
  });

  test('in the middle of a stream is gone on with, and nothing told twice', async () => {
    let asked = 0;
    const upstream = await breaking((request, response) => {
      if ((asked += 1) <= 2) return response.destroy();
      const stream = streamRpc(response, request);
      const artifacts = [{ artifactId: 'a', parts: [{ text: 'one two ' }] }];
      stream.send({ task: taskJson('t', 'WORKING', { artifacts }) });
      stream.send(artifactJson('t', 'a', 'three', true));
      stream.send(statusJson('t', 'COMPLETED', 'ready'));
      return stream.end();
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const pieces: string[] = [];
    for await (const { event } of bridge.client.stream({ message: message('x') })) {
      if (event.type === 'artifact') pieces.push(event.artifact.parts.map(textOf).join());
      if (event.type === 'status') pieces.push(event.status.message?.text ?? event.status.state);
    }
    expect(pieces).toEqual(['working', 'one ', 'two ', 'three', 'ready']);
  });
});

describe('#bridge-failures an upstream that says what nobody understands', () => {
  test('is asked a few times, and then the task fails', async () => {
    const upstream = await breaking((_request, response) => answerJson(response, 'garbage'));
    const bridge = await bridgeFor({
      upstreams: { behind: upstream.origin },
      wait: () => new Promise((resolve) => setImmediate(resolve)),
    });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['failed', 'UPSTREAM_GARBAGE']);
    expect(words).toContain('outcome: unknown');
    expect(words).not.toContain('garbage"');
    expect(upstream.requests).toHaveLength(6);
  });

  test('does not know its task any more, which is said', async () => {
    const upstream = await breaking((request, response) => refuseRpc(response, request, -32_001));
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['failed', 'UPSTREAM_TASK_LOST']);
    expect(words).toContain('outcome: unknown');
  });

  test('refuses, in words that are marked as its own', async () => {
    const upstream = await scriptedAgent({
      handle: ({ id }, response) =>
        answerJson(response, {
          jsonrpc: '2.0',
          id,
          error: { code: -32_602, message: `no \u0007${'x'.repeat(5_000)}` },
        }),
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['rejected', 'UPSTREAM_REFUSED']);
    expect(words).toMatch(/^behind says: no \W?x{900,1000}$/);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('#bridge-failures an upstream that is slow or without end', () => {
  test('is read no faster than what it says is stored, and ends where output may', async () => {
    let written = 0;
    let isClosed = false;
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        if (request.rpc !== 'SendStreamingMessage') return answerRpc(response, request, {});
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'WORKING') });
        stream.send(artifactJson('t', 'a', ''));
        response.on('close', () => (isClosed = true));
        const more = (): void => {
          while (!response.writableNeedDrain && !response.destroyed && written < 100_000_000) {
            stream.send(artifactJson('t', 'a', 'x'.repeat(10_000), true));
            written += 10_000;
          }
          response.once('drain', more);
        };
        return more();
      },
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const [state, code] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['failed', 'OUTPUT_TOO_LARGE']);
    await expect.poll(() => isClosed).toBe(true);
    expect(written).toBeLessThan(50_000_000);
    // It is told that nobody wants it any more.
    await expect.poll(() => upstream.requests.at(-1)?.rpc).toBe('CancelTask');
  });

  test('has the time that every task has', async () => {
    const upstream = await agentFor({ runtime: { onTask } });
    const bridge = await bridgeFor(
      { upstreams: { behind: upstream.origin } },
      { runtime: { tasks: { maxRunMs: 300 } } },
    );
    expect(failureOf(await bridge.ask('hold')).slice(0, 2)).toEqual(['failed', 'DEADLINE']);
  });
});

function textOf(part: object): string {
  return 'text' in part ? String(part.text) : '';
}
