// Proves that no bytes make the agent fail over gRPC: each call is answered, none as a fault of the server, and nothing
// is held afterwards.

import { once } from 'node:events';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import type { JsonValue } from '../../../../src/codec/value.ts';
import { V1 } from '../../../../profiles/a2a/fields/v1.ts';
import { writeProtobuf } from '../../../../profiles/a2a/protobuf/write.ts';
import type { GrpcAgent } from '../../../support/a2a/agent.ts';
import { grpcAgentFor, openGrpcAgent } from '../../../support/a2a/agent.ts';
import { grpcClient } from '../../../support/a2a/grpc-client.ts';
import { GRPC_WORDS } from '../../../support/a2a/grpc-words.ts';

const errors: unknown[] = [];
let agent: GrpcAgent;

beforeAll(async () => {
  agent = await openGrpcAgent({
    runtime: {
      accepts: () => 'yes',
      admission: { ratePerSecond: 1_000_000, burst: 1_000_000 },
      on: { error: (cause) => void errors.push(cause) },
    },
  });
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

/** The same numbers in every run. */
function newRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SEEDS = [
  {
    message: {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'hello' }, { data: { deep: [1, { two: null }], text: 'ü' } }],
      metadata: { a: [true, 0.5] },
      extensions: ['urn:x'],
    },
    configuration: { historyLength: 3, acceptedOutputModes: ['text/plain'] },
    metadata: { b: { c: 'd' } },
  },
].map((request) => writeProtobuf(V1, 'SendMessageRequest', request));

function mutated(random: (below: number) => number): Buffer {
  const seed = SEEDS[random(SEEDS.length)]!;
  if (random(8) === 0) return Buffer.from(Array.from({ length: random(60) }, () => random(256)));
  const bytes = Buffer.from(seed);
  for (let change = random(4); change >= 0; change -= 1) bytes[random(bytes.length)] = random(256);
  const cut = random(6) === 0 ? random(bytes.length) : bytes.length;
  return bytes.subarray(0, cut);
}

const METHODS = Object.keys(V1.service).filter((method) => !V1.service[method]!.isStream);
const ALLOWED = new Set(['OK', 'INVALID_ARGUMENT', 'NOT_FOUND', 'FAILED_PRECONDITION']);

test('mutated bytes are read or refused as the fault of the caller #a2a-grpc #a2a-protobuf', async () => {
  const asks = grpcClient(agent.grpc);
  const random = newRandom(7);
  const seen = new Map<string, number>();
  for (let round = 0; round < 60; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => {
        const method = random(2) === 0 ? 'SendMessage' : METHODS[random(METHODS.length)]!;
        return asks.ask(method, {}, { bytes: mutated(random) });
      }),
    );
    for (const { status, detailBytes } of answers) {
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (status !== 'OK') expect(detailBytes.length).toBeGreaterThan(0);
    }
  }
  expect([...seen.keys()].filter((status) => !ALLOWED.has(status))).toEqual([]);
  expect(seen.get('OK')).toBeGreaterThan(20);
  expect(seen.get('INVALID_ARGUMENT')).toBeGreaterThan(200);
  expect(errors).toEqual([]);
}, 120_000);

test('more than the limit, and what unpacks to more, is too much #a2a-grpc', async () => {
  const { grpc } = await grpcAgentFor({ runtime: { limits: { maxBytes: 20_000 } } });
  const asks = grpcClient(grpc);
  const [words] = GRPC_WORDS;
  const large = await asks.ask('SendMessage', words!.send({ text: 'x'.repeat(30_000) }));
  expect([large.status, large.reason]).toEqual(['RESOURCE_EXHAUSTED', 'TOO_LARGE']);
  const bomb = await rawCall(
    grpc,
    { 'grpc-encoding': 'gzip' },
    framed(gzipSync(Buffer.alloc(5_000_000)), 1),
  );
  expect(bomb['grpc-status']).toBe('8');
  const bytes = writeProtobuf(V1, 'SendMessageRequest', {
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: nested(400) }] },
  });
  const deep = await asks.ask('SendMessage', {}, { bytes });
  expect([deep.status, deep.reason]).toEqual(['INVALID_ARGUMENT', 'INVALID_REQUEST']);
  const many = Array.from({ length: 10_001 }, () => null);
  const wide = await asks.ask('SendMessage', words!.send({ parts: [{ data: many }] }));
  expect(wide.status).toMatch(/INVALID_ARGUMENT|RESOURCE_EXHAUSTED/);
});

function nested(depth: number): JsonValue {
  return Array.from({ length: depth }).reduce<JsonValue>((inner) => [inner], 1);
}

const framed = (bytes: Uint8Array, flag = 0): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

function open(grpc: string): ClientHttp2Session {
  const session = connect(`http://${grpc}`);
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** What comes back of a call that no client of gRPC makes. */
async function rawCall(
  grpc: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<IncomingHttpHeaders> {
  const session = open(grpc);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/lf.a2a.v1.A2AService/SendMessage',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  let received: IncomingHttpHeaders = {};
  stream.on('response', (first) => (received = { ...received, ...first }));
  stream.on('trailers', (last) => (received = { ...received, ...last }));
  stream.resume();
  stream.end(body);
  await once(stream, 'close');
  return received;
}

const GOOD = framed(SEEDS[0]!);

test.each([
  ['a deadline that is none', { 'grpc-timeout': 'soon' }, GOOD, '3'],
  ['gzip that is none', { 'grpc-encoding': 'gzip' }, framed(Buffer.from('nonsense'), 1), '3'],
  ['a compression that is not known', { 'grpc-encoding': 'br' }, framed(SEEDS[0]!, 1), '12'],
  ['no message', {}, Buffer.alloc(0), '12'],
  ['two messages', {}, Buffer.concat([GOOD, GOOD]), '12'],
  ['a message that is cut off', {}, GOOD.subarray(0, 20), '12'],
  ['gzip that holds a message', { 'grpc-encoding': 'gzip' }, framed(gzipSync(SEEDS[0]!), 1), '0'],
  ['a header that gRPC does not know', { 'x-strange!': '1', 'x-bin': '%%%' }, GOOD, '0'],
])('%s is answered in the form of gRPC #a2a-grpc', async (_, headers, body, status) => {
  const received = await rawCall(agent.grpc, headers, body);
  expect([received[':status'], received['grpc-status']]).toEqual([200, status]);
  expect(received['grpc-status-details-bin'] === undefined).toBe(status === '0');
});

test('what is no gRPC, or no HTTP/2, ends with its connection and disturbs nobody #a2a-grpc', async () => {
  const session = open(agent.grpc);
  const stream = session.request({ ':method': 'GET', ':path': '/' });
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  expect(headers[':status']).toBe(415);
  const [host, port] = agent.grpc.split(':');
  for (const bytes of [
    'GET / HTTP/1.1\r\n\r\n',
    '\u0000'.repeat(100),
    'PRI * HTTP/2.0\r\n\r\nSM',
  ]) {
    const socket = connectSocket({ host: host!, port: Number(port) });
    socket.on('error', () => undefined);
    socket.write(bytes);
    socket.end();
    socket.resume();
    await once(socket, 'close');
  }
  const path = `/lf.a2a.v1.A2AService/${'%zz€'.repeat(20)}`;
  const strange = session.request({
    ':method': 'POST',
    ':path': encodeURI(path),
    'content-type': 'application/grpc',
  });
  const [unknown] = (await once(strange, 'response')) as [IncomingHttpHeaders];
  expect(unknown['grpc-status']).toBe('12');
  const [words] = GRPC_WORDS;
  expect((await grpcClient(agent.grpc).ask('SendMessage', words!.send())).status).toBe('OK');
});

test('a request that does not come is not waited for #a2a-grpc', async () => {
  const grpc = { port: 0, requestTimeoutMs: 200 };
  const own = await grpcAgentFor({ face: { grpc } });
  const stream = open(own.grpc).request({
    ':method': 'POST',
    ':path': '/lf.a2a.v1.A2AService/SendMessage',
    'content-type': 'application/grpc',
  });
  stream.write(GOOD.subarray(0, 10));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  expect(headers['grpc-status']).toBe('4');
});

test('one address has so many connections and no more #a2a-grpc', async () => {
  const own = await grpcAgentFor({ face: { grpc: { port: 0, maxConnectionsPerAddress: 2 } } });
  const sessions = [open(own.grpc), open(own.grpc)];
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
  const third = open(own.grpc);
  await once(third, 'close');
  sessions[0]!.destroy();
  await once(sessions[0]!, 'close');
  const [words] = GRPC_WORDS;
  const asks = grpcClient(own.grpc);
  await expect
    .poll(async () => (await asks.ask('SendMessage', words!.send())).status, { timeout: 10_000 })
    .toBe('OK');
});
