// A server process of the benchmark: takes a body and answers with one of the right length, and does nothing else.

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { WebSocketServer } from 'ws';

import { writeFrame } from '../../../src/codec/frame.ts';
import { serve } from './child.ts';

serve(async ({ socketPath, replyBytes }) => {
  const replies = new Map(
    Array.from(replyBytes, ([length, reply]) => [length, Buffer.alloc(reply, 0x20)]),
  );
  const frames = new Map(Array.from(replies, ([length, reply]) => [length, writeFrame(reply)]));

  const web = createHttpServer((request, response) => {
    let length = 0;
    request.on('data', (chunk: Uint8Array) => (length += chunk.length));
    request.on('end', () => {
      const reply = replies.get(length)!;
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': reply.length,
      });
      response.end(reply);
    });
  });
  const sockets = new WebSocketServer({ server: web });
  sockets.on('connection', (socket) => {
    socket.on('message', (message: Buffer) => {
      socket.send(replies.get(message.length)!, { binary: false });
    });
  });
  const local = createServer((socket) => {
    let length = 0;
    // One request at a time, so that a frame ends where its chunk does.
    socket.on('data', (chunk) => {
      length += chunk.length;
      const frame = frames.get(length - 4);
      if (frame === undefined) return;
      length = 0;
      socket.write(frame);
    });
    socket.on('error', () => undefined);
  });
  web.listen(0, '127.0.0.1');
  local.listen(socketPath);
  await Promise.all([once(web, 'listening'), once(local, 'listening')]);
  const { port } = web.address() as AddressInfo;
  return {
    addresses: {
      http: `http://127.0.0.1:${port}/a2a`,
      ws: `ws://127.0.0.1:${port}/a2a`,
      ipc: socketPath,
    },
  };
});
