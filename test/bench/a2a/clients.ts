// The load of the A2A benchmark: connections that are kept, each with one request under way. They do as little as they
// can, so that no server waits for them.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

import type { Question } from './agent.ts';
import { QUESTIONS } from './agent.ts';

/** Requests that are under way at once. */
export const LINES = 64;
/** A request takes well below a second: what takes so long has come to a halt. */
const MAX_MS = 60_000;
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

let made = 0;

/**
 * Does the work while this process never sleeps: a server would have to wake it up with every answer, which costs a slow
 * one some ten microseconds a request and one that is always ahead nothing.
 */
export async function awake<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const spin = (): void => {
    if (!isDone) setImmediate(spin);
  };
  spin();
  return work.finally(() => {
    isDone = true;
  });
}

/** A request of A2A 1.0 over JSON-RPC. */
export function requestOf(
  { host, pathname }: URL,
  method: string,
  params: Readonly<Record<string, unknown>>,
): string {
  made += 1;
  const body = JSON.stringify({ jsonrpc: '2.0', id: made, method, params });
  return [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'a2a-version: 1.0',
    'accept: application/json, text/event-stream',
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

export function sendRequest(
  url: URL,
  method: string,
  question: Question,
  configuration?: Readonly<Record<string, unknown>>,
): string {
  const parts = [{ text: QUESTIONS[question] }];
  const message = { messageId: `message-${made}`, role: 'ROLE_USER', parts };
  return requestOf(url, method, { message, configuration });
}

/** One connection. */
export class Line {
  readonly #socket: Socket;
  #text = '';
  #isEnough: (text: string) => boolean = isWhole;
  #resolve: (text: string) => void = () => undefined;
  #reject: (reason: Error) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.setTimeout(MAX_MS, () => socket.destroy());
    socket.on('data', (text: string) => {
      this.#text += text;
      if (this.#isEnough(this.#text)) this.#resolve(this.#text);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#reject(new Error('a connection of the benchmark was closed')));
  }

  /** The answer with its head. @param isEnough what is waited for. @default all of it */
  ask(request: string, isEnough: (text: string) => boolean = isWhole): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#text = '';
      this.#isEnough = isEnough;
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** By its length, or by its last piece. */
function isWhole(text: string): boolean {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return false;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
  return length === undefined
    ? text.endsWith(LAST_CHUNK)
    : text.length - end - HEAD_END.length >= Number(length);
}

export async function openLine({ hostname, port }: URL): Promise<Line> {
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return new Line(socket);
}

/** Not all at once: the line of those that nobody has accepted yet is short. */
export async function openLines(url: URL, count: number): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const some = Math.min(LINES, count - lines.length);
    lines.push(...(await Promise.all(Array.from({ length: some }, () => openLine(url)))));
  }
  return lines;
}
