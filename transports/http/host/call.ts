// Owns one request as a face sees it: what was asked, the body within the face's limit, and the way to answer.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import type { PeerFacts, Shown } from '../../../src/transport.ts';
import { SdlError } from '../../../src/transport.ts';
import { peerFactsOf } from '../../net/peer-facts.ts';
import { discardBody, hasBody, isBodyTaken, parsedBody, readBody } from '../body.ts';
import type { HttpCall, HttpEvents, HttpFace, HttpHeaders, HttpStream } from '../face.ts';
import type { HttpAnswer } from './answer.ts';
import { EventStream, PieceStream } from './streams.ts';
import type { Waits } from '../../net/waits.ts';

export interface CallSettings {
  /** Of streams of events that say nothing. */
  readonly silent: Waits<EventStream>;
  /** The body was read before by somebody else, which only whoever runs the server can correct. */
  readonly onTaken: (words: string) => void;
}

const TAKEN_WORDS =
  'the body was read before the agent got it: mount the agent before the body parser, such as express.json()';

/** Of a call that is answered with a stream. */
const GONE = Promise.resolve(new Uint8Array(0));

export class ServedCall implements HttpCall {
  readonly path: string;
  readonly #request: IncomingMessage;
  readonly #answer: HttpAnswer;
  readonly #face: HttpFace;
  readonly #settings: CallSettings;
  #headers: HttpHeaders | undefined;
  #peer: PeerFacts | undefined;
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
    this.#peer ??= peerFactsOf(this.#request, this.#face.name);
    return this.#peer;
  }

  get shown(): Shown {
    const { transport, address, certificate } = this.peer;
    const authorization = everyValueOf(this.#request, 'authorization');
    const apiKey = everyValueOf(this.#request, 'x-api-key');
    return {
      face: transport,
      address,
      ...(authorization !== undefined && { authorization }),
      ...(apiKey !== undefined && { apiKey }),
      ...(certificate !== undefined && { certificate }),
    };
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
    if (this.#isBodyDone) return this.#answer.whole(status, headers, body);
    // What is left of the body would stand before the next request.
    if (!this.#answer.hasBegun) this.#answer.setHeaders({ connection: 'close' });
    return this.#answer.whole(status, headers, body, () =>
      discardBody(this.#request, this.#face.maxBytes),
    );
  }

  stream(status: number, headers: HttpHeaders = {}): HttpStream {
    this.#letBodyGo();
    return new PieceStream(this.#answer, status, headers);
  }

  events(headers: HttpHeaders = {}): HttpEvents {
    this.#letBodyGo();
    this.#events ??= new EventStream(this.#answer, headers, this.#settings.silent);
    return this.#events;
  }

  /** The face is done with it. */
  stop(): void {
    this.#events?.stop();
  }

  /** What stays open for long must not hold what it was asked with. */
  #letBodyGo(): void {
    if (this.#body !== undefined) this.#body = GONE;
  }

  #readBody(): Promise<Uint8Array> {
    const { maxBytes, takesParsed = false } = this.#face;
    if (isBodyTaken(this.#request)) {
      const parsed = takesParsed ? parsedBody(this.#request) : undefined;
      if (parsed !== undefined) {
        this.#isBodyDone = true;
        return parsed.length > maxBytes
          ? Promise.reject(tooLarge(maxBytes))
          : Promise.resolve(parsed);
      }
      this.#settings.onTaken(TAKEN_WORDS);
      const details = { hint: TAKEN_WORDS };
      return Promise.reject(new SdlError('INTERNAL', TAKEN_WORDS, { details }));
    }
    return readBody(this.#request, maxBytes).then((bytes) => {
      this.#isBodyDone = bytes !== undefined;
      if (bytes !== undefined) return bytes;
      throw tooLarge(maxBytes);
    });
  }
}

function tooLarge(limit: number): SdlError {
  return new SdlError('LIMIT_BYTES', 'the body is too large', { details: { limit } });
}

/** Of a header that came twice both: Node keeps the first one, and somebody on the way may have looked at the other. */
function everyValueOf({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined {
  if (headers[name] === undefined) return undefined;
  const values = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === name && at % 2);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Node joins what was sent twice, or keeps the first, but for one that no client has to send. */
function viewOf({ headers }: IncomingMessage): HttpHeaders {
  const { 'set-cookie': cookies } = headers;
  const view = { ...headers, ...(cookies !== undefined && { 'set-cookie': cookies.join(', ') }) };
  // Of an object that is made without one, V8 keeps each member in a table.
  return Object.setPrototypeOf(view, null) as HttpHeaders;
}
