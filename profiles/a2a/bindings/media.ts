// Owns media types: which bodies are read, and of which type an answer is. SPEC.md section 20 (#a2a-media).

import type { HttpCall } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { refusal } from '../errors/a2a-error.ts';

export const JSON_TYPE = 'application/json';
export const A2A_TYPE = 'application/a2a+json';
export const PROBLEM_TYPE = 'application/problem+json';

const IDENTITY = 'identity';

type Headers = Pick<HttpCall, 'headers'>;

/** Throws for a body of another type; one that does not say its type is tried. */
export function assertJsonBody({ headers }: Headers): void {
  const encoding = headers['content-encoding'] ?? IDENTITY;
  if (encoding.trim().toLowerCase() !== IDENTITY) throw wrongEncoding();
  const type = typeIn(headers['content-type'] ?? '');
  if (type !== '' && type !== JSON_TYPE && type !== A2A_TYPE) throw wrongMediaType();
}

function wrongEncoding(): A2aError {
  return refusal(
    'MEDIA_TYPE_NOT_SUPPORTED',
    'ENCODING_UNSUPPORTED',
    'the body is encoded by Content-Encoding, which is not read here: send it plain',
  );
}

function wrongMediaType(): A2aError {
  return refusal(
    'MEDIA_TYPE_NOT_SUPPORTED',
    'ENCODING_UNSUPPORTED',
    `the body is of no type that is read here; these are: ${JSON_TYPE}, ${A2A_TYPE}`,
  );
}

/** Of the body; what does not say its type was read as JSON. */
export function mediaTypeOf({ headers }: Headers): string {
  return typeIn(headers['content-type'] ?? '') || JSON_TYPE;
}

/** The caller names the type of its own, in what it sends or in what it takes. */
export function namesA2aType({ headers }: Headers): boolean {
  return (
    typeIn(headers['content-type'] ?? '') === A2A_TYPE || acceptedIn(headers).includes(A2A_TYPE)
  );
}

/** Of the two types the one that the caller takes, and this one if it takes both or says nothing of them. */
export function answerType({ headers }: Headers, usual: string): string {
  const accepted = acceptedIn(headers);
  const [first, ...more] = [JSON_TYPE, A2A_TYPE].filter((type) => accepted.includes(type));
  const takesAny = accepted.some((type) => type === '*/*' || type === 'application/*');
  return first === undefined || more.length > 0 || takesAny ? usual : first;
}

function acceptedIn(headers: HttpCall['headers']): readonly string[] {
  return (headers['accept'] ?? '')
    .split(',')
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*$/i.test(range))
    .map(typeIn);
}

function typeIn(text: string): string {
  if (text === JSON_TYPE) return text;
  return text.split(';', 1)[0]!.trim().toLowerCase();
}
