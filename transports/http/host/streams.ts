// Owns answers that come piece by piece: bytes, or server-sent events that show from time to time that they go on.
// SPEC.md section 11 (#transport-http).

import type { HttpEvent, HttpEvents, HttpHeaders, HttpStream } from '../face.ts';
import { SSE_HEARTBEAT, writeSseEvent } from '../sse.ts';
import type { HttpAnswer } from './answer.ts';

const encoder = new TextEncoder();

export class PieceStream implements HttpStream {
  readonly #answer: HttpAnswer;
  readonly #status: number;
  readonly #headers: HttpHeaders;

  constructor(answer: HttpAnswer, status: number, headers: HttpHeaders) {
    this.#answer = answer;
    this.#status = status;
    this.#headers = headers;
  }

  get hasBegun(): boolean {
    return this.#answer.hasBegun;
  }

  begin(): void {
    this.#head();
    this.#answer.flush();
  }

  async write(piece: string | Uint8Array): Promise<void> {
    this.#head();
    await this.#answer.write(bytesOf(piece));
  }

  async end(): Promise<void> {
    this.#head();
    await this.#answer.end();
  }

  #head(): void {
    if (!this.hasBegun) this.#answer.begin(this.#status, this.#headers);
  }
}

export class EventStream implements HttpEvents {
  readonly #pieces: PieceStream;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(answer: HttpAnswer, headers: HttpHeaders, heartbeatIntervalMs: number) {
    this.#pieces = new PieceStream(answer, 200, {
      'content-type': 'text/event-stream',
      ...headers,
    });
    // Shows that a silent stream goes on. Writing also reveals a client that has gone.
    this.#heartbeat = setTimeout(() => {
      if (answer.signal.aborted) return;
      // For a client that reads nothing, heartbeats would only pile up in memory.
      if (!answer.isBehind) this.#pieces.write(SSE_HEARTBEAT).catch(() => answer.fail());
      this.#heartbeat.refresh();
    }, heartbeatIntervalMs);
  }

  get hasBegun(): boolean {
    return this.#pieces.hasBegun;
  }

  begin(): void {
    this.#pieces.begin();
  }

  async send({ data, id, event }: HttpEvent): Promise<void> {
    await this.#pieces.write(writeSseEvent(bytesOf(data), id, event));
    this.#heartbeat.refresh();
  }

  end(): Promise<void> {
    this.stop();
    return this.#pieces.end();
  }

  /** No more heartbeats. */
  stop(): void {
    clearTimeout(this.#heartbeat);
  }
}

export function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? encoder.encode(piece) : piece;
}
