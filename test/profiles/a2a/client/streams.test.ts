// Proves that a task is followed through everything that can happen to a connection, that nothing of it is told twice,
// and that no stream can cost more than it may.

import { describe, expect, test } from 'vitest';

import type { A2aAgent } from '../../../../profiles/a2a/client/agent.ts';
import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import { hasEnded } from '../../../../profiles/a2a/client/following/fold.ts';
import type { A2aClientOptions } from '../../../../profiles/a2a/client/options.ts';
import { TransportError } from '../../../../src/transport.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { Recorded, Script } from '../../../support/a2a/scripted-agent.ts';
import {
  answerRpc,
  artifactJson,
  cardOf,
  refuseRpc,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

/** Waits for nothing. */
const hurried: A2aClientOptions = { wait: async () => undefined };

async function connected(
  handle: NonNullable<Script['handle']>,
  options: A2aClientOptions = {},
  card: Script['card'] = cardOf,
): Promise<{ agent: A2aAgent; requests: readonly Recorded[] }> {
  const { origin, requests } = await scriptedAgent({ handle, card });
  return { agent: await connectA2a(origin, { ...hurried, ...options }), requests };
}

async function toldOf(
  agent: A2aAgent,
  start: Parameters<A2aAgent['follow']>[0] = { send: { message: message('go') } },
  options: Partial<Parameters<A2aAgent['follow']>[1]> = {},
): Promise<string[]> {
  const told: string[] = [];
  const isOver = ({ status }: { status: Parameters<typeof hasEnded>[0] }) => hasEnded(status);
  for await (const step of agent.follow(start, { isOver, ...options })) {
    if ('type' in step) told.push(`answer ${step.message.text}`);
    else if (step.piece !== undefined) {
      const text = step.piece.artifact.parts.map((part) => ('text' in part ? part.text : '?'));
      told.push(`${step.piece.append ? '+' : ''}${text.join('|')}`);
    } else {
      const words = step.task.status.message?.text;
      told.push(`${step.task.status.state}${words === undefined ? '' : ` ${words}`}`);
    }
  }
  return told;
}

async function failure(work: Promise<unknown>): Promise<TransportError> {
  const thrown: unknown = await work.then(
    () => 'an answer',
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(TransportError);
  return thrown as TransportError;
}

describe('#a2a-client-streams going on after a stream was lost', () => {
  test('with the id of the last event, where there are ids', async () => {
    const { agent, requests } = await connected((request, response) => {
      const stream = streamRpc(response, request);
      if (request.rpc === 'SendStreamingMessage') {
        stream.send({ task: taskJson('t', 'WORKING') }, '1');
        stream.send(artifactJson('t', 'a', 'one '), '2');
        // The next turn of the loop: what was written has gone out by then.
        setImmediate(stream.cut);
        return;
      }
      stream.send(artifactJson('t', 'a', 'two', true), '3');
      stream.send(statusJson('t', 'COMPLETED'), '4');
      stream.end();
    });
    expect(await toldOf(agent)).toEqual(['working', 'one ', '+two', 'completed']);
    expect(requests.map(({ rpc, headers }) => [rpc, headers['last-event-id']])).toEqual([
      ['SendStreamingMessage', undefined],
      ['SubscribeToTask', '2'],
    ]);
  });

  test('without ids only what is new in the task is told', async () => {
    let subscriptions = 0;
    const { agent } = await connected((request, response) => {
      const stream = streamRpc(response, request);
      if (request.rpc === 'SendStreamingMessage') {
        stream.send({ task: taskJson('t', 'SUBMITTED') });
        stream.send(statusJson('t', 'WORKING', 'begun'));
        stream.send(artifactJson('t', 'a', 'one '));
        stream.send(artifactJson('t', 'a', 'two ', true));
        setImmediate(stream.cut);
        return;
      }
      subscriptions += 1;
      const artifacts = [
        // Some agents keep each piece as a part of its own.
        { artifactId: 'a', parts: [{ text: 'one ' }, { text: 'two ' }, { text: 'three ' }] },
        ...(subscriptions > 1 ? [{ artifactId: 'b', parts: [{ data: { n: 1 } }] }] : []),
      ];
      const status = {
        state: 'TASK_STATE_WORKING',
        message: { messageId: 'begun', role: 'ROLE_AGENT', parts: [{ text: 'begun' }] },
      };
      stream.send({ task: taskJson('t', 'WORKING', { artifacts, status }) });
      if (subscriptions < 3) {
        stream.end();
        return;
      }
      stream.send(artifactJson('t', 'a', 'four', true));
      stream.send(statusJson('t', 'COMPLETED'));
      stream.end();
    });
    expect(await toldOf(agent)).toEqual([
      'submitted',
      'working begun',
      'one ',
      '+two ',
      '+three ',
      '?',
      '+four',
      'completed',
    ]);
    expect(subscriptions).toBe(3);
  });

  test('a task that has ended meanwhile is asked for', async () => {
    const { agent, requests } = await connected((request, response) => {
      if (request.rpc === 'SendStreamingMessage') {
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'WORKING') });
        stream.end();
      } else if (request.rpc === 'SubscribeToTask') refuseRpc(response, request, -32_004);
      else {
        const artifacts = [{ artifactId: 'a', parts: [{ text: 'all of it' }] }];
        answerRpc(response, request, taskJson('t', 'COMPLETED', { artifacts }));
      }
    });
    expect(await toldOf(agent)).toEqual(['working', 'all of it', 'completed']);
    expect(requests.map(({ rpc }) => rpc)).toEqual([
      'SendStreamingMessage',
      'SubscribeToTask',
      'GetTask',
    ]);
  });

  test('an agent that is away is waited for as long as the caller allows, and told of', async () => {
    let asked = 0;
    const { agent } = await connected((request, response) => {
      asked += 1;
      if (request.rpc === 'SendStreamingMessage') {
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'WORKING') });
        setImmediate(stream.cut);
      } else if (asked < 4) response.destroy();
      else {
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'COMPLETED') });
        stream.end();
      }
    });
    const seen: string[] = [];
    const away = { onAway: () => seen.push('away'), onBack: () => seen.push('back') };
    const start = { send: { message: message('go') } };
    expect(await toldOf(agent, start, away)).toEqual(['working', 'completed']);
    expect(seen).toEqual(['away', 'back']);
    asked = -1_000;
    const gone = await failure(toldOf(agent, start, { maxAwayMs: 1_000 }));
    expect(gone.fault).toBe('lost');
  });

  test('a subscription to a task that waits goes on, and nobody asks in a hurry', async () => {
    const pauses: number[] = [];
    let streams = 0;
    const { agent } = await connected(
      (request, response) => {
        const stream = streamRpc(response, request);
        streams += 1;
        stream.send({ task: taskJson('t', streams > 4 ? 'COMPLETED' : 'INPUT_REQUIRED') });
        stream.end();
      },
      { wait: async (ms) => void pauses.push(ms) },
    );
    expect(await toldOf(agent, { taskId: 't' })).toEqual(['input-required', 'completed']);
    expect(pauses).toEqual([250, 500, 1_000]);
  });
});

describe('#a2a-client-streams where the agent does not stream', () => {
  const quiet: NonNullable<Script['card']> = (origin) =>
    cardOf(origin, { capabilities: { streaming: false } });

  test('the task is asked for, more seldom the longer nothing happens', async () => {
    const pauses: number[] = [];
    const states = ['WORKING', 'WORKING', 'WORKING', 'COMPLETED'];
    const { agent, requests } = await connected(
      (request, response) => {
        if (request.rpc === 'SendMessage') {
          answerRpc(response, request, { task: taskJson('t', 'SUBMITTED') });
        } else answerRpc(response, request, taskJson('t', states.shift()!));
      },
      { wait: async (ms) => void pauses.push(ms) },
      quiet,
    );
    expect(await toldOf(agent)).toEqual(['submitted', 'working', 'completed']);
    // After news, then twice without any.
    expect(pauses).toEqual([250, 250, 500]);
    expect(requests.map(({ rpc }) => rpc)).toEqual(['SendMessage', ...Array(4).fill('GetTask')]);
    expect(requests[0]!.body).toMatchObject({
      params: { configuration: { returnImmediately: true } },
    });
  });

  test('nothing is streamed or subscribed to, also not on demand', async () => {
    const { agent, requests } = await connected(() => undefined, {}, quiet);
    for (const stream of [agent.stream({ message: message('x') }), agent.subscribe('t')]) {
      await expect(stream.next()).rejects.toMatchObject({ code: 'CT_UNSUPPORTED' });
    }
    expect(requests).toEqual([]);
  });
});

describe('#a2a-client-streams what a stream may cost', () => {
  const working = (request: Recorded, response: Parameters<NonNullable<Script['handle']>>[1]) => {
    const stream = streamRpc(response, request);
    stream.send({ task: taskJson('t', 'WORKING') });
    return stream;
  };

  test('one that never ends is given up for its events, and for its bytes', async () => {
    const flood: Script['handle'] = (request, response) => {
      const stream = working(request, response);
      const pour = (): void => {
        if (response.destroyed) return;
        for (let at = 0; at < 100; at += 1) stream.send(artifactJson('t', 'a', 'x', true));
        setImmediate(pour);
      };
      pour();
    };
    const events = await connected(flood, { stream: { maxEvents: 500 } });
    expect((await failure(toldOf(events.agent))).message).toContain('more than 500 events');
    const bytes = await connected(flood, { stream: { maxStreamBytes: 50_000 } });
    expect((await failure(toldOf(bytes.agent))).message).toContain('more than 50000 bytes');
  });

  test('an event without an end is given up at the limit of a message', async () => {
    const { agent } = await connected(
      (request, response) => {
        working(request, response);
        const pour = (): void => {
          if (response.destroyed) return;
          response.write(`data: ${'x'.repeat(4_000)}`);
          setImmediate(pour);
        };
        pour();
      },
      { limits: { maxBytes: 10_000 } },
    );
    expect((await failure(toldOf(agent))).fault).toBe('protocol');
  });

  test('one that falls silent is asked for anew, and comments are no news', async () => {
    let streams = 0;
    const { agent } = await connected(
      (request, response) => {
        streams += 1;
        const stream = working(request, response);
        response.write(': still there\n\n');
        if (streams < 3) return;
        stream.send(statusJson('t', 'COMPLETED'));
        stream.end();
      },
      { stream: { idleMs: 20 } },
    );
    expect(await toldOf(agent)).toEqual(['working', 'completed']);
    expect(streams).toBe(3);
  });

  test('the caller ends it at any time, and its connection with it', async () => {
    let closed: Promise<unknown> | undefined;
    const { agent } = await connected((request, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      working(request, response);
    });
    const controller = new AbortController();
    const steps = agent.follow(
      { send: { message: message('go') } },
      { isOver: () => false, signal: controller.signal },
    );
    await steps.next();
    const next = failure(steps.next());
    controller.abort();
    expect((await next).fault).toBe('aborted');
    await closed;
  });

  test('what is no event, and the event of another task, ends it with words', async () => {
    const wrong: [string, (stream: ReturnType<typeof streamRpc>) => void, string][] = [
      ['another task', (stream) => stream.send(statusJson('other', 'WORKING')), 'another task'],
      ['nothing', (stream) => stream.send({ nothing: true }), 'no task, message or event'],
      ['a text', (stream) => stream.send('hello'), 'no object'],
    ];
    for (const [, send, words] of wrong) {
      const { agent } = await connected((request, response) => {
        const stream = working(request, response);
        send(stream);
        stream.end();
      });
      expect((await failure(toldOf(agent))).message).toContain(words);
    }
    const { agent } = await connected((request, response) => {
      working(request, response);
      response.end('data: {"jsonrpc":\n\n');
    });
    expect((await failure(toldOf(agent))).message).toContain('no JSON');
  });
});

describe('#a2a-client-retries what is asked twice', () => {
  test('a question is, a message is not', async () => {
    let asked = 0;
    const { agent, requests } = await connected((request, response) => {
      asked += 1;
      if (request.rpc === 'GetTask' && asked === 3)
        answerRpc(response, request, taskJson('t', 'WORKING'));
      else response.destroy();
    });
    expect((await agent.get('t')).id).toBe('t');
    expect(asked).toBe(3);
    for (const operation of [
      () => agent.send({ message: message('x') }),
      () => agent.stream({ message: message('x') }).next(),
      () => toldOf(agent),
    ]) {
      const before = requests.length;
      const { fault, message: words } = await failure(operation());
      expect([fault, words.endsWith('outcome unknown')]).toEqual(['lost', true]);
      expect(requests.length).toBe(before + 1);
    }
    const before = requests.length;
    expect((await failure(agent.cancel('t'))).fault).toBe('lost');
    expect(requests.length).toBe(before + 1);
  });

  test('a message whose answer does not come in time, or is none, has no known outcome either', async () => {
    const { agent } = await connected((request, response) => {
      if (request.text.includes('late')) return;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>done</p>');
    });
    const late = await failure(agent.send({ message: message('late') }, { timeoutMs: 30 }));
    expect([late.fault, late.message]).toEqual([
      'timeout',
      'the answer had not arrived after 30 ms: outcome unknown',
    ]);
    expect((await failure(agent.send({ message: message('x') }))).message).toContain(
      'outcome unknown',
    );
  });

  test('an agent that is full is asked again, for a while', async () => {
    let asked = 0;
    const { agent } = await connected((request, response) => {
      asked += 1;
      if (asked < 3) response.writeHead(503).end();
      else answerRpc(response, request, taskJson('t', 'WORKING'));
    });
    expect((await agent.get('t')).id).toBe('t');
    asked = -100;
    await expect(agent.get('t')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    expect(asked).toBe(-96);
  });
});
