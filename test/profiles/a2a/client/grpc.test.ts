// Proves that no server of gRPC makes our client hang, repeat itself or tell a secret elsewhere, and that refusals and
// lost streams are the same as over the other bindings.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import { hasEnded } from '../../../../profiles/a2a/client/following/fold.ts';
import type { A2aClientOptions } from '../../../../profiles/a2a/client/options.ts';
import { A2aRemoteError } from '../../../../profiles/a2a/client/remote-error.ts';
import type { A2aAgent } from '../../../../profiles/a2a/client/agent.ts';
import { refusal } from '../../../../profiles/a2a/errors/a2a-error.ts';
import { toldStatus } from '../../../../profiles/a2a/grpc/status.ts';
import { TransportError } from '../../../../src/transport.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import {
  answerGrpc,
  cardFor,
  frameOf,
  framed,
  grpcScripted,
  headOf,
  refuseGrpc,
} from '../../../support/a2a/grpc/scripted.ts';
import { artifactJson, statusJson, taskJson } from '../../../support/a2a/scripted-agent.ts';
import type { JsonObject } from '../../../../src/index.ts';

type Handle = Parameters<typeof grpcScripted>[0];

const TASK = frameOf('SendMessageResponse', { task: taskJson('t', 'COMPLETED') } as JsonObject);
const hurried: A2aClientOptions = { wait: async () => undefined, retries: 0 };

async function connected(
  handle: Handle,
  options: A2aClientOptions = {},
): Promise<{ agent: A2aAgent; calls: Awaited<ReturnType<typeof grpcScripted>>['calls'] }> {
  const { origin, calls } = await grpcScripted(handle);
  return { agent: await connectA2a(origin, { ...hurried, ...options }), calls };
}

async function thrownBy(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('there was an answer'),
    (thrown: unknown) => thrown as Error,
  );
}

const send = (agent: A2aAgent): Promise<unknown> => agent.send({ message: message('x') });

describe('#a2a-client-reading answers of gRPC that are none', () => {
  test.each<[string, Handle, string]>([
    [
      'no protobuf',
      (stream) => answerGrpc(stream, [framed(Buffer.from([0xff, 0xff]))]),
      'no message',
    ],
    ['no message', (stream) => answerGrpc(stream, []), 'there is none'],
    ['two messages', (stream) => answerGrpc(stream, [TASK, TASK]), 'more than one'],
    [
      'more than is read',
      (stream) => answerGrpc(stream, [framed(Buffer.alloc(2_000_000))]),
      'larger than',
    ],
    [
      'more than is read, once it is unpacked',
      (stream) => {
        const packed = framed(gzipSync(Buffer.alloc(50_000_000)));
        packed[0] = 1;
        headOf(stream, { 'grpc-encoding': 'gzip' });
        stream.end(packed);
      },
      'larger than',
    ],
    [
      'a length that never comes',
      (stream) => {
        headOf(stream);
        stream.end(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
      },
      'larger than',
    ],
    [
      'a web page',
      (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'text/html' });
        stream.end('<p>hello</p>');
      },
      '',
    ],
    [
      'a status that is none',
      (stream) => answerGrpc(stream, [], { 'grpc-status': 'x' }),
      'none of gRPC',
    ],
    ['no status', (stream) => answerGrpc(stream, [TASK], {}), 'none of gRPC'],
    ['an end of the call', (stream) => stream.close(2), 'none of gRPC'],
  ])('%s', async (_what, handle, words) => {
    const { agent } = await connected(handle);
    const thrown = await thrownBy(send(agent));
    expect(thrown).toBeInstanceOf(TransportError);
    expect([(thrown as TransportError).fault, thrown.message]).toEqual([
      'protocol',
      expect.stringContaining(words),
    ]);
    expect(thrown.message).toContain('outcome unknown');
  });

  test('a message with nothing in it', async () => {
    const { agent } = await connected((stream) => answerGrpc(stream, [framed(Buffer.alloc(0))]));
    expect(await thrownBy(send(agent))).toMatchObject({ fault: 'protocol' });
  });

  test('a server that is none of HTTP/2, and one that says nothing', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    for (const one of [server, silent]) {
      one.listen(0, '127.0.0.1');
      await once(one, 'listening');
      onTestFinished(() => void one.close());
    }
    const portOf = (one: typeof server): number => (one.address() as AddressInfo).port;
    const agentAt = async (port: number): Promise<A2aAgent> =>
      connectA2a((await cardFor(`127.0.0.1:${port}`)).origin, hurried);
    expect(await thrownBy(send(await agentAt(portOf(server))))).toMatchObject({
      fault: 'unreachable',
    });
    const late = (await agentAt(portOf(silent))).send({ message: message('x') }, { timeoutMs: 50 });
    expect(await thrownBy(late)).toMatchObject({ fault: 'timeout' });
    const closed = await agentAt(portOf(server));
    await new Promise((resolve) => server.close(resolve));
    expect(await thrownBy(send(closed))).toMatchObject({
      fault: 'unreachable',
      message: 'the connection failed (ECONNREFUSED)',
    });
  });

  test('an answer that does not come ends with its time, or when nobody wants it', async () => {
    const gone: string[] = [];
    const { agent } = await connected((stream) => {
      headOf(stream);
      stream.on('close', () => gone.push('gone'));
    });
    const late = agent.send({ message: message('x') }, { timeoutMs: 50 });
    expect(await thrownBy(late)).toMatchObject({ fault: 'timeout' });
    const stop = new AbortController();
    const asked = thrownBy(agent.send({ message: message('x') }, { signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect(await asked).toMatchObject({ fault: 'aborted' });
    await expect.poll(() => gone.length).toBeGreaterThan(0);
  });

  test('a connection that is lost leaves the outcome unknown, and nothing is sent twice', async () => {
    const { agent, calls } = await connected((stream) => stream.session!.destroy());
    const thrown = await thrownBy(send(agent));
    expect(thrown).toMatchObject({ fault: 'lost' });
    expect(thrown.message).toContain('outcome unknown');
    expect(calls).toHaveLength(1);
  });
});

describe('#a2a-client-streams of gRPC', () => {
  const event = (value: unknown): Buffer => frameOf('StreamResponse', value as JsonObject);

  test('more events or bytes than may be end it', async () => {
    const endless: Handle = (stream) => {
      headOf(stream);
      stream.write(event({ task: taskJson('t', 'WORKING') }));
      const more = (): void => {
        while (!stream.destroyed && stream.write(event(statusJson('t', 'WORKING', 'on'))));
      };
      stream.on('drain', more);
      more();
    };
    for (const [caps, words] of [
      [{ maxEvents: 100 }, '100 events'],
      [{ maxStreamBytes: 5_000 }, '5000 bytes'],
    ] as const) {
      const { agent } = await connected(endless, { stream: caps });
      const read = (async () => {
        for await (const one of agent.stream({ message: message('x') })) void one;
      })();
      expect(await thrownBy(read)).toMatchObject({
        fault: 'protocol',
        message: expect.stringContaining(words),
      });
    }
  });

  test('silence ends it, and it is asked again', async () => {
    let asked = 0;
    const { agent } = await connected(
      (stream, headers) => {
        asked += 1;
        if (headers[':path']!.endsWith('SubscribeToTask')) {
          answerGrpc(stream, [event({ task: taskJson('t', 'COMPLETED') })]);
          return;
        }
        headOf(stream);
        stream.write(event({ task: taskJson('t', 'WORKING') }));
      },
      { stream: { idleMs: 50 } },
    );
    expect(await statesOf(agent)).toEqual(['working', 'completed']);
    expect(asked).toBe(2);
  });

  test('goes on where it was cut off, by the place of its beginning and the frames after it', async () => {
    const pieces = ['one ', 'one ', 'one '].map((text, at) =>
      event(artifactJson('t', 'a', text, at > 0)),
    );
    let cut = (): void => undefined;
    const { agent, calls } = await connected((stream, headers) => {
      if (!headers[':path']!.endsWith('SubscribeToTask')) {
        headOf(stream, { 'event-id': '17' });
        stream.write(event({ task: taskJson('t', 'WORKING') }));
        for (const piece of pieces.slice(0, 2)) stream.write(piece);
        cut = () => stream.session!.destroy();
        return;
      }
      headOf(stream, { 'event-id': '18' });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      for (const piece of pieces) stream.write(piece);
      stream.end(event(statusJson('t', 'COMPLETED')));
    });
    expect(await statesOf(agent, (count) => count === 3 && cut())).toEqual([
      'working',
      'one ',
      'one ',
      'one ',
      'completed',
    ]);
    expect(calls.map((headers) => headers['last-event-id'])).toEqual([undefined, '17']);
  });

  test('a whole task takes the place of frames that are known', async () => {
    let cut = (): void => undefined;
    const { agent } = await connected((stream, headers) => {
      const isFirst = !headers[':path']!.endsWith('SubscribeToTask');
      headOf(stream, { 'event-id': isFirst ? '17' : '30' });
      if (isFirst) {
        stream.write(event({ task: taskJson('t', 'WORKING') }));
        stream.write(event(artifactJson('t', 'a', 'lost')));
        cut = () => stream.session!.destroy();
        return;
      }
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      const artifacts = [{ artifactId: 'a', parts: [{ text: 'anew' }] }];
      stream.end(event({ task: taskJson('t', 'COMPLETED', { artifacts }) }));
    });
    const told = await statesOf(agent, (count) => count === 2 && cut());
    expect(told).toEqual(['working', 'lost', 'anew', 'completed']);
  });

  /** @param onStep told how many there were. */
  async function statesOf(
    agent: A2aAgent,
    onStep: (count: number) => unknown = () => undefined,
  ): Promise<string[]> {
    const told: string[] = [];
    const isOver = ({ status }: { status: Parameters<typeof hasEnded>[0] }) => hasEnded(status);
    for await (const step of agent.follow({ send: { message: message('x') } }, { isOver })) {
      if ('type' in step) throw new Error('it answered without a task');
      const text = step.piece?.artifact.parts.map((part) => ('text' in part ? part.text : '?'));
      told.push(text?.join('') ?? step.task.status.state);
      onStep(told.length);
    }
    return told;
  }
});

describe('#a2a-client-errors of gRPC', () => {
  const detailsOf = (bytes: Buffer): string => bytes.toString('base64');
  const told = toldStatus(refusal('EXTENSION_SUPPORT_REQUIRED', 'CT_UNSUPPORTED', 'x'), '1.0.1');

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'by its details',
      { 'grpc-status': '9', 'grpc-status-details-bin': detailsOf(told.bytes) },
      'EXTENSION_SUPPORT_REQUIRED',
    ],
    [
      'by its words',
      { 'grpc-status': '12', 'grpc-message': 'PushNotificationNotSupportedError: no' },
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
    ],
    ['by its code', { 'grpc-status': '5' }, 'TASK_NOT_FOUND'],
    [
      'with details that are none',
      { 'grpc-status': '7', 'grpc-status-details-bin': '/////w==' },
      'PERMISSION_DENIED',
    ],
    [
      'with details of a stranger',
      {
        'grpc-status': '3',
        'grpc-status-details-bin': detailsOf(Buffer.from([0x1a, 4, 0x0a, 2, 0x61, 0x62])),
      },
      'INVALID_PARAMS',
    ],
    ['with a code of nobody', { 'grpc-status': '99', 'grpc-message': 'odd' }, 'INTERNAL_ERROR'],
  ])('%s', async (_what, trailers, kind) => {
    const { agent } = await connected((stream) => refuseGrpc(stream, trailers));
    const thrown = await thrownBy(agent.get('t'));
    expect(thrown).toBeInstanceOf(A2aRemoteError);
    expect((thrown as A2aRemoteError).kind).toBe(kind);
  });

  test('one that is full is asked again', async () => {
    let asked = 0;
    const { agent } = await connected(
      (stream) => {
        asked += 1;
        if (asked < 3) refuseGrpc(stream, { 'grpc-status': '14' });
        else answerGrpc(stream, [frameOf('Task', taskJson('t', 'WORKING') as JsonObject)]);
      },
      { retries: 3 },
    );
    expect((await agent.get('t')).id).toBe('t');
  });
});

describe('#a2a-client-secrets over gRPC', () => {
  const SECRET = 'the-secret-of-the-operator';

  test('go to their own origin alone', async () => {
    const { origin, grpcOrigin, calls, cards } = await grpcScripted((stream) =>
      answerGrpc(stream, [TASK]),
    );
    const ask = async (at: string): Promise<void> => {
      const credentials = [
        { origin: at, scheme: 'bearer', token: SECRET },
        { origin: at, scheme: 'api-key', key: SECRET },
      ] as const;
      await send(await connectA2a(origin, { ...hurried, credentials }));
    };
    await ask(origin);
    await ask(grpcOrigin.replace('http:', 'https:'));
    await ask(grpcOrigin.replace('127.0.0.1', 'localhost'));
    expect(calls).toHaveLength(3);
    expect(JSON.stringify([calls, cards])).not.toContain(SECRET);
    await ask(grpcOrigin);
    expect(calls[3]).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'x-api-key': SECRET,
      'a2a-version': '1.0',
    });
    expect(JSON.stringify(cards)).not.toContain(SECRET);
  });

  test('a private address that a card names elsewhere is not connected to', async () => {
    const { calls, grpcOrigin } = await grpcScripted((stream) => answerGrpc(stream, [TASK]));
    const { port } = new URL(grpcOrigin);
    for (const address of [
      `https://localhost:${port}`,
      `http://localhost:${port}`,
      `[::1]:${port}`,
    ]) {
      const { origin } = await cardFor(address);
      const thrown = await thrownBy(send(await connectA2a(origin, hurried)));
      expect(thrown).toMatchObject({ fault: 'forbidden' });
    }
    expect(calls).toEqual([]);
  });
});
