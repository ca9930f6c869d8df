// Owns one request as a face sees it: what was asked, the body within the face's limit, and the way to answer.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import type { PeerFacts } from '../../../src/transport.ts';
import { SdlError } from '../../../src/transport.ts';
import { peerFactsOf } from '../../net/peer-facts.ts';
import { discardBody, hasBody, isBodyTaken, readBody } from '../body.ts';
import type { HttpCall, HttpEvents, HttpFace, HttpHeaders, HttpStream } from '../face.ts';
import type { HttpAnswer } from './answer.ts';
import { EventStream, PieceStream, bytesOf } from './streams.ts';

export interface CallSettings {
  readonly heartbeatIntervalMs: number;
  /** The body was read before by somebody else, which only whoever runs the server can correct. */
  readonly onTaken: (words: string) => void;
}

const TAKEN_WORDS =
  'the body was read before the agent got it: mount the agent before the body parser, such as express.json()';

export class ServedCall implements HttpCall {
  readonly path: string;
  readonly #request: IncomingMessage;
  readonly #answer: HttpAnswer;
  readonly #face: HttpFace;
  readonly #settings: CallSettings;
  #headers: HttpHeaders | undefined;
  #body: Promise<Uint8Array> | undefined;
  #events: EventStream | undefined;
  /** All of the body was read, or there is none. */
  #isBodyDone: boolean;

  constructor(
    request: IncomingMessage,
    path: string,
    answer: HttpAnswer,
    face: HttpFace,
    settings: CallSettings,
  ) {
    this.path = path;
    this.#request = request;
    this.#answer = answer;
    this.#face = face;
    this.#settings = settings;
    this.#isBodyDone = !hasBody(request);
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get query(): URLSearchParams {
    const { url = '' } = this.#request;
    const mark = url.indexOf('?');
    return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  }

  get headers(): HttpHeaders {
    this.#headers ??= viewOf(this.#request);
    return this.#headers;
  }

  get peer(): PeerFacts {
    return peerFactsOf(this.#request, this.#face.name);
  }

  get signal(): AbortSignal {
    return this.#answer.signal;
  }

  body(): Promise<Uint8Array> {
    this.#body ??= this.#readBody();
    return this.#body;
  }

  answer(status: number, headers: HttpHeaders = {}, body: string | Uint8Array = ''): Promise<void> {
    this.stop();
    const bytes = bytesOf(body);
    if (this.#isBodyDone) return this.#answer.whole(status, headers, bytes);
    // What is left of the body would stand before the next request.
    if (!this.#answer.hasBegun) this.#answer.setHeaders({ connection: 'close' });
    return this.#answer.whole(status, headers, bytes, () =>
      discardBody(this.#request, this.#face.maxBytes),
    );
  }

  stream(status: number, headers: HttpHeaders = {}): HttpStream {
    return new PieceStream(this.#answer, status, headers);
  }

  events(headers: HttpHeaders = {}): HttpEvents {
    this.#events ??= new EventStream(this.#answer, headers, this.#settings.heartbeatIntervalMs);
    return this.#events;
  }

  /** The face is done with it. */
  stop(): void {
    this.#events?.stop();
  }

  async #readBody(): Promise<Uint8Array> {
    const { maxBytes } = this.#face;
    if (isBodyTaken(this.#request)) {
      this.#settings.onTaken(TAKEN_WORDS);
      throw new SdlError('INTERNAL', TAKEN_WORDS, { details: { hint: TAKEN_WORDS } });
    }
    const bytes = await readBody(this.#request, maxBytes);
    if (bytes === undefined) {
      throw new SdlError('LIMIT_BYTES', 'the body is too large', { details: { limit: maxBytes } });
    }
    this.#isBodyDone = true;
    return bytes;
  }
}

/** Node joins what was sent twice, or keeps the first. */
function viewOf({ headers }: IncomingMessage): HttpHeaders {
  const view: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    view[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return Object.freeze(view);
}
