// Owns ways to put any bytes on a transport and to see what comes back, with nothing of our own dialers in between where
// the transport can be reached without them.

import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type { Dialer, Incoming } from '../../../src/transport.ts';
import type { TlsOptions } from '../../../transports/net/tls-options.ts';

/** One connection, or what stands for it where every message has its own. */
export interface RawLine {
  send(message: Incoming): void;
  /** The next message that came, in the order in which they came; `undefined` once the other end has closed. */
  next(): Promise<Incoming | undefined>;
  close(): void;
}

class Arrivals {
  readonly #queue: (Incoming | undefined)[] = [];
  readonly #waiting: ((message: Incoming | undefined) => void)[] = [];
  #isOver = false;

  put(message: Incoming | undefined): void {
    if (this.#isOver) return;
    this.#isOver = message === undefined;
    const taker = this.#waiting.shift();
    if (taker === undefined) this.#queue.push(message);
    else taker(message);
    if (this.#isOver) for (const left of this.#waiting.splice(0)) left(undefined);
  }

  next(): Promise<Incoming | undefined> {
    if (this.#queue.length > 0) return Promise.resolve(this.#queue.shift());
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

/** One POST a message. */
export function httpLine(url: string, tls: TlsOptions = {}): RawLine {
  const arrivals = new Arrivals();
  const start = url.startsWith('https:') ? httpsRequest : httpRequest;
  const post = async ({ bytes, encoding }: Incoming): Promise<void> => {
    const headers = { 'content-type': `application/${encoding}` };
    const options: RequestOptions = { method: 'POST', agent: false, headers, ...tls };
    const outgoing = start(url, options);
    outgoing.end(bytes);
    const [response] = await once(outgoing, 'response');
    const body = new Uint8Array(await buffer(response));
    const isCbor = response.headers['content-type'] === 'application/cbor';
    if (body.length > 0) arrivals.put({ bytes: body, encoding: isCbor ? 'cbor' : 'json' });
  };
  return {
    send: (message) => {
      post(message).catch(() => arrivals.put(undefined));
    },
    next: () => arrivals.next(),
    close: () => arrivals.put(undefined),
  };
}

export async function wsLine(url: string): Promise<RawLine> {
  const arrivals = new Arrivals();
  const socket = new WebSocket(url, ['a2a-sdl.v1']);
  socket.on('message', (data: Buffer, isBinary) => {
    arrivals.put({ bytes: new Uint8Array(data), encoding: isBinary ? 'cbor' : 'json' });
  });
  socket.on('close', () => arrivals.put(undefined));
  socket.on('error', () => {});
  await once(socket, 'open');
  return {
    // Text that is not UTF-8 would be refused by the WebSocket itself.
    send: ({ bytes, encoding }) =>
      socket.send(bytes, { binary: encoding === 'cbor' || !isUtf8(bytes) }),
    next: () => arrivals.next(),
    close: () => socket.terminate(),
  };
}

/** A line that takes bytes which are no frame, too. */
export interface FrameLine extends RawLine {
  write(bytes: Uint8Array): void;
  /** Says that nothing more comes. */
  end(): void;
}

/** Frames over a Unix socket, `ipc:/path`, or over TCP, `ipc://host:port`. */
export async function frameLine(url: string): Promise<FrameLine> {
  const arrivals = new Arrivals();
  const { hostname, port, pathname } = new URL(url);
  const socket =
    hostname === '' ? connect(decodeURIComponent(pathname)) : connect(Number(port), hostname);
  let held = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE()) {
      const bytes = new Uint8Array(held.subarray(4, 4 + held.readUInt32BE()));
      held = held.subarray(4 + bytes.length);
      arrivals.put({ bytes, encoding: bytes[0] === 0x7b ? 'json' : 'cbor' });
    }
  });
  socket.on('close', () => arrivals.put(undefined));
  socket.on('error', () => {});
  await once(socket, 'connect');
  return {
    send: ({ bytes }) => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(bytes.length);
      socket.write(Buffer.concat([head, bytes]));
    },
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    next: () => arrivals.next(),
    close: () => socket.destroy(),
  };
}

/** Where there is nothing but the dialer: what it yields, and its end where it fails. */
export async function dialedLine(url: string, dialer: Dialer): Promise<RawLine> {
  const arrivals = new Arrivals();
  const connection = await dialer.dial(url, { limits: resolveLimits() });
  const send = async (message: Incoming): Promise<void> => {
    const { id, type, spanId } = headOf(message);
    const { signal } = new AbortController();
    const outbound = { ...message, id, spanId, wantsStream: true, signal };
    if (type === 'evt' || type === 'res') await connection.notify(outbound);
    else for await (const one of connection.exchange(outbound)) arrivals.put(one);
  };
  return {
    send: (message) => {
      send(message).catch(() => arrivals.put(undefined));
    },
    next: () => arrivals.next(),
    close: () => void connection.close(),
  };
}

function headOf({ bytes, encoding }: Incoming): { id: string; type?: JsonValue; spanId: string } {
  try {
    const { id, type, trace } = decodeMessage(bytes, encoding) as JsonObject;
    const span = (trace as JsonObject | undefined)?.['span_id'];
    return {
      id: (id as string | undefined) ?? 'none',
      ...(type !== undefined && { type }),
      spanId: (span as string | undefined) ?? 'none',
    };
  } catch {
    return { id: 'unknown', spanId: 'unknown' };
  }
}
