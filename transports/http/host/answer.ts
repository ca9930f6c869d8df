// Owns how an answer is written to an HTTP client: never faster than the client reads, and with a limit on every wait.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** No cache may keep an answer, and no browser may guess its type. A face may say otherwise. */
const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const NO_BYTES = new Uint8Array(0);
const WITHOUT_LENGTH: ReadonlySet<number> = new Set([204, 304]);

export interface AnswerOptions {
  readonly stalledWriteTimeoutMs: number;
  /** Asked when the headers are written: the connection ends with this answer. */
  readonly isLast: () => boolean;
  /** The answer is out, or the client has gone. */
  readonly onOver: (answer: HttpAnswer) => void;
}

/** The answer to one request. */
export class HttpAnswer {
  readonly #response: ServerResponse;
  readonly #options: AnswerOptions;
  readonly #gone = new AbortController();
  /** Ends the wait for the client. */
  #stopWaiting = (): void => {};
  readonly destroy: () => void;

  constructor(request: IncomingMessage, response: ServerResponse, options: AnswerOptions) {
    this.#response = response;
    this.#options = options;
    const { socket } = request;
    this.destroy = () => socket.destroy();
    const over = (): void => {
      socket.off('close', over);
      response.off('close', over);
      if (!response.writableFinished) this.#gone.abort(new Error('the client has gone'));
      this.#stopWaiting();
      options.onOver(this);
    };
    // Both are needed: a response that is queued behind another one does not report that the connection closed.
    socket.on('close', over);
    response.on('close', over);
    response.on('error', () => {
      // `close` follows, and is handled above.
    });
  }

  /** Aborts when the client has gone before it had the answer. */
  get signal(): AbortSignal {
    return this.#gone.signal;
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

  /** Answers with the bytes. It waits for `beforeEnd` after they are written and before the connection ends. */
  async whole(
    status: number,
    headers: OutgoingHttpHeaders = {},
    bytes: Uint8Array = NO_BYTES,
    beforeEnd?: () => Promise<void>,
  ): Promise<void> {
    const length = WITHOUT_LENGTH.has(status) ? {} : { 'content-length': bytes.length };
    this.begin(status, { ...headers, ...length });
    if (beforeEnd === undefined) return this.end(bytes);
    if (bytes.length > 0) await this.write(bytes);
    else this.#response.flushHeaders();
    await beforeEnd();
    return this.end();
  }

  begin(status: number, headers: OutgoingHttpHeaders): void {
    if (this.signal.aborted) return;
    if (this.#options.isLast()) this.#response.setHeader('connection', 'close');
    this.#response.writeHead(status, { ...ANSWER_HEADERS, ...headers });
  }

  /** What is begun is sent without waiting for more. */
  flush(): void {
    if (!this.signal.aborted) this.#response.flushHeaders();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.signal.aborted || this.#response.write(bytes)) return;
    await this.#taken('drain');
  }

  async end(bytes?: Uint8Array): Promise<void> {
    if (this.signal.aborted) return;
    this.#response.end(bytes);
    if (!this.#response.writableFinished) await this.#taken('finish');
  }

  /** Something broke. A client that is still connected learns only that, not why. */
  fail(): void {
    if (this.#response.headersSent) this.destroy();
    else this.#response.writeHead(500, { connection: 'close', 'content-length': 0 }).end();
  }

  /** Waits for the client to take what was written, or to go; one that does neither is cut off. */
  #taken(event: 'drain' | 'finish'): Promise<void> {
    return new Promise((resolve) => {
      const stalled = setTimeout(this.destroy, this.#options.stalledWriteTimeoutMs);
      this.#stopWaiting = () => {
        clearTimeout(stalled);
        this.#response.off(event, this.#stopWaiting);
        resolve();
      };
      this.#response.on(event, this.#stopWaiting);
    });
  }
}
