// Owns which face gets a request, and what is refused before one is asked: a foreign Host or Origin, a method, a face
// that closes. How it is told is the face's own. SPEC.md section 11 (#transport-http).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { SdlError, toSdlError } from '../../../src/transport.ts';
import { LiveSet } from '../../net/live-set.ts';
import type { HttpFace, ServedFace } from '../face.ts';
import type { Access } from './access.ts';
import { corsHeaders } from './access.ts';
import type { AnswerOptions } from './answer.ts';
import { HttpAnswer } from './answer.ts';
import type { CallSettings } from './call.ts';
import { ServedCall } from './call.ts';
import type { EventStream } from './streams.ts';
import { Waits } from '../../net/waits.ts';

/** A face of the host itself. */
export interface OwnFace extends HttpFace {
  /** This path answers under any host name: monitors use many, and the answer reveals nothing. */
  isForAnyHost?(path: string): boolean;
}

interface FacesOptions {
  readonly stalledWriteTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** Told what broke inside a face. */
  readonly onError: (cause: unknown) => void;
}

export interface HttpFaces {
  /** Answers one request, which came to this path of ours. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
  /** Does any face own this path? */
  owns(path: string): boolean;
  /** The first also says what is refused at paths that nobody owns. */
  serve(face: OwnFace): ServedFace;
  /** Others are about to be served: what nobody owns is answered with 503 until what this returns is called. */
  expectFaces(): () => void;
  /** From now on each answer ends its connection. Resolves when the last one has been given, or cut off after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

interface Entry {
  readonly face: OwnFace;
  readonly inFlight: LiveSet<HttpAnswer>;
  isClosing: boolean;
}

const FOREIGN = {
  host: { status: 421, error: new SdlError('ADDRESS_WRONG', 'the Host header names another host') },
  origin: {
    status: 403,
    error: new SdlError('NOT_AUTHORIZED', 'the Origin header is not allowed'),
  },
} as const;

const CLOSING = new SdlError('DRAINING', 'the face is closing');

export function createFaces(access: Access, options: FacesOptions): HttpFaces {
  const inFlight = new LiveSet<HttpAnswer>();
  let entries: readonly Entry[] = [];
  let expected = 0;
  let isDraining = false;
  let hasWarned = false;

  const answers: AnswerOptions = {
    stalled: new Waits(options.stalledWriteTimeoutMs, (answer: HttpAnswer) => answer.destroy()),
    isLast: () => isDraining,
    onOver: (answer) => {
      inFlight.delete(answer);
      answer.face?.delete(answer);
    },
  };
  const settings: CallSettings = {
    silent: new Waits(options.heartbeatIntervalMs, (stream: EventStream) => stream.beat()),
    /** Warns once. */
    onTaken: (words) => {
      if (!hasWarned) process.emitWarning(words, { code: 'A2A_SDL_BODY_TAKEN' });
      hasWarned = true;
    },
  };

  /** One that closes is there only until another takes its place. */
  function ownerOf(path: string): Entry | undefined {
    let closing: Entry | undefined;
    for (const entry of entries) {
      if (!entry.face.owns(path)) continue;
      if (!entry.isClosing) return entry;
      closing ??= entry;
    }
    return closing;
  }

  function route(request: IncomingMessage, path: string, answer: HttpAnswer): Promise<void> {
    const owner = ownerOf(path);
    const foreign = owner?.face.isForAnyHost?.(path) === true ? undefined : access(request);
    const entry = owner ?? (foreign === undefined ? undefined : entries[0]);
    if (entry === undefined) {
      return expected > 0 ? answer.whole(503, { 'retry-after': '1' }) : answer.whole(404);
    }
    const { face } = entry;
    answer.face = entry.inFlight;
    entry.inFlight.add(answer);
    const call = new ServedCall(request, path, answer, face, settings);
    const { origin } = request.headers;
    const methods = face.methods?.(path);
    if (foreign !== undefined) {
      answer.setHeaders({ connection: 'close' });
      return face.refuse(call, FOREIGN[foreign].error, FOREIGN[foreign].status);
    }
    if (origin !== undefined) {
      answer.setHeaders(corsHeaders(origin, face.headers, methods));
      if (request.method === 'OPTIONS') return answer.whole(204);
    }
    if (methods?.includes(call.method) === false) {
      answer.setHeaders({ allow: methods.join(', ') });
      const error = new SdlError('ADDRESS_WRONG', 'the path does not take this method', {
        details: { supported: methods },
      });
      return face.refuse(call, error, 405);
    }
    if (entry.isClosing) {
      answer.setHeaders({ connection: 'close' });
      return face.refuse(call, CLOSING, CLOSING.row.http);
    }
    return ask(face, call, answer);
  }

  async function ask(face: HttpFace, call: ServedCall, answer: HttpAnswer): Promise<void> {
    try {
      await face.handle(call);
    } catch (thrown) {
      if (answer.isGone) return;
      if (!(thrown instanceof SdlError)) options.onError(thrown);
      if (answer.hasBegun) return answer.destroy();
      const error = toSdlError(thrown);
      return face.refuse(call, error, error.row.http);
    } finally {
      call.stop();
    }
  }

  return {
    handle: async (request, response, path) => {
      if (request.socket.destroyed) return;
      const answer = new HttpAnswer(request, response, answers);
      inFlight.add(answer);
      try {
        await route(request, path, answer);
        if (answer.isComplete || request.socket.destroyed) return;
        throw new Error(`the face of ${path} left a call without its answer`);
      } catch (thrown) {
        if (!answer.isGone) options.onError(thrown);
        answer.fail();
      }
    },
    owns: (path) => ownerOf(path) !== undefined,
    serve: (face) => {
      const entry: Entry = { face, inFlight: new LiveSet(), isClosing: false };
      entries = [...entries, entry];
      return {
        close: async (graceMs) => {
          entry.isClosing = true;
          await entry.inFlight.drain(graceMs);
          entries = entries.filter((other) => other !== entry);
        },
      };
    },
    expectFaces: () => {
      expected += 1;
      return () => {
        expected -= 1;
      };
    },
    drain: (graceMs) => {
      isDraining = true;
      return inFlight.drain(graceMs);
    },
  };
}
