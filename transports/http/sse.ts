// Owns server-sent events: how one is written, and how a stream of them is read piece by piece with bounded memory.
// Data stays bytes: line ends are ASCII, so that no character is ever cut. SPEC.md section 11 (#transport-http).

import { TransportError } from '../../src/transport.ts';
import { ByteCollector } from './byte-collector.ts';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Room of a line beside the data: the name of the field, an id. */
const FIELD_ROOM = 256;

const LINE_FEED = Uint8Array.of(LF);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface ServerSentEvent {
  /** Of the last `id:` so far. */
  readonly id?: string;
  readonly data: Uint8Array;
}

/** A comment without words: it only shows that the stream goes on. */
export const SSE_HEARTBEAT: Uint8Array = Uint8Array.of(COLON, LF, LF);

/** One event. Line breaks in the data come back as line feeds. */
export function writeSseEvent(data: Uint8Array, id?: number | string, event?: string): Uint8Array {
  const head = encoder.encode(`${field('event', event)}${field('id', id)}data: `);
  const lines = linesOf(data);
  const next = encoder.encode('\ndata: ');
  const parts = lines.flatMap((line, index) => [index === 0 ? head : next, line]);
  return joinBytes([...parts, Uint8Array.of(LF, LF)]);
}

/** The same of text. */
export function writeSseText(data: string, id?: number | string, event?: string): string {
  const lines = LINE_BREAK.test(data) ? data.split(LINE_BREAK).join('\ndata: ') : data;
  return `${field('event', event)}${field('id', id)}data: ${lines}\n\n`;
}

const LINE_BREAK = /\r\n|\r|\n/;

function field(name: string, value: number | string | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && /[\r\n\0]/.test(value))
    throw new TypeError(`"${name}" expected one line`);
  return `${name}: ${value}\n`;
}

function keep(collector: ByteCollector, piece: Uint8Array): void {
  if (collector.add(piece)) return;
  throw new TransportError('protocol', 'the other end sent an event larger than a message may be');
}

export interface SseParser {
  /** The events that this piece completes. Throws a {@link TransportError} for one that is too large. */
  push(chunk: Uint8Array): ServerSentEvent[];
}

/** `maxBytes` bounds the data of one event, and each line whether it counts or not. */
export function createSseParser(maxBytes: number): SseParser {
  const line = new ByteCollector(maxBytes + FIELD_ROOM);
  const data = new ByteCollector(maxBytes + 1);
  let id: string | undefined;
  let hasData = false;
  let isFirstLine = true;
  let isAfterCr = false;

  function endLine(events: ServerSentEvent[]): void {
    const bytes = isFirstLine ? withoutMark(line.take()) : line.take();
    isFirstLine = false;
    if (bytes.length > 0) readField(bytes);
    else if (hasData) {
      // Each line was given its line feed; the last one is not part of the data.
      const whole = data.take().slice(0, -1);
      hasData = false;
      events.push(id === undefined ? { data: whole } : { id, data: whole });
    }
  }

  function readField(bytes: Uint8Array): void {
    const colon = bytes.indexOf(COLON);
    const name = decoder.decode(colon < 0 ? bytes : bytes.subarray(0, colon));
    const start = colon < 0 ? bytes.length : colon + (bytes[colon + 1] === SPACE ? 2 : 1);
    const value = bytes.subarray(start);
    if (name === 'data') {
      hasData = true;
      keep(data, value);
      keep(data, LINE_FEED);
    } else if (name === 'id' && !value.includes(0)) id = decoder.decode(value);
  }

  return {
    push: (chunk) => {
      const events: ServerSentEvent[] = [];
      let start = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at];
        if (byte === LF && isAfterCr) start = at + 1;
        else if (byte === LF || byte === CR) {
          keep(line, chunk.subarray(start, at));
          endLine(events);
          start = at + 1;
        }
        isAfterCr = byte === CR;
      }
      keep(line, chunk.subarray(start));
      return events;
    },
  };
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function linesOf(data: Uint8Array): Uint8Array[] {
  if (!data.includes(LF) && !data.includes(CR)) return [data];
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < data.length; at++) {
    if (data[at] !== LF && data[at] !== CR) continue;
    lines.push(data.subarray(start, at));
    if (data[at] === CR && data[at + 1] === LF) at++;
    start = at + 1;
  }
  return [...lines, data.subarray(start)];
}

function withoutMark(line: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, index) => line[index] === byte) ? line.subarray(3) : line;
}
