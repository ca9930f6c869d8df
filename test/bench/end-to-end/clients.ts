// The clients of the benchmark: bytes out, bytes back, one request at a time on a connection of their own. They know
// nothing of envelopes, so that the runtime and a bare server get the same.

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';

import { FrameReader, writeFrame } from '../../../src/codec/frame.ts';
import type { WireName } from './child.ts';
import type { Ask } from '../pipeline/sender.ts';

export interface Client {
  readonly ask: Ask;
  readonly close: () => void;
}

const MAX_REPLY_BYTES = 1_048_576;

export const OPENERS: Readonly<Record<WireName, (address: string) => Promise<Client>>> = {
  http: openHttp,
  ws: openWs,
  ipc: openIpc,
};

function openHttp(url: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const ask: Ask = (body) =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': body.length },
      };
      const sent = request(url, options, (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks)));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return Promise.resolve({ ask, close: () => agent.destroy() });
}

async function openWs(url: string): Promise<Client> {
  const socket = new WebSocket(url, 'a2a-sdl.v1', { perMessageDeflate: false });
  const turn = new Turn();
  socket.on('message', (message: Buffer) => turn.answer(message));
  socket.on('close', () => turn.fail());
  await once(socket, 'open');
  return {
    ask: (body) => turn.take(() => socket.send(body, { binary: false })),
    close: () => socket.terminate(),
  };
}

async function openIpc(path: string): Promise<Client> {
  const socket = connect(path);
  const turn = new Turn();
  const reader = new FrameReader(MAX_REPLY_BYTES);
  socket.on('data', (chunk: Uint8Array) => {
    for (const body of reader.read(chunk)) turn.answer(body);
  });
  socket.on('close', () => turn.fail());
  await once(socket, 'connect');
  return {
    ask: (body) => turn.take(() => socket.write(writeFrame(body))),
    close: () => socket.destroy(),
  };
}

/** The one request that is under way. */
class Turn {
  #resolve: (reply: Uint8Array) => void = () => undefined;
  #reject: (reason: Error) => void = () => undefined;

  take(send: () => void): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      send();
    });
  }

  answer(reply: Uint8Array): void {
    this.#resolve(reply);
  }

  fail(): void {
    this.#reject(new Error('a connection of the benchmark was closed'));
  }
}
