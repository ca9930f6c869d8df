// Owns agents of gRPC that answer as a test says, frame by frame of HTTP/2: for what no decent agent would do.

import { once } from 'node:events';
import type { IncomingHttpHeaders, Http2Session, ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import { V1 } from '../../../../profiles/a2a/fields/v1.ts';
import { writeProtobuf } from '../../../../profiles/a2a/protobuf/write.ts';
import type { JsonObject } from '../../../../src/index.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { cardOf, scriptedAgent } from '../scripted-agent.ts';

export interface GrpcScripted extends Pick<ScriptedAgent, 'origin' | 'cards'> {
  /** Where gRPC is spoken. */
  readonly grpcOrigin: string;
  /** The headers of the calls. */
  readonly calls: readonly IncomingHttpHeaders[];
}

type Trailers = Readonly<Record<string, string>>;

/** Closed after the test. @param handle one call, of which the whole request has come. */
export async function grpcScripted(
  handle: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<GrpcScripted> {
  const calls: IncomingHttpHeaders[] = [];
  const sessions = new Set<Http2Session>();
  const server = createServer();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    calls.push(headers);
    stream.on('error', () => {});
    stream.resume().on('end', () => handle(stream, headers));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { origin, cards } = await cardFor(address);
  return { origin, cards, calls, grpcOrigin: `http://${address}` };
}

/** A card of 1.0 that names only this address. */
export function cardFor(address: string): Promise<ScriptedAgent> {
  return scriptedAgent({
    card: (at) =>
      cardOf(at, {
        supportedInterfaces: [{ url: address, protocolBinding: 'GRPC', protocolVersion: '1.0' }],
        capabilities: { streaming: true },
      }),
  });
}

/** As gRPC frames a message. */
export function framed(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function frameOf(message: string, value: JsonObject): Buffer {
  return framed(writeProtobuf(V1, message, value));
}

export function headOf(stream: ServerHttp2Stream, more: Trailers = {}): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc+proto', ...more },
    { waitForTrailers: true },
  );
}

/** Head, frames, status. */
export function answerGrpc(
  stream: ServerHttp2Stream,
  frames: readonly Buffer[],
  trailers: Trailers = { 'grpc-status': '0' },
): void {
  headOf(stream);
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  for (const frame of frames) stream.write(frame);
  stream.end();
}

/** A refusal without any message. */
export function refuseGrpc(stream: ServerHttp2Stream, trailers: Trailers): void {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', ...trailers },
    { endStream: true },
  );
}
