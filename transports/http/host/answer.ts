// Owns how an answer is written to an HTTP client: never faster than the client reads, and with a limit on every wait.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LiveSet } from '../../net/live-set.ts';
import type { HttpHeaders } from '../face.ts';
import type { Waits } from '../../net/waits.ts';

/** No cache may keep an answer, and no browser may guess its type. A face may say otherwise. */
const ANSWER_HEADERS = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
] as const;
const WITHOUT_LENGTH: ReadonlySet<number> = new Set([204, 304]);
const DONE = Promise.resolve();

export interface AnswerOptions {
  /** Of those that wait for their client: one that takes nothing for too long is cut off. */
  readonly stalled: Waits<HttpAnswer>;
  /** Asked when the headers are written: the connection ends with this answer. */
  readonly isLast: () => boolean;
  /** The answer is out, or the client has gone. */
  readonly onOver: (answer: HttpAnswer) => void;
}

/** The answer to one request. */
export class HttpAnswer {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #options: AnswerOptions;
  /** All that its connection still has to answer. */
  readonly #unanswered: HttpAnswer[];
  /** Those that the face of its path has to give. @default no face has it */
  face: LiveSet<HttpAnswer> | undefined;
  /** Made for who asks for its signal: most never do. */
  #gone: AbortController | undefined;
  #isGone = false;
  #isOver = false;
  /** What ends each wait for the client. */
  #waiting: (() => void)[] | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, options: AnswerOptions) {
    this.#response = response;
    this.#socket = request.socket;
    this.#options = options;
    // Both are needed: a response that is queued behind another one does not report that the connection closed.
    this.#unanswered = unansweredOn(this.#socket);
    this.#unanswered.push(this);
    response.on('close', () => this.over());
    response.on('error', ignore);
  }

  /** Aborts when the client has gone before it had the answer. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#isGone) this.#gone.abort(clientGone());
    }
    return this.#gone.signal;
  }

  /** The client has gone before it had the answer. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Status and headers are on their way. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** All of it is written. */
  get isComplete(): boolean {
    return this.#response.writableEnded;
  }

  /** What was written waits for the client. */
  get isBehind(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** Headers of the host, whatever the face answers. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
  }

  /** Answers with the body. It waits for `beforeEnd` after it is written and before the connection ends. */
  whole(
    status: number,
    headers: HttpHeaders = NO_HEADERS,
    body: string | Uint8Array = '',
    beforeEnd?: () => Promise<void>,
  ): Promise<void> {
    this.begin(status, headers, WITHOUT_LENGTH.has(status) ? undefined : Buffer.byteLength(body));
    return beforeEnd === undefined ? this.end(body) : this.#endAfter(body, beforeEnd);
  }

  /** @param length of the body, where it is known. */
  begin(status: number, headers: HttpHeaders, length?: number): void {
    if (this.#isGone) return;
    if (this.#options.isLast()) this.#response.setHeader('connection', 'close');
    this.#response.writeHead(status, headList(headers, length));
  }

  /** What is begun is sent without waiting for more. */
  flush(): void {
    if (!this.#isGone) this.#response.flushHeaders();
  }

  write(piece: string | Uint8Array): Promise<void> {
    if (this.#isGone || this.#response.write(piece)) return DONE;
    this.#response.once('drain', () => this.#goOn());
    return this.#taken();
  }

  /** Text goes out together with the headers, in one piece. */
  end(piece?: string | Uint8Array): Promise<void> {
    if (this.#isGone) return DONE;
    this.#response.end(piece);
    return this.#isOver ? DONE : this.#taken();
  }

  /** Something broke. A client that is still connected learns only that, not why. */
  fail(): void {
    if (this.#response.headersSent) this.destroy();
    else this.#response.writeHead(500, { connection: 'close', 'content-length': 0 }).end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The response has closed, or the connection. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unanswered.splice(this.#unanswered.indexOf(this), 1);
    if (!this.#response.writableFinished) {
      this.#isGone = true;
      this.#gone?.abort(clientGone());
    }
    this.#goOn();
    this.#options.onOver(this);
  }

  async #endAfter(body: string | Uint8Array, beforeEnd: () => Promise<void>): Promise<void> {
    if (body.length > 0) await this.write(body);
    else this.#response.flushHeaders();
    await beforeEnd();
    return this.end();
  }

  /** Waits for the client to take what was written, or to go; one that does neither is cut off. */
  #taken(): Promise<void> {
    this.#options.stalled.begin(this);
    return new Promise((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
    });
  }

  #goOn(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#options.stalled.stop(this);
    for (const resolve of waiting) resolve();
  }
}

/** By their connections: one listener each, however many requests a connection brings. */
const unanswered = new WeakMap<Socket, HttpAnswer[]>();

function unansweredOn(socket: Socket): HttpAnswer[] {
  const known = unanswered.get(socket);
  if (known !== undefined) return known;
  const answers: HttpAnswer[] = [];
  unanswered.set(socket, answers);
  socket.on('close', () => {
    while (answers.length > 0) answers[0]!.over();
  });
  return answers;
}

const NO_HEADERS: HttpHeaders = Object.freeze({});

/** Names and values in turns: Node writes them without a look at an object for each. */
function headList(headers: HttpHeaders, length: number | undefined): string[] {
  const list: string[] = [];
  for (const [name, value] of ANSWER_HEADERS) {
    if (headers[name] === undefined) list.push(name, value);
  }
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) list.push(name, value);
  }
  if (length !== undefined) list.push('content-length', String(length));
  return list;
}

function clientGone(): Error {
  return new Error('the client has gone');
}

/** `close` follows, and is handled there. */
function ignore(): void {}
