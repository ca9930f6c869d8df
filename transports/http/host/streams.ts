// Owns answers that come piece by piece: bytes, or server-sent events that show from time to time that they go on.
// SPEC.md section 11 (#transport-http).

import type { HttpEvent, HttpEvents, HttpHeaders, HttpStream } from '../face.ts';
import { SSE_HEARTBEAT, writeSseEvent, writeSseText } from '../sse.ts';
import type { HttpAnswer } from './answer.ts';
import type { Waits } from '../../net/waits.ts';

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

  write(piece: string | Uint8Array): Promise<void> {
    this.#head();
    return this.#answer.write(piece);
  }

  end(): Promise<void> {
    this.#head();
    return this.#answer.end();
  }

  #head(): void {
    if (!this.hasBegun) this.#answer.begin(this.#status, this.#headers);
  }
}

export class EventStream implements HttpEvents {
  readonly #answer: HttpAnswer;
  readonly #pieces: PieceStream;
  readonly #silent: Waits<EventStream>;

  /** @param silent of those that say nothing; {@link beat} when it was long enough. */
  constructor(answer: HttpAnswer, headers: HttpHeaders, silent: Waits<EventStream>) {
    this.#answer = answer;
    this.#pieces = new PieceStream(answer, 200, {
      'content-type': 'text/event-stream',
      ...headers,
    });
    this.#silent = silent;
    silent.begin(this);
  }

  get hasBegun(): boolean {
    return this.#pieces.hasBegun;
  }

  begin(): void {
    this.#pieces.begin();
  }

  async send({ data, id, event }: HttpEvent): Promise<void> {
    await this.#pieces.write(
      typeof data === 'string' ? writeSseText(data, id, event) : writeSseEvent(data, id, event),
    );
    if (!this.#answer.isComplete && !this.#answer.isGone) this.#silent.begin(this);
  }

  end(): Promise<void> {
    this.stop();
    return this.#pieces.end();
  }

  /** Shows that a silent stream goes on. Writing also reveals a client that has gone. */
  beat(): void {
    if (this.#answer.isGone) return;
    // For a client that reads nothing, heartbeats would only pile up in memory.
    if (!this.#answer.isBehind) {
      this.#pieces.write(SSE_HEARTBEAT).catch(() => this.#answer.fail());
    }
    this.#silent.begin(this);
  }

  /** No more heartbeats. */
  stop(): void {
    this.#silent.stop(this);
  }
}
