// Owns the face of envelopes: messages at `POST /a2a`, and the agent document. What is refused before the checks is told
// by a signed `error.v1`. SPEC.md section 11 (#transport-http).

import type { Inbound, ListenContext } from '../../../src/transport.ts';
import { SdlError } from '../../../src/transport.ts';
import type { HttpCall, HttpFace } from '../face.ts';
import { DOCUMENT_PATH, MESSAGE_PATH } from '../paths.ts';
import { sendReplies } from './replies.ts';
import { MEDIA_TYPE, answerFormOf, encodingOf, generationOf } from './request.ts';

export const GET: readonly string[] = ['GET', 'HEAD'];
export const PAGE_HEADERS: readonly string[] = ['accept', 'content-type', 'last-event-id'];

const METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  [MESSAGE_PATH, ['POST']],
  [DOCUMENT_PATH, GET],
]);

export function createMessageFace(context: ListenContext): HttpFace {
  const { maxBytes } = context.limits;
  return {
    name: 'http',
    maxBytes,
    headers: PAGE_HEADERS,
    methods: (path) => METHODS.get(path)!,
    owns: (path) => METHODS.has(path),
    handle: async (call) => {
      if (call.path === MESSAGE_PATH) return takeMessage(call, context);
      const document = await context.agentDocument();
      return call.answer(200, { 'content-type': MEDIA_TYPE.json }, document);
    },
    refuse: refuseWith(context),
  };
}

/** The refusals of everything that the agent itself serves. */
export function refuseWith(context: ListenContext): HttpFace['refuse'] {
  return async (call, error, status) => {
    // Of what broke inside nothing is told, only what whoever runs this server can correct.
    const isOurs = error.code === 'INTERNAL' && error.details['hint'] === undefined;
    if (status === 405 || isOurs) return call.answer(status);
    const { bytes, encoding } = await context.refuse(error);
    return call.answer(status, { 'content-type': MEDIA_TYPE[encoding] }, bytes);
  };
}

async function takeMessage(call: HttpCall, context: ListenContext): Promise<void> {
  const encoding = encodingOf(call.headers);
  if (encoding === undefined) {
    throw new SdlError('ENCODING_UNSUPPORTED', 'the body is neither JSON nor CBOR', {
      details: { supported: Object.values(MEDIA_TYPE) },
    });
  }
  const bytes = await call.body();
  if (call.signal.aborted) return;
  const form = answerFormOf(call.headers);
  // A client that reads events with ids and names no last id has seen none of them.
  const afterGeneration = generationOf(call.headers) ?? (form === 'events' ? 0 : undefined);
  const inbound: Inbound = {
    bytes,
    encoding,
    peer: call.peer,
    wantsStream: form !== 'single',
    signal: call.signal,
    ...(afterGeneration === undefined ? {} : { afterGeneration }),
  };
  await sendReplies(call, context.receive(inbound), form);
}
