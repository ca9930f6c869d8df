// Owns the answer to each HTTP request, both on our own listener and inside a server that the agent is mounted in.
// SPEC.md section 11 (#transport-http, #transport-admin).

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Inbound, ListenContext } from '../../src/transport.ts';
import { SdlError } from '../../src/transport.ts';
import type { Access } from './access.ts';
import { shareWith } from './access.ts';
import { HttpAnswer, MEDIA_TYPE } from './answer.ts';
import type { ResolvedService } from './options.ts';
import { DOCUMENT_PATH, MESSAGE_PATH } from './paths.ts';
import {
  answerFormOf,
  discardBody,
  encodingOf,
  generationOf,
  isBodyTaken,
  readBody,
} from './request.ts';
import { LiveSet } from '../net/live-set.ts';
import { peerFactsOf } from '../net/peer-facts.ts';

const GET = ['GET', 'HEAD'];

/** Path → methods. Probes may use any host name: monitors use many, and the answer reveals nothing. */
const ROUTES: Readonly<Record<string, { methods: readonly string[]; isProbe?: boolean }>> = {
  [MESSAGE_PATH]: { methods: ['POST'] },
  [DOCUMENT_PATH]: { methods: GET },
  '/healthz': { methods: GET, isProbe: true },
  '/readyz': { methods: GET, isProbe: true },
  '/metrics': { methods: GET },
};

const FOREIGN = {
  host: { status: 421, error: new SdlError('ADDRESS_WRONG', 'the Host header names another host') },
  origin: {
    status: 403,
    error: new SdlError('NOT_AUTHORIZED', 'the Origin header is not allowed'),
  },
} as const;

const TAKEN_WORDS =
  'the body was read before the agent got it: mount the agent before the body parser, such as express.json()';
const BODY_TAKEN = new SdlError('INTERNAL', TAKEN_WORDS, { details: { hint: TAKEN_WORDS } });

const encoder = new TextEncoder();

export interface HttpService {
  /** Answers one request, which came to this path of ours. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
  /** From now on each answer ends its connection. Resolves when the last one has been given, or cut off after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

export function createHttpService(
  context: ListenContext,
  access: Access,
  options: ResolvedService,
): HttpService {
  const inFlight = new LiveSet<HttpAnswer>();
  let isDraining = false;
  let hasWarned = false;
  const { maxBytes } = context.limits;

  async function route(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    answer: HttpAnswer,
  ): Promise<void> {
    const known = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
    const foreign = known?.isProbe === true ? undefined : access(request);
    if (foreign !== undefined) {
      const { status, error } = FOREIGN[foreign];
      return refuse(request, response, answer, status, error);
    }
    if (known === undefined) return answer.empty(404);
    if (request.headers.origin !== undefined) {
      shareWith(request.headers.origin, response, known.methods);
      if (request.method === 'OPTIONS') return answer.empty(204);
    }
    if (!known.methods.includes(request.method ?? '')) {
      return answer.empty(405, { allow: known.methods.join(', ') });
    }
    switch (path) {
      case MESSAGE_PATH:
        return message(request, response, answer);
      case DOCUMENT_PATH:
        return answer.whole(200, MEDIA_TYPE.json, await context.agentDocument());
      case '/metrics':
        return metrics(request, answer);
      case '/readyz':
        return probe(answer, (await context.isReady()) ? 200 : 503);
      default:
        return probe(answer, 200);
    }
  }

  async function message(
    request: IncomingMessage,
    response: ServerResponse,
    answer: HttpAnswer,
  ): Promise<void> {
    const encoding = encodingOf(request);
    if (encoding === undefined) {
      const error = new SdlError('ENCODING_UNSUPPORTED', 'the body is neither JSON nor CBOR', {
        details: { supported: Object.values(MEDIA_TYPE) },
      });
      return refuse(request, response, answer, 415, error);
    }
    if (isBodyTaken(request)) {
      warnOfTakenBody();
      return refuse(request, response, answer, 500, BODY_TAKEN);
    }
    const bytes = await readBody(request, maxBytes);
    if (bytes === undefined) {
      const error = new SdlError('LIMIT_BYTES', 'the body is too large', {
        details: { limit: maxBytes },
      });
      return refuse(request, response, answer, 413, error);
    }
    if (answer.signal.aborted) return;
    const form = answerFormOf(request);
    // A client that reads events with ids and names no last id has seen none of them.
    const afterGeneration = generationOf(request) ?? (form === 'events' ? 0 : undefined);
    const inbound: Inbound = {
      bytes,
      encoding,
      peer: peerFactsOf(request, 'http'),
      wantsStream: form !== 'single',
      signal: answer.signal,
      ...(afterGeneration === undefined ? {} : { afterGeneration }),
    };
    await answer.replies(context.receive(inbound), form);
  }

  /** Warns once, for the operator of this server: only the operator can correct it. */
  function warnOfTakenBody(): void {
    if (!hasWarned) process.emitWarning(TAKEN_WORDS, { code: 'A2A_SDL_BODY_TAKEN' });
    hasWarned = true;
  }

  async function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    answer: HttpAnswer,
    status: number,
    error: SdlError,
  ): Promise<void> {
    const reply = await context.refuse(error);
    if (answer.signal.aborted) return;
    response.setHeader('connection', 'close');
    await answer.whole(status, MEDIA_TYPE[reply.encoding], reply.bytes, () =>
      discardBody(request, maxBytes),
    );
  }

  async function metrics(request: IncomingMessage, answer: HttpAnswer): Promise<void> {
    const { adminToken } = options;
    if (adminToken === undefined) return answer.empty(404);
    if (!isSameSecret(request.headers.authorization ?? '', `Bearer ${adminToken}`)) {
      return answer.empty(401, { 'www-authenticate': 'Bearer' });
    }
    return answer.whole(200, 'text/plain; version=0.0.4', encoder.encode(context.metrics()));
  }

  return {
    handle: async (request, response, path) => {
      if (request.socket.destroyed) return;
      const answer = new HttpAnswer(request, response, {
        stalledWriteTimeoutMs: options.stalledWriteTimeoutMs,
        heartbeatIntervalMs: options.heartbeatIntervalMs,
        isLast: () => isDraining,
        onOver: (over) => inFlight.delete(over),
      });
      inFlight.add(answer);
      try {
        await route(request, response, path, answer);
      } catch {
        // The body broke off, or the runtime failed.
        answer.fail();
      }
    },
    drain: (graceMs) => {
      isDraining = true;
      return inFlight.drain(graceMs);
    },
  };
}

async function probe(answer: HttpAnswer, status: 200 | 503): Promise<void> {
  await answer.whole(status, MEDIA_TYPE.json, encoder.encode(`{"ok":${status === 200}}`));
}

/** Both are hashed first: the comparison needs equal lengths, and its time must not reveal the secret or its length. */
function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one!, other!);
}
