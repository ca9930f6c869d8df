// Owns what the headers of a message say: its encoding, and the answer it asks for.
// SPEC.md section 11 (#transport-http).

import type { Encoding } from '../../../src/transport.ts';
import type { HttpHeaders } from '../face.ts';

/** What the client asked for: the `res` alone, or the whole exchange in one of two forms. */
export type AnswerForm = 'single' | 'events' | 'lines';

export const MEDIA_TYPE = { json: 'application/json', cbor: 'application/cbor' } as const;

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
export function encodingOf(headers: HttpHeaders): Encoding | undefined {
  const coding = headers['content-encoding'] ?? 'identity';
  return coding === 'identity' ? ENCODINGS.get(mediaTypeOf(headers['content-type'])) : undefined;
}

/** The first known type of `Accept` decides; without one the answer is the `res` alone. */
export function answerFormOf(headers: HttpHeaders): AnswerForm {
  for (const type of (headers['accept'] ?? '').split(',')) {
    const form = FORMS.get(mediaTypeOf(type));
    if (form !== undefined) return form;
  }
  return 'single';
}

/** `Last-Event-ID`; one that is no generation counts as none. */
export function generationOf(headers: HttpHeaders): number | undefined {
  return readGeneration(headers['last-event-id']);
}

/** The id of a server-sent event. */
export function readGeneration(text: string | undefined): number | undefined {
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return undefined;
  const generation = Number(text);
  return Number.isSafeInteger(generation) ? generation : undefined;
}
