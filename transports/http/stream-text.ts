// Owns how a message travels in a stream of text, as an event or a line: JSON as it is, CBOR as a JSON string of base64url.
// SPEC.md section 11 (#transport-http).

import type { Incoming } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';

const OPENING_BRACE = 0x7b;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

const encoder = new TextEncoder();
const latin1 = new TextDecoder('latin1');

export function toStreamText({ bytes, encoding }: Incoming): Uint8Array {
  if (encoding === 'json') return bytes;
  return encoder.encode(`"${Buffer.from(bytes).toString('base64url')}"`);
}

export function fromStreamText(text: Uint8Array): Incoming {
  if (text[0] === OPENING_BRACE) return { bytes: text, encoding: 'json' };
  const [, base64url] = /^"([\w-]+)"$/.exec(latin1.decode(text)) ?? [];
  const bytes = Buffer.from(base64url ?? '', 'base64url');
  // Encoded again to compare, because the decoder accepts several texts for the same bytes.
  if (base64url === undefined || bytes.toString('base64url') !== base64url) {
    throw new TransportError('protocol', 'the other end sent an event that holds no message');
  }
  return { bytes: Uint8Array.from(bytes), encoding: 'cbor' };
}

/** One line. A line break in JSON can only be white space. */
export function toLine(text: Uint8Array): Uint8Array {
  const line = new Uint8Array(text.length + 1);
  line.set(text);
  for (let at = 0; at < text.length; at++) {
    if (line[at] === LF || line[at] === CR) line[at] = SPACE;
  }
  line[text.length] = LF;
  return line;
}
