// Owns what is read of an HTTP request: its encoding, the answer it asks for, and its body within the limit.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import type { Encoding } from '../../src/transport.ts';
import { ByteCollector } from './byte-collector.ts';
import type { AnswerForm } from './answer.ts';

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['application/json', 'json'],
  ['application/cbor', 'cbor'],
]);

const FORMS: ReadonlyMap<string, AnswerForm> = new Map([
  ['text/event-stream', 'events'],
  ['application/x-ndjson', 'lines'],
  ['application/json', 'single'],
  ['application/cbor', 'single'],
]);

/** A media type without its parameters. */
export function mediaTypeOf(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** Undefined for a body that is neither JSON nor CBOR, or that is compressed. */
export function encodingOf({ headers }: IncomingMessage): Encoding | undefined {
  const coding = headers['content-encoding'] ?? 'identity';
  return coding === 'identity' ? ENCODINGS.get(mediaTypeOf(headers['content-type'])) : undefined;
}

/** The first known type of `Accept` decides; without one the answer is the `res` alone. */
export function answerFormOf({ headers }: IncomingMessage): AnswerForm {
  for (const type of (headers.accept ?? '').split(',')) {
    const form = FORMS.get(mediaTypeOf(type));
    if (form !== undefined) return form;
  }
  return 'single';
}

/** `Last-Event-ID`; one that is no generation counts as none. */
export function generationOf({ headers }: IncomingMessage): number | undefined {
  return readGeneration(headers['last-event-id']);
}

/** The id of a server-sent event. */
export function readGeneration(text: string | string[] | undefined): number | undefined {
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return undefined;
  const generation = Number(text);
  return Number.isSafeInteger(generation) ? generation : undefined;
}

/** Somebody else has begun to read it, such as a body parser of the server that the agent is mounted in. */
export function isBodyTaken(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded;
}

/** Undefined for a body beyond the limit: by its announced length before it is read, else as soon as it shows. */
export async function readBody(
  message: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const body = new ByteCollector(maxBytes);
  // Left open on the way out, so that the answer can still be written.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    if (!body.add(chunk as Uint8Array)) return undefined;
  }
  return body.take();
}

/** Reads on without keeping anything, so that the client gets to read its answer before the connection ends. */
export function discardBody(request: IncomingMessage, maxBytes: number): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve();
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) resolve();
    });
    request.on('end', resolve);
    request.on('close', resolve);
    request.resume();
  });
}
