// Owns how an answer is written to an HTTP client: never faster than the client reads, and with a limit on every wait.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Reply } from '../../src/transport.ts';
import { SSE_HEARTBEAT, writeSseEvent } from './sse.ts';
import { toLine, toStreamText } from './stream-text.ts';

/** What the client asked for: the `res` alone, or the whole exchange in one of two forms. */
export type AnswerForm = 'single' | 'events' | 'lines';

export const MEDIA_TYPE = { json: 'application/json', cbor: 'application/cbor' } as const;

const STREAM_TYPE = { events: 'text/event-stream', lines: 'application/x-ndjson' } as const;

/** No cache may keep an answer, and no browser may guess its type. */
const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export interface AnswerOptions {
  readonly stalledWriteTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
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
  /** The headers of a stream are written. */
  #isStreaming = false;
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

  /** Answers with the bytes. It waits for `beforeEnd` after they are written and before the connection ends. */
  async whole(
    status: number,
    type: string,
    bytes: Uint8Array,
    beforeEnd?: () => Promise<void>,
  ): Promise<void> {
    this.#head(status, { 'content-type': type, 'content-length': bytes.length });
    if (beforeEnd === undefined) return this.#end(bytes);
    await this.#write(bytes);
    await beforeEnd();
    return this.#end();
  }

  async empty(status: number, headers: OutgoingHttpHeaders = {}): Promise<void> {
    this.#head(status, status === 204 ? headers : { 'content-length': 0, ...headers });
    await this.#end();
  }

  /** The replies are pulled one at a time, each when the client has taken the one before it. */
  async replies(replies: AsyncIterable<Reply>, form: AnswerForm): Promise<void> {
    const heartbeat = form === 'events' ? this.#startHeartbeat() : undefined;
    try {
      for await (const reply of replies) {
        if (this.signal.aborted) return;
        if (form === 'single' && reply.type === 'evt') continue;
        // A refusal is shown by the HTTP status, and the status cannot change once a stream has begun.
        if (form === 'single' || (!this.#isStreaming && reply.status !== 200)) {
          return await this.whole(reply.status, MEDIA_TYPE[reply.encoding], reply.bytes);
        }
        this.#stream(form);
        const text = toStreamText(reply);
        await this.#write(form === 'events' ? writeSseEvent(text, reply.generation) : toLine(text));
        heartbeat?.refresh();
      }
    } finally {
      clearTimeout(heartbeat);
    }
    if (this.#isStreaming) return this.#end();
    return this.empty(204);
  }

  /** Something broke. A client that is still connected learns only that, not why. */
  fail(): void {
    if (this.#response.headersSent) this.destroy();
    else this.#response.writeHead(500, { connection: 'close', 'content-length': 0 }).end();
  }

  /** Shows from time to time that a silent stream goes on. Writing also reveals a client that has gone. */
  #startHeartbeat(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (this.signal.aborted) return;
      this.#stream('events');
      // For a client that reads nothing, heartbeats would only pile up in memory.
      if (!this.#response.writableNeedDrain) this.#response.write(SSE_HEARTBEAT);
      timer.refresh();
    }, this.#options.heartbeatIntervalMs);
    return timer;
  }

  #stream(form: 'events' | 'lines'): void {
    if (!this.#isStreaming) this.#head(200, { 'content-type': STREAM_TYPE[form] });
    this.#isStreaming = true;
  }

  #head(status: number, headers: OutgoingHttpHeaders): void {
    if (this.signal.aborted) return;
    if (this.#options.isLast()) this.#response.setHeader('connection', 'close');
    this.#response.writeHead(status, { ...ANSWER_HEADERS, ...headers });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.signal.aborted || this.#response.write(bytes)) return;
    await this.#taken('drain');
  }

  async #end(bytes?: Uint8Array): Promise<void> {
    if (this.signal.aborted) return;
    this.#response.end(bytes);
    if (!this.#response.writableFinished) await this.#taken('finish');
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
