// The load of the A2A benchmark over gRPC: frames written by hand on connections of HTTP/2 that are kept and warm, so that
// both servers are asked in the same bytes and no client library is waited for.

import { once } from 'node:events';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:http2';

import { V1 } from '../../../profiles/a2a/fields/v1.ts';
import { writeProtobuf } from '../../../profiles/a2a/protobuf/write.ts';
import { ANSWER, QUESTIONS } from './agent.ts';
import type { Server } from './child.ts';
import { LINES, awake } from './clients.ts';

/** Connections, with a share of the calls on each: one client of gRPC has one. */
const SESSIONS = 8;
const PATH = '/lf.a2a.v1.A2AService/SendMessage';
/** Before every message: not compressed, and its length. */
const PREFIX_BYTES = 5;

let made = 0;

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(PREFIX_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

function requestBytes(): Buffer {
  made += 1;
  const parts = [{ text: QUESTIONS.message }];
  const message = { messageId: `message-${made}`, role: 'ROLE_USER', parts };
  return framed(writeProtobuf(V1, 'SendMessageRequest', { message }));
}

async function ask(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({
    ':method': 'POST',
    ':path': PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    'a2a-version': '1.0',
  });
  const chunks: Buffer[] = [];
  let told: IncomingHttpHeaders = {};
  stream.on('response', (headers) => (told = headers));
  stream.on('trailers', (trailers) => (told = trailers));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end(requestBytes());
  await once(stream, 'close');
  const { 'grpc-status': status, 'grpc-message': words = '' } = told;
  if (status !== '0' || !Buffer.concat(chunks).includes(ANSWER)) {
    throw new Error(`an answer over gRPC was: ${String(status)} ${String(words)}`);
  }
}

/** Microseconds of CPU time of one message without a task. */
export async function askGrpc({ grpcUrl, cpuMicros }: Server, count: number): Promise<number> {
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const session = connect(grpcUrl!);
      await once(session, 'connect');
      return session;
    }),
  );
  const askMany = async (many: number): Promise<void> => {
    let left = many;
    const lane = async (_: unknown, at: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await ask(sessions[at % SESSIONS]!);
      }
    };
    await awake(Promise.all(Array.from({ length: LINES }, lane)));
  };
  await askMany(LINES);
  const before = await cpuMicros();
  await askMany(count);
  const micros = (await cpuMicros()) - before;
  for (const session of sessions) session.destroy();
  return micros / count;
}
