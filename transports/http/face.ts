// Owns what a face and the HTTP host say to each other. A face is a dialect of its own on the port of the host: it reads
// its wire, answers and refuses in its own form. ARCHITECTURE.md ("Host and faces").

import type { Listener, PeerFacts, SdlError, Shown } from '../../src/transport.ts';

/** By name, in lower case. It has no prototype, so that no name finds what nobody sent. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;

/** One request of a client, and the way to answer it. It is answered once: whole, with a stream, or with events. */
export interface HttpCall {
  readonly method: string;
  /** As it was asked for: nothing is decoded, the query is left out. Below the prefix of a mount. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: HttpHeaders;
  /** The address, and the client's certificate where one was verified. `transport` is the name of the face. */
  readonly peer: PeerFacts;
  /** What it shows to prove who it is, for `ListenContext.authenticate`. A header that came twice proves nothing. */
  readonly shown: Shown;
  /** Aborts when the client has gone before it had the answer. */
  readonly signal: AbortSignal;
  /**
   * The whole body. Rejects with LIMIT_BYTES as soon as it shows to be larger than the face's `maxBytes`. Read it before
   * {@link stream} or {@link events}: the call lets go of it then.
   */
  body(): Promise<Uint8Array>;
  /** Answers at once. Resolves when the client has taken it, or has gone. */
  answer(status: number, headers?: HttpHeaders, body?: string | Uint8Array): Promise<void>;
  /** Answers piece by piece. Nothing is sent before the first piece, so that {@link answer} is still possible. */
  stream(status: number, headers?: HttpHeaders): HttpStream;
  /** Answers with server-sent events. While there is nothing to say, comments show that it goes on. */
  events(headers?: HttpHeaders): HttpEvents;
}

interface Begun {
  /** Status and headers are on their way: they cannot change any more. */
  readonly hasBegun: boolean;
  /** Sends status and headers now. */
  begin(): void;
  /** The answer is complete. Resolves when the client has taken it, or has gone. */
  end(): Promise<void>;
}

export interface HttpStream extends Begun {
  /** Resolves when the client has room for more, or has gone; one that takes nothing for too long is cut off. */
  write(piece: string | Uint8Array): Promise<void>;
}

export interface HttpEvents extends Begun {
  /** As {@link HttpStream.write}. */
  send(event: HttpEvent): Promise<void>;
}

/** A server-sent event. */
export interface HttpEvent {
  readonly data: string | Uint8Array;
  /** What the client shows as `Last-Event-ID` when it comes back. */
  readonly id?: string | number;
  readonly event?: string;
}

export interface HttpFace {
  /** Of the dialect. It is what calls are counted by. */
  readonly name: string;
  /** The largest body that it reads. */
  readonly maxBytes: number;
  /**
   * No proof is over the bytes of a body: where it was read before, what a parser of the embedder's server made of it
   * serves as well. @default false
   */
  readonly takesParsed?: boolean;
  /** The headers that a web page of an allowed origin may send, in lower case. */
  readonly headers: readonly string[];
  /** The methods of a path; others are refused with 405. @default all, and the face refuses for itself */
  methods?(path: string): readonly string[];
  /** Is this path its own? The first face that says so gets the call. */
  owns(path: string): boolean;
  /** Answers a call. What it throws before it has answered is told by {@link refuse}. */
  handle(call: HttpCall): Promise<void>;
  /**
   * Writes a refusal in its own form: of the host before the face was asked (a foreign Host 421, a foreign Origin 403,
   * a method 405, DRAINING 503), of the body (413), or of what {@link handle} threw. The peer may be told the words of
   * `error.row` and `error.details`, never its message.
   */
  refuse(call: HttpCall, error: SdlError, status: number): Promise<void>;
}

/** A face that a host serves. */
export interface ServedFace {
  /**
   * Refuses what comes from now on with DRAINING, lets calls in flight end for up to `graceMs`, cuts off the others, and
   * gives the paths back.
   */
  close(graceMs: number): Promise<void>;
}

/** A listener whose port faces share: that of `http()`, or of a mount. */
export interface HttpHost extends Listener {
  /** Where others reach this path, such as `https://agent.example/rpc`. */
  urlOf(path: string): string;
  serve(face: HttpFace): ServedFace;
}

/** The host among the listeners that were started before. Throws where there is none. */
export function httpHostOf(earlier: readonly Listener[], face: string): HttpHost {
  const host = earlier.find(isHttpHost);
  if (host !== undefined) return host;
  throw new Error(`${face}() shares the port of http(): listen with http() first`);
}

function isHttpHost(listener: Listener): listener is HttpHost {
  return 'urlOf' in listener && 'serve' in listener && typeof listener.serve === 'function';
}
